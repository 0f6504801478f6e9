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
package io.lookup.storage.format;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BinaryRowText;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TypeRoot;

import java.util.List;
import java.util.Map;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * The directory names of partitions. A name is only ever computed from the partition's row and never parsed to
 * learn the partition, but it has to be the same in every program that shares the table. Thread-safe.
 */
public final class PartitionPaths
{
    public static final String DEFAULT_NAME_OPTION = "partition.default-name";
    public static final String LEGACY_NAME_OPTION = "partition.legacy-name";

    private static final String STANDARD_DEFAULT_NAME = "__DEFAULT_PARTITION__";
    private static final String ESCAPED_CHARACTERS = "\"#%'*/:=?\\{}[]^\u007F";

    private final List<DataField> fields;
    private final boolean legacyNames;
    private final String defaultName;
    private final BinaryRowText text;

    /**
     * @param legacyNames whether values are named as the format keeps them, and not cast to strings as in SQL
     * @param defaultName stands for null and for values of blanks only
     */
    public PartitionPaths(List<DataField> fields, boolean legacyNames, String defaultName)
    {
        this.fields = ImmutableList.copyOf(fields);
        this.legacyNames = legacyNames;
        this.defaultName = requireNonNull(defaultName, "defaultName is null");
        this.text = new BinaryRowText(fields.stream().map(DataField::type).collect(toImmutableList()));
    }

    public static PartitionPaths of(TableSchema schema)
    {
        Map<String, String> options = schema.options();
        return new PartitionPaths(
                schema.partitionFields(),
                Boolean.parseBoolean(options.getOrDefault(LEGACY_NAME_OPTION, "true").trim()),
                options.getOrDefault(DEFAULT_NAME_OPTION, STANDARD_DEFAULT_NAME));
    }

    /**
     * {@code k1=v1/k2=v2/}, escaped; empty if there are no partition columns.
     *
     * @throws StorageException UNSUPPORTED_TYPE for a binary column under legacy names, which has no stable name
     */
    public String directory(BinaryRow partition)
    {
        StringBuilder path = new StringBuilder();
        values(partition).forEach((name, value) -> path.append(escape(name)).append('=').append(escape(value)).append('/'));
        return path.toString();
    }

    /**
     * Values by column, in column order, as in directory names but not escaped.
     */
    public Map<String, String> values(BinaryRow partition)
    {
        ImmutableMap.Builder<String, String> values = ImmutableMap.builder();
        for (int field = 0; field < fields.size(); field++) {
            String value = legacyNames ? legacyName(partition, field) : text.cast(partition, field);
            values.put(fields.get(field).name(), value == null || isBlank(value) ? defaultName : value);
        }
        return values.buildOrThrow();
    }

    /**
     * {@code k1=v1/k2=v2} with values cast to strings, not escaped: partitions in the system table of partitions.
     */
    public String display(BinaryRow partition)
    {
        StringBuilder display = new StringBuilder();
        for (int field = 0; field < fields.size(); field++) {
            String value = text.cast(partition, field);
            display.append(field == 0 ? "" : "/").append(fields.get(field).name()).append('=').append(value == null ? defaultName : value);
        }
        return display.toString();
    }

    /**
     * {@code {v1, v2}} with values cast to strings: partitions in the other system tables.
     */
    public String braces(BinaryRow partition)
    {
        return text.braces(partition);
    }

    private String legacyName(BinaryRow partition, int field)
    {
        DataType type = fields.get(field).type();
        if ((type.root() == TypeRoot.BINARY || type.root() == TypeRoot.VARBINARY) && !partition.isNull(field)) {
            throw new StorageException(StorageErrorCode.UNSUPPORTED_TYPE, format(
                    "Partition column %s is of type %s, whose values have no directory names while option %s is true; set it to false when creating the table",
                    fields.get(field).name(),
                    type.root(),
                    LEGACY_NAME_OPTION));
        }
        return text.plain(partition, field);
    }

    private static boolean isBlank(String value)
    {
        return value.chars().allMatch(Character::isWhitespace);
    }

    /**
     * Writes control characters and those that paths or the format give a meaning as a percent sign and two
     * hexadecimal digits.
     */
    public static String escape(String name)
    {
        StringBuilder escaped = new StringBuilder(name.length() + 8);
        for (int index = 0; index < name.length(); index++) {
            char character = name.charAt(index);
            if (character < ' ' || ESCAPED_CHARACTERS.indexOf(character) >= 0) {
                escaped.append(format("%%%02X", (int) character));
            }
            else {
                escaped.append(character);
            }
        }
        return escaped.toString();
    }

    public static String unescape(String name)
    {
        StringBuilder unescaped = new StringBuilder(name.length());
        for (int index = 0; index < name.length(); index++) {
            char character = name.charAt(index);
            if (character == '%' && index + 2 < name.length()) {
                int high = Character.digit(name.charAt(index + 1), 16);
                int low = Character.digit(name.charAt(index + 2), 16);
                if (high >= 0 && low >= 0) {
                    unescaped.append((char) (high * 16 + low));
                    index += 2;
                    continue;
                }
            }
            unescaped.append(character);
        }
        return unescaped.toString();
    }
}
