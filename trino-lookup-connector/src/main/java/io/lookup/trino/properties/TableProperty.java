/*
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lookup.trino.properties;

import com.google.common.base.Joiner;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/**
 * Table options that have a table property of their own.
 */
public enum TableProperty
{
    BUCKET("bucket", Kind.INTEGER, "Number of buckets; one bucket has one writer"),
    BUCKET_KEY("bucket-key", Kind.LIST, "Columns that choose the bucket; the primary key without the partition columns if not set"),
    MERGE_ENGINE("merge-engine", Kind.TEXT, "How rows of one key are merged"),
    SEQUENCE_FIELD("sequence.field", Kind.LIST, "Columns that order the rows of one key; order of arrival if not set"),
    CHANGELOG_PRODUCER("changelog-producer", Kind.TEXT, "Who writes the changelog: none, input, lookup or full-compaction"),
    CHANGELOG_PRODUCER_ROW_DEDUPLICATE("changelog-producer.row-deduplicate", Kind.FLAG, "Whether an update that changes nothing is left out of the changelog"),
    CHANGELOG_PRODUCER_ROW_DEDUPLICATE_IGNORE_FIELDS("changelog-producer.row-deduplicate-ignore-fields", Kind.LIST, "Columns whose change alone is left out of the changelog"),
    DELETION_VECTORS_ENABLED("deletion-vectors.enabled", Kind.FLAG, "Whether replaced rows are marked in deletion vectors"),
    LOOKUP_WAIT("lookup-wait", Kind.FLAG, "Whether a statement waits for the compaction that produces its changelog"),
    LOOKUP_COMPACT("lookup-compact", Kind.TEXT, "How eagerly level 0 is lifted: radical or gentle"),
    LOOKUP_COMPACT_MAX_INTERVAL("lookup-compact.max-interval", Kind.INTEGER, "Most commits between two lifts of level 0 when gentle; at least num-sorted-run.compaction-trigger"),
    FILE_FORMAT("file.format", Kind.TEXT, "Format of data files"),
    FILE_COMPRESSION("file.compression", Kind.TEXT, "Compression of data files"),
    TARGET_FILE_SIZE("target-file-size", Kind.TEXT, "Size at which a data file is completed, such as 128 mb"),
    /**/;

    public enum Kind
    {
        TEXT,
        INTEGER,
        FLAG,
        LIST,
    }

    private static final Splitter LIST_SPLITTER = Splitter.on(',').trimResults().omitEmptyStrings();
    private static final Joiner LIST_JOINER = Joiner.on(',');
    private static final Set<String> TRUE_AND_FALSE = ImmutableSet.of("true", "false");

    private final String optionKey;
    private final Kind kind;
    private final String description;

    TableProperty(String optionKey, Kind kind, String description)
    {
        this.optionKey = requireNonNull(optionKey, "optionKey is null");
        this.kind = requireNonNull(kind, "kind is null");
        this.description = requireNonNull(description, "description is null");
    }

    public String optionKey()
    {
        return optionKey;
    }

    public String propertyName()
    {
        return name().toLowerCase(ENGLISH);
    }

    public Kind kind()
    {
        return kind;
    }

    public String description()
    {
        return description;
    }

    /**
     * The option's text for a value of the property.
     */
    public String toOptionValue(Object propertyValue)
    {
        return switch (kind) {
            case TEXT, INTEGER, FLAG -> propertyValue.toString();
            // names of columns, which are lower-case in a table that a statement makes
            case LIST -> LIST_JOINER.join((List<?>) propertyValue).toLowerCase(ENGLISH);
        };
    }

    /**
     * The property's value for the text of an option.
     *
     * @return empty if the text does not fit the property's type, so that only the option's text can say it
     */
    public Optional<Object> fromOptionValue(String optionValue)
    {
        return switch (kind) {
            case TEXT -> Optional.of(optionValue);
            case INTEGER -> parseInteger(optionValue);
            case FLAG -> TRUE_AND_FALSE.contains(optionValue.toLowerCase(ENGLISH)) ? Optional.of(optionValue.equalsIgnoreCase("true")) : Optional.empty();
            case LIST -> {
                List<String> names = ImmutableList.copyOf(LIST_SPLITTER.split(optionValue));
                yield names.isEmpty() ? Optional.empty() : Optional.of(names);
            }
        };
    }

    private static Optional<Object> parseInteger(String text)
    {
        try {
            return Optional.of(Integer.parseInt(text.trim()));
        }
        catch (NumberFormatException _) {
            return Optional.empty();
        }
    }

    public static Optional<TableProperty> forOption(String optionKey)
    {
        return Arrays.stream(values())
                .filter(property -> property.optionKey.equals(optionKey))
                .findFirst();
    }
}
