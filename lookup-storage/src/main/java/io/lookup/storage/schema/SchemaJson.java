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

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.JsonFiles;
import org.apache.hadoop.fs.Path;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * Schema files as Paimon writes them, member for member. Unknown members are ignored.
 */
public final class SchemaJson
{
    private static final int VERSION_WITH_ONE_BUCKET = 1;
    private static final int VERSION_WITH_ORC = 2;

    private SchemaJson() {}

    public static byte[] write(TableSchema schema)
    {
        return JsonFiles.write(generator -> {
            generator.writeStartObject();
            generator.writeNumberField("version", schema.version());
            generator.writeNumberField("id", schema.id());
            generator.writeArrayFieldStart("fields");
            for (DataField field : schema.fields()) {
                TypeJson.writeField(generator, field);
            }
            generator.writeEndArray();
            generator.writeNumberField("highestFieldId", schema.highestFieldId());
            generator.writeArrayFieldStart("partitionKeys");
            for (String key : schema.partitionKeys()) {
                generator.writeString(key);
            }
            generator.writeEndArray();
            generator.writeArrayFieldStart("primaryKeys");
            for (String key : schema.primaryKeys()) {
                generator.writeString(key);
            }
            generator.writeEndArray();
            generator.writeObjectFieldStart("options");
            for (Map.Entry<String, String> option : schema.options().entrySet()) {
                generator.writeStringField(option.getKey(), option.getValue());
            }
            generator.writeEndObject();
            if (schema.comment().isPresent()) {
                generator.writeStringField("comment", schema.comment().get());
            }
            generator.writeNumberField("timeMillis", schema.timeMillis());
            generator.writeEndObject();
        });
    }

    /**
     * One member of a schema file on one line, such as {@code fields}.
     */
    public static String compact(TableSchema schema, String member)
    {
        JsonNode node = JsonFiles.readObject(new Path("schema-" + schema.id()), write(schema)).get(member);
        checkArgument(node != null, "no member %s", member);
        return node.toString();
    }

    /**
     * @throws StorageException CORRUPT_FILE naming the file; UNSUPPORTED_TYPE naming the column
     */
    public static TableSchema read(Path file, byte[] content)
    {
        JsonNode node = JsonFiles.readObject(file, content);
        // the first version did not write its number
        int version = JsonFiles.optionalInt(file, node, "version", VERSION_WITH_ONE_BUCKET);
        Map<String, String> options = readOptions(file, node);
        if (version <= VERSION_WITH_ONE_BUCKET) {
            options.putIfAbsent("bucket", "1");
        }
        if (version <= VERSION_WITH_ORC) {
            options.putIfAbsent("file.format", "orc");
        }
        List<DataField> fields = readFields(file, node);
        TableSchema schema = new TableSchema(
                version,
                JsonFiles.requiredLong(file, node, "id"),
                fields,
                JsonFiles.requiredInt(file, node, "highestFieldId"),
                readKeys(file, node, "partitionKeys", fields),
                readKeys(file, node, "primaryKeys", fields),
                options,
                JsonFiles.optionalText(file, node, "comment"),
                JsonFiles.optionalLong(file, node, "timeMillis").orElse(0));
        if (!schema.primaryKeys().isEmpty() && schema.trimmedPrimaryKeys().isEmpty()) {
            throw JsonFiles.corrupt(file, "the primary key %s has no column besides the partition columns %s".formatted(schema.primaryKeys(), schema.partitionKeys()));
        }
        return schema;
    }

    private static List<DataField> readFields(Path file, JsonNode node)
    {
        ImmutableList.Builder<DataField> fields = ImmutableList.builder();
        for (JsonNode field : requiredArray(file, node, "fields")) {
            try {
                DataField read = TypeJson.readField(field);
                if (TypeDepth.of(read.type()) > TypeDepth.MAX) {
                    throw new StorageException(StorageErrorCode.UNSUPPORTED_TYPE, "Column '%s' nests types %s deep; the most is %s".formatted(read.name(), TypeDepth.of(read.type()), TypeDepth.MAX));
                }
                fields.add(read);
            }
            catch (StorageException e) {
                throw new StorageException(e.errorCode(), "%s (file %s)".formatted(e.getMessage(), file), e);
            }
            catch (IllegalArgumentException e) {
                throw JsonFiles.corrupt(file, e.getMessage());
            }
        }
        List<DataField> result = fields.build();
        checkUnique(file, result.stream().map(DataField::name).collect(toImmutableList()), "name");
        checkUnique(file, result.stream().map(DataField::id).collect(toImmutableList()), "id");
        return result;
    }

    private static void checkUnique(Path file, List<?> values, String role)
    {
        Set<Object> seen = new HashSet<>();
        for (Object value : values) {
            if (!seen.add(value)) {
                throw JsonFiles.corrupt(file, "two columns have the %s '%s'".formatted(role, value));
            }
        }
    }

    private static List<String> readKeys(Path file, JsonNode node, String member, List<DataField> fields)
    {
        List<String> keys = readNames(file, node, member);
        checkUnique(file, keys, "place in %s:".formatted(member));
        for (String key : keys) {
            if (fields.stream().noneMatch(field -> field.name().equals(key))) {
                throw JsonFiles.corrupt(file, "member '%s' names the column '%s', which is none of the table's".formatted(member, key));
            }
        }
        return keys;
    }

    private static List<String> readNames(Path file, JsonNode node, String member)
    {
        ImmutableList.Builder<String> names = ImmutableList.builder();
        for (JsonNode name : requiredArray(file, node, member)) {
            names.add(JsonFiles.text(file, name, member));
        }
        return names.build();
    }

    private static Map<String, String> readOptions(Path file, JsonNode node)
    {
        JsonNode object = JsonFiles.required(file, node, "options");
        if (!object.isObject()) {
            throw JsonFiles.corrupt(file, "member 'options' is not an object");
        }
        Map<String, String> options = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> option : object.properties()) {
            options.put(option.getKey(), JsonFiles.text(file, option.getValue(), "options." + option.getKey()));
        }
        return options;
    }

    private static JsonNode requiredArray(Path file, JsonNode node, String member)
    {
        JsonNode array = JsonFiles.required(file, node, member);
        if (!array.isArray()) {
            throw JsonFiles.corrupt(file, "member '%s' is not an array".formatted(member));
        }
        return array;
    }
}
