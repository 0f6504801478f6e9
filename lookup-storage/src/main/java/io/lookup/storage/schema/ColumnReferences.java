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
package io.lookup.storage.schema;

import com.google.common.base.Joiner;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;

/**
 * Where options name columns, in their keys and in their values.
 */
final class ColumnReferences
{
    private static final String SEQUENCE_GROUP = "sequence-group";
    // options whose values are lists of columns, or one column
    private static final Set<String> COLUMN_LISTS = ImmutableSet.of(
            "bucket-key",
            "sequence.field",
            "changelog-producer.row-deduplicate-ignore-fields",
            "partial-update.remove-record-on-sequence-group",
            "rowkind.field",
            "record-level.time-field",
            "clustering.columns",
            "sink.clustering.by-columns");
    private static final Pattern INDEXED_COLUMNS = Pattern.compile("file-index\\.[^.]+\\.columns");
    // an indexed column of type MAP may be followed by one of its keys
    private static final Pattern COLUMN_AND_KEY = Pattern.compile("([^\\[]+)(\\[.*)?");
    private static final Splitter SPLITTER = Splitter.on(',').trimResults().omitEmptyStrings();
    private static final Joiner JOINER = Joiner.on(',');

    private ColumnReferences() {}

    /**
     * The options of a table whose columns have got other names.
     *
     * @param newNames by old name; columns that keep theirs may be absent
     */
    static Map<String, String> rename(Map<String, String> options, Map<String, String> newNames)
    {
        if (newNames.entrySet().stream().allMatch(name -> name.getKey().equals(name.getValue()))) {
            return options;
        }
        return options.entrySet().stream()
                .collect(toImmutableMap(option -> renameInKey(option.getKey(), newNames), option -> renameInValue(option.getKey(), option.getValue(), newNames)));
    }

    /**
     * The key of an option that names the column, in its key or in its value; empty if none does.
     */
    static Optional<String> find(Map<String, String> options, String column)
    {
        Map<String, String> renamed = rename(options, ImmutableMap.of(column, column + "\0"));
        return options.keySet().stream()
                .filter(key -> !options.get(key).equals(renamed.get(key)))
                .sorted()
                .findFirst();
    }

    private static String renameInKey(String key, Map<String, String> newNames)
    {
        return FieldOptionKey.parse(key)
                .map(fieldKey -> CoreOptions.FIELDS_PREFIX + JOINER.join(rename(fieldKey.columns(), newNames)) + "." + fieldKey.suffix())
                .orElse(key);
    }

    private static String renameInValue(String key, String value, Map<String, String> newNames)
    {
        boolean sequenceGroup = FieldOptionKey.parse(key).filter(fieldKey -> fieldKey.suffix().equals(SEQUENCE_GROUP)).isPresent();
        if (sequenceGroup || COLUMN_LISTS.contains(key) || INDEXED_COLUMNS.matcher(key).matches()) {
            List<String> columns = SPLITTER.splitToList(value);
            List<String> renamed = rename(columns, newNames);
            // a text that names none of them stays as it was written
            return renamed.equals(columns) ? value : JOINER.join(renamed);
        }
        return value;
    }

    private static List<String> rename(List<String> columns, Map<String, String> newNames)
    {
        return columns.stream()
                .map(column -> {
                    Matcher matcher = COLUMN_AND_KEY.matcher(column);
                    if (!newNames.containsKey(column) && matcher.matches() && matcher.group(2) != null) {
                        return newNames.getOrDefault(matcher.group(1), matcher.group(1)) + matcher.group(2);
                    }
                    return newNames.getOrDefault(column, column);
                })
                .collect(toImmutableList());
    }
}
