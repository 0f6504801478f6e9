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
package io.lookup.storage.format.manifest;

import com.google.common.collect.ImmutableList;
import org.apache.avro.AvroTypeException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.io.DatumReader;
import org.apache.avro.io.Decoder;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads records whatever schema they were written with, into one value for each field that is expected: matched
 * by name, null where the writer had no such field, unknown fields skipped. Record names play no part, unlike in
 * Avro's own schema resolution.
 * <p>
 * Values are Integer, Long, String, byte[], List and, for nested records, Object[].
 */
final class AvroRecordReader
        implements DatumReader<Object[]>
{
    private final Schema expected;
    private ValueReader reader;

    AvroRecordReader(Schema expected)
    {
        this.expected = expected;
    }

    @Override
    public void setSchema(Schema schema)
    {
        reader = valueReader(schema, expected);
    }

    @Override
    public Object[] read(Object[] reuse, Decoder decoder)
            throws IOException
    {
        return (Object[]) reader.read(decoder);
    }

    private interface ValueReader
    {
        Object read(Decoder decoder)
                throws IOException;
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
                yield decoder -> branches.get(decoder.readIndex()).read(decoder);
            }
            case NULL -> decoder -> {
                decoder.readNull();
                return null;
            };
            case INT -> switch (expected.getType()) {
                case INT -> Decoder::readInt;
                case LONG -> decoder -> (long) decoder.readInt();
                default -> throw mismatch(written, expected);
            };
            case LONG -> switch (expected.getType()) {
                case INT -> decoder -> Math.toIntExact(decoder.readLong());
                case LONG -> Decoder::readLong;
                default -> throw mismatch(written, expected);
            };
            case STRING -> {
                check(written, expected, Schema.Type.STRING);
                yield Decoder::readString;
            }
            case BYTES -> {
                check(written, expected, Schema.Type.BYTES);
                yield decoder -> {
                    ByteBuffer buffer = decoder.readBytes(null);
                    byte[] bytes = new byte[buffer.remaining()];
                    buffer.get(bytes);
                    return bytes;
                };
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
        return decoder -> {
            List<Object> values = new ArrayList<>();
            for (long count = decoder.readArrayStart(); count > 0; count = decoder.arrayNext()) {
                for (long index = 0; index < count; index++) {
                    values.add(element.read(decoder));
                }
            }
            return values;
        };
    }

    private static ValueReader recordReader(Schema written, Schema expected)
    {
        int fieldCount = expected.getFields().size();
        List<ValueReader> readers = new ArrayList<>();
        List<Integer> targets = new ArrayList<>();
        for (Schema.Field field : written.getFields()) {
            Schema.Field target = expected.getField(field.name());
            if (target == null) {
                readers.add(decoder -> {
                    GenericDatumReader.skip(field.schema(), decoder);
                    return null;
                });
                targets.add(-1);
                continue;
            }
            readers.add(valueReader(field.schema(), target.schema()));
            targets.add(target.pos());
        }
        List<ValueReader> fieldReaders = ImmutableList.copyOf(readers);
        int[] fieldTargets = targets.stream().mapToInt(Integer::intValue).toArray();
        return decoder -> {
            Object[] values = new Object[fieldCount];
            for (int field = 0; field < fieldTargets.length; field++) {
                Object value = fieldReaders.get(field).read(decoder);
                if (fieldTargets[field] >= 0) {
                    values[fieldTargets[field]] = value;
                }
            }
            return values;
        };
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
