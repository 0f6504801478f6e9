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
package io.lookup.trino.state;

import com.google.common.base.Splitter;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.SchemaJson;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TypeJson;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.airlift.slice.Slices.utf8Slice;
import static io.trino.spi.type.Timestamps.MICROSECONDS_PER_MILLISECOND;

/**
 * Rows of {@code "t$schemas"}, {@code "t$options"} and {@code "t$aggregation_fields"}.
 */
final class SchemaRows
{
    private static final Splitter PARTS = Splitter.on('.');
    private static final String FIELDS = "fields";

    private SchemaRows() {}

    /**
     * @return the native value of a column of {@code "t$schemas"}, or null
     */
    static Object value(TableSchema schema, String column)
    {
        return switch (column) {
            case "schema_id" -> schema.id();
            case "fields" -> utf8Slice(SchemaJson.compact(schema, "fields"));
            case "partition_keys" -> utf8Slice(SchemaJson.compact(schema, "partitionKeys"));
            case "primary_keys" -> utf8Slice(SchemaJson.compact(schema, "primaryKeys"));
            case "options" -> utf8Slice(SchemaJson.compact(schema, "options"));
            case "comment" -> text(schema.comment());
            case "update_time" -> schema.timeMillis() * MICROSECONDS_PER_MILLISECOND;
            default -> throw new IllegalArgumentException("Unknown column " + column);
        };
    }

    /**
     * @return the native value of a column of {@code "t$options"}
     */
    static Object optionValue(Map.Entry<String, String> option, String column)
    {
        return switch (column) {
            case "key" -> utf8Slice(option.getKey());
            case "value" -> utf8Slice(option.getValue());
            default -> throw new IllegalArgumentException("Unknown column " + column);
        };
    }

    /**
     * @return the native value of a column of {@code "t$aggregation_fields"}, or null
     */
    static Object fieldValue(TableSchema schema, DataField field, String column)
    {
        return switch (column) {
            case "field_name" -> utf8Slice(field.name());
            case "field_type" -> utf8Slice(TypeJson.format(field.type()));
            case "function" -> utf8Slice(fieldOptions(schema, field).stream().map(schema.options()::get).toList().toString());
            case "function_options" -> utf8Slice(fieldOptions(schema, field).toString());
            case "comment" -> text(field.description());
            default -> throw new IllegalArgumentException("Unknown column " + column);
        };
    }

    /**
     * Keys of the options that are of the field alone.
     */
    private static List<String> fieldOptions(TableSchema schema, DataField field)
    {
        return schema.options().keySet().stream()
                .filter(key -> {
                    List<String> parts = PARTS.splitToList(key);
                    return parts.size() > 2 && parts.getFirst().equals(FIELDS) && parts.get(1).equals(field.name());
                })
                .sorted()
                .collect(toImmutableList());
    }

    private static Object text(Optional<String> value)
    {
        return value.map(text -> (Object) utf8Slice(text)).orElse(null);
    }
}
