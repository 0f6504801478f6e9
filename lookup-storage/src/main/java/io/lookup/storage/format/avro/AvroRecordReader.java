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
package io.lookup.storage.format.avro;

import com.google.common.collect.ImmutableList;
import org.apache.avro.AvroTypeException;
import org.apache.avro.Schema;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Reads records whatever schema they were written with, into one value for each field that is expected: matched
 * by name, null where the writer had no such field, unknown fields skipped. Record names play no part, unlike in
 * Avro's own schema resolution.
 * <p>
 * Values are Integer, Long, String, byte[], List and, for nested records, Object[].
 */
final class AvroRecordReader
{
    private static final int MAX_DEPTH = 64;

    private final ValueReader reader;

    AvroRecordReader(Schema written, Schema expected)
    {
        reader = valueReader(written, expected);
    }

    /**
     * @param field where the reader stops to ask for the record: before this field, if the others come first
     * @param wanted is asked with the values that were read so far, and null for the others
     * @return null for a record that is not wanted
     */
    Object[] read(AvroInput input, int field, Predicate<Object[]> wanted)
            throws IOException
    {
        if (reader instanceof RecordValueReader records) {
            return records.read(input, field, wanted);
        }
        if (!(reader.read(input) instanceof Object[] values)) {
            throw new IOException("a record is missing");
        }
        return values;
    }

    private interface ValueReader
    {
        Object read(AvroInput input)
                throws IOException;
    }

    /**
     * @param targets of each written field: the field that is expected, -1 for none
     */
    private record RecordValueReader(Schema written, List<ValueReader> readers, int[] targets, int fieldCount)
            implements ValueReader
    {
        @Override
        public Object[] read(AvroInput input)
                throws IOException
        {
            return read(input, -1, _ -> true);
        }

        Object[] read(AvroInput input, int askBefore, Predicate<Object[]> wanted)
                throws IOException
        {
            Object[] values = new Object[fieldCount];
            for (int field = 0; field < targets.length; field++) {
                if (targets[field] == askBefore && askBefore >= 0 && !wanted.test(values)) {
                    for (Schema.Field rest : written.getFields().subList(field, targets.length)) {
                        skip(rest.schema(), input, 0);
                    }
                    return null;
                }
                Object value = readers.get(field).read(input);
                if (targets[field] >= 0) {
                    values[targets[field]] = value;
                }
            }
            return values;
        }
    }

    private static ValueReader valueReader(Schema written, Schema expectedOrUnion)
    {
        Schema expected = withoutNull(expectedOrUnion);
        return switch (written.getType()) {
            case UNION -> {
                List<ValueReader> branches = new ArrayList<>();
                for (Schema branch : written.getTypes()) {
                    branches.add(valueReader(branch, expected));
                }
                yield input -> branches.get(branch(input, written)).read(input);
            }
            case NULL -> _ -> null;
            case INT -> switch (expected.getType()) {
                case INT -> AvroInput::readInt;
                case LONG -> AvroInput::readLong;
                default -> throw mismatch(written, expected);
            };
            case LONG -> switch (expected.getType()) {
                case INT -> AvroInput::readInt;
                case LONG -> AvroInput::readLong;
                default -> throw mismatch(written, expected);
            };
            case STRING -> {
                check(written, expected, Schema.Type.STRING);
                yield AvroInput::readString;
            }
            case BYTES -> {
                check(written, expected, Schema.Type.BYTES);
                yield AvroInput::readBytes;
            }
            case ARRAY -> {
                check(written, expected, Schema.Type.ARRAY);
                yield arrayReader(valueReader(written.getElementType(), expected.getElementType()));
            }
            case RECORD -> {
                check(written, expected, Schema.Type.RECORD);
                yield recordReader(written, expected);
            }
            default -> throw mismatch(written, expected);
        };
    }

    private static ValueReader arrayReader(ValueReader element)
    {
        return input -> {
            List<Object> values = new ArrayList<>();
            for (long count = input.readElementCount(); count > 0; count = input.readElementCount()) {
                for (long index = 0; index < count; index++) {
                    values.add(element.read(input));
                }
            }
            return values;
        };
    }

    private static RecordValueReader recordReader(Schema written, Schema expected)
    {
        int fieldCount = expected.getFields().size();
        List<ValueReader> readers = new ArrayList<>();
        List<Integer> targets = new ArrayList<>();
        for (Schema.Field field : written.getFields()) {
            Schema.Field target = expected.getField(field.name());
            if (target == null) {
                readers.add(input -> {
                    skip(field.schema(), input, 0);
                    return null;
                });
                targets.add(-1);
                continue;
            }
            readers.add(valueReader(field.schema(), target.schema()));
            targets.add(target.pos());
        }
        return new RecordValueReader(written, ImmutableList.copyOf(readers), targets.stream().mapToInt(Integer::intValue).toArray(), fieldCount);
    }

    static int branch(AvroInput input, Schema union)
            throws IOException
    {
        int branch = input.readInt();
        if (branch < 0 || branch >= union.getTypes().size()) {
            throw new IOException("branch %s of a union of %s".formatted(branch, union.getTypes().size()));
        }
        return branch;
    }

    static void skip(Schema schema, AvroInput input, int depth)
            throws IOException
    {
        if (depth > MAX_DEPTH) {
            throw new IOException("values are nested more than %s deep".formatted(MAX_DEPTH));
        }
        switch (schema.getType()) {
            case NULL -> {
                // takes no bytes
            }
            case BOOLEAN -> input.skip(1);
            case INT, LONG, ENUM -> input.readLong();
            case FLOAT -> input.skip(Float.BYTES);
            case DOUBLE -> input.skip(Double.BYTES);
            case FIXED -> input.skip(schema.getFixedSize());
            case STRING, BYTES -> input.skipBytes();
            case UNION -> skip(schema.getTypes().get(branch(input, schema)), input, depth + 1);
            case RECORD -> {
                for (Schema.Field field : schema.getFields()) {
                    skip(field.schema(), input, depth + 1);
                }
            }
            case ARRAY, MAP -> {
                for (long count = input.readElementCount(); count > 0; count = input.readElementCount()) {
                    for (long index = 0; index < count; index++) {
                        if (schema.getType() == Schema.Type.MAP) {
                            input.skipBytes();
                        }
                        skip(schema.getType() == Schema.Type.MAP ? schema.getValueType() : schema.getElementType(), input, depth + 1);
                    }
                }
            }
        }
    }

    private static Schema withoutNull(Schema schema)
    {
        if (schema.getType() != Schema.Type.UNION) {
            return schema;
        }
        return schema.getTypes().stream()
                .filter(branch -> branch.getType() != Schema.Type.NULL)
                .findFirst()
                .orElseThrow();
    }

    private static void check(Schema written, Schema expected, Schema.Type type)
    {
        if (expected.getType() != type) {
            throw mismatch(written, expected);
        }
    }

    private static AvroTypeException mismatch(Schema written, Schema expected)
    {
        return new AvroTypeException("Found " + written.getType() + ", expected " + expected.getType());
    }
}
