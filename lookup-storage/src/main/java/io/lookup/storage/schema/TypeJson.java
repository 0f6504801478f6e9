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

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableList;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.DataType.MapType;
import io.lookup.storage.schema.DataType.MultisetType;
import io.lookup.storage.schema.DataType.RowType;
import io.lookup.storage.schema.DataType.ScalarType;

import java.io.IOException;
import java.util.Optional;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.stream.Collectors.joining;

/**
 * Types as they stand in schema files: scalar types as text, all others as objects.
 */
public final class TypeJson
{
    private static final String NOT_NULL = " NOT NULL";

    private TypeJson() {}

    /**
     * @throws IllegalArgumentException if the node is not a type
     * @throws StorageException UNSUPPORTED_TYPE for a type of the format that is not supported here
     */
    public static DataType read(JsonNode node)
    {
        if (node == null) {
            throw new IllegalArgumentException("A type is missing");
        }
        if (node.isTextual()) {
            return TypeParser.parse(node.asText());
        }
        if (!node.isObject() || !node.path("type").isTextual()) {
            throw new IllegalArgumentException("Not a type: " + node);
        }
        String name = node.get("type").asText();
        boolean nullable = !name.contains("NOT NULL");
        // a type's name is known by how it begins, since its nullability follows
        if (name.startsWith("ARRAY")) {
            return new ArrayType(read(node.get("element")), nullable);
        }
        if (name.startsWith("MULTISET")) {
            return new MultisetType(read(node.get("element")), nullable);
        }
        if (name.startsWith("MAP")) {
            return new MapType(read(node.get("key")), read(node.get("value")), nullable);
        }
        if (name.startsWith("ROW")) {
            ImmutableList.Builder<DataField> fields = ImmutableList.builder();
            for (JsonNode field : array(node, "fields")) {
                fields.add(readField(field));
            }
            RowType row = new RowType(fields.build(), nullable);
            // no statement makes such a one, and the engine has no values of it
            checkArgument(!row.fields().isEmpty(), "A row has no fields: %s", node);
            return row;
        }
        if (name.startsWith("VECTOR")) {
            throw new StorageException(StorageErrorCode.UNSUPPORTED_TYPE, "Type VECTOR is not supported");
        }
        throw new IllegalArgumentException("Unknown type '%s'".formatted(name));
    }

    /**
     * @throws IllegalArgumentException if the node is not a field
     * @throws StorageException UNSUPPORTED_TYPE naming the column
     */
    public static DataField readField(JsonNode node)
    {
        JsonNode id = node.path("id");
        JsonNode name = node.path("name");
        if (!id.canConvertToInt() || !id.isIntegralNumber() || !name.isTextual()) {
            throw new IllegalArgumentException("Not a field with id and name: " + node);
        }
        DataType type;
        try {
            type = read(node.get("type"));
        }
        catch (StorageException e) {
            throw new StorageException(e.errorCode(), "Column '%s': %s".formatted(name.asText(), e.getMessage()), e);
        }
        catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("Field '%s': %s".formatted(name.asText(), e.getMessage()), e);
        }
        return new DataField(id.intValue(), name.asText(), type, optionalText(node, "description"), optionalText(node, "defaultValue"));
    }

    public static void write(JsonGenerator generator, DataType type)
            throws IOException
    {
        switch (type) {
            case ScalarType scalar -> generator.writeString(format(scalar));
            case ArrayType array -> {
                writeStart(generator, type);
                generator.writeFieldName("element");
                write(generator, array.element());
                generator.writeEndObject();
            }
            case MultisetType multiset -> {
                writeStart(generator, type);
                generator.writeFieldName("element");
                write(generator, multiset.element());
                generator.writeEndObject();
            }
            case MapType map -> {
                writeStart(generator, type);
                generator.writeFieldName("key");
                write(generator, map.key());
                generator.writeFieldName("value");
                write(generator, map.value());
                generator.writeEndObject();
            }
            case RowType row -> {
                writeStart(generator, type);
                generator.writeArrayFieldStart("fields");
                for (DataField field : row.fields()) {
                    writeField(generator, field);
                }
                generator.writeEndArray();
                generator.writeEndObject();
            }
        }
    }

    public static void writeField(JsonGenerator generator, DataField field)
            throws IOException
    {
        generator.writeStartObject();
        generator.writeNumberField("id", field.id());
        generator.writeStringField("name", field.name());
        generator.writeFieldName("type");
        write(generator, field.type());
        if (field.description().isPresent()) {
            generator.writeStringField("description", field.description().get());
        }
        if (field.defaultValue().isPresent()) {
            generator.writeStringField("defaultValue", field.defaultValue().get());
        }
        generator.writeEndObject();
    }

    /**
     * The type as SQL text, for people; equal to the file's form for scalar types.
     */
    public static String format(DataType type)
    {
        String name = switch (type) {
            case ScalarType scalar -> scalarName(scalar);
            case ArrayType array -> "ARRAY<%s>".formatted(format(array.element()));
            case MultisetType multiset -> "MULTISET<%s>".formatted(format(multiset.element()));
            case MapType map -> "MAP<%s, %s>".formatted(format(map.key()), format(map.value()));
            case RowType row -> row.fields().stream()
                    .map(field -> "`%s` %s".formatted(field.name(), format(field.type())))
                    .collect(joining(", ", "ROW<", ">"));
        };
        return type.nullable() ? name : name + NOT_NULL;
    }

    private static String scalarName(ScalarType type)
    {
        return switch (type.root()) {
            case VARCHAR -> type.precision() == DataType.UNBOUNDED_LENGTH ? "STRING" : "VARCHAR(%s)".formatted(type.precision());
            case VARBINARY -> type.precision() == DataType.UNBOUNDED_LENGTH ? "BYTES" : "VARBINARY(%s)".formatted(type.precision());
            case CHAR, BINARY, TIME, TIMESTAMP -> "%s(%s)".formatted(type.root(), type.precision());
            case DECIMAL -> "DECIMAL(%s, %s)".formatted(type.precision(), type.scale());
            case INTEGER -> "INT";
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> "TIMESTAMP(%s) WITH LOCAL TIME ZONE".formatted(type.precision());
            case BOOLEAN, TINYINT, SMALLINT, BIGINT, FLOAT, DOUBLE, DATE, VARIANT -> type.root().name();
            case ARRAY, MAP, MULTISET, ROW -> throw new IllegalArgumentException("Not a scalar type: " + type.root());
        };
    }

    private static void writeStart(JsonGenerator generator, DataType type)
            throws IOException
    {
        generator.writeStartObject();
        generator.writeStringField("type", type.nullable() ? type.root().name() : type.root().name() + NOT_NULL);
    }

    private static JsonNode array(JsonNode node, String member)
    {
        JsonNode array = node.path(member);
        if (!array.isArray()) {
            throw new IllegalArgumentException("Member '%s' is not an array".formatted(member));
        }
        return array;
    }

    private static Optional<String> optionalText(JsonNode node, String member)
    {
        JsonNode text = node.get(member);
        return text == null || text.isNull() ? Optional.empty() : Optional.of(text.asText());
    }
}
