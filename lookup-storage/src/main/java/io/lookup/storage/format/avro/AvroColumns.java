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
import io.lookup.storage.format.column.ColumnPlan.FileField;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.DataType.MapType;
import io.lookup.storage.schema.DataType.MultisetType;
import io.lookup.storage.schema.DataType.RowType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.block.ArrayBlockBuilder;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.MapBlockBuilder;
import io.trino.spi.block.RowBlockBuilder;
import io.trino.spi.block.VariableWidthBlockBuilder;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;
import org.apache.avro.LogicalType;
import org.apache.avro.Schema;

import java.io.IOException;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.LongTimestampWithTimeZone.fromEpochMillisAndFraction;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static io.trino.spi.type.Timestamps.MICROSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_MICROSECOND;
import static java.lang.Double.longBitsToDouble;
import static java.lang.Math.floorDiv;
import static java.lang.Math.floorMod;

/**
 * Decodes records into columns. Paimon's mapping of types: a value that may be null is a union whose first branch is null; a map whose keys are no
 * strings, and a multiset of such elements, is an array of records of key and value.
 */
final class AvroColumns
{
    private static final int MAX_DEPTH = 64;
    private static final long PICOSECONDS_PER_MILLISECOND = 1_000_000_000;
    private static final ScalarType COUNT = new ScalarType(TypeRoot.INTEGER, 0, 0, false);
    private static final ScalarType STRING = new ScalarType(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH, 0, false);

    private final List<Type> types;
    // of each field of the file
    private final List<FieldReader> readers;

    private AvroColumns(List<Type> types, List<FieldReader> readers)
    {
        this.types = ImmutableList.copyOf(types);
        this.readers = ImmutableList.copyOf(readers);
    }

    /**
     * @param written the file's record
     * @param fields those that are wanted, by channel
     * @throws IOException if a field is not kept as its type is
     */
    static AvroColumns create(Schema written, List<FileField> fields)
            throws IOException
    {
        return new AvroColumns(fields.stream().map(FileField::readType).toList(), fieldReaders(written, fields, 0));
    }

    /**
     * Of each field of a record, those that are not wanted too.
     *
     * @param wanted by channel, each once
     */
    private static List<FieldReader> fieldReaders(Schema written, List<FileField> wanted, int depth)
            throws IOException
    {
        Map<String, Integer> channels = new HashMap<>();
        for (int channel = 0; channel < wanted.size(); channel++) {
            channels.put(wanted.get(channel).name(), channel);
        }
        ImmutableList.Builder<FieldReader> readers = ImmutableList.builder();
        for (Schema.Field stored : written.getFields()) {
            Integer channel = channels.remove(stored.name());
            if (channel == null) {
                readers.add((input, _) -> AvroRecordReader.skip(stored.schema(), input, 0));
                continue;
            }
            FileField field = wanted.get(channel);
            ValueReader value = value(stored.schema(), field.type(), field.readType(), depth + 1);
            readers.add((input, builders) -> value.read(input, builders.get(channel)));
        }
        if (!channels.isEmpty()) {
            throw new IOException("a record has no fields %s".formatted(channels.keySet()));
        }
        return readers.build();
    }

    List<BlockBuilder> newBuilders()
    {
        return types.stream().map(type -> type.createBlockBuilder(null, 64)).toList();
    }

    /**
     * Appends the next record.
     */
    void read(AvroInput input, List<BlockBuilder> builders)
            throws IOException
    {
        for (FieldReader reader : readers) {
            reader.read(input, builders);
        }
    }

    private interface FieldReader
    {
        void read(AvroInput input, List<BlockBuilder> builders)
                throws IOException;
    }

    private interface ValueReader
    {
        void read(AvroInput input, BlockBuilder builder)
                throws IOException;
    }

    private static ValueReader value(Schema written, DataType type, Type readType, int depth)
            throws IOException
    {
        if (depth > MAX_DEPTH) {
            throw new IOException("values are nested more than %s deep".formatted(MAX_DEPTH));
        }
        if (written.getType() == Schema.Type.UNION) {
            ImmutableList.Builder<ValueReader> branches = ImmutableList.builder();
            for (Schema branch : written.getTypes()) {
                branches.add(branch.getType() == Schema.Type.NULL ? (_, builder) -> builder.appendNull() : value(branch, type, readType, depth + 1));
            }
            List<ValueReader> readers = branches.build();
            return (input, builder) -> readers.get(AvroRecordReader.branch(input, written)).read(input, builder);
        }
        return switch (type) {
            case ScalarType scalar -> scalar(written, scalar, readType);
            case ArrayType array -> array(written, array, (io.trino.spi.type.ArrayType) readType, depth);
            case MapType map -> map(written, map.key(), map.value(), (io.trino.spi.type.MapType) readType, depth);
            case MultisetType multiset -> map(written, multiset.element(), COUNT, (io.trino.spi.type.MapType) readType, depth);
            case RowType row -> row(written, row, (io.trino.spi.type.RowType) readType, depth);
        };
    }

    private static ValueReader scalar(Schema written, ScalarType type, Type readType)
            throws IOException
    {
        return switch (type.root()) {
            case BOOLEAN -> {
                check(written, type, Schema.Type.BOOLEAN);
                yield (input, builder) -> readType.writeBoolean(builder, input.readBoolean());
            }
            case TINYINT, SMALLINT, INTEGER, DATE -> {
                check(written, type, Schema.Type.INT);
                yield (input, builder) -> readType.writeLong(builder, input.readInt());
            }
            case TIME -> {
                check(written, type, Schema.Type.INT);
                yield (input, builder) -> readType.writeLong(builder, input.readInt() * PICOSECONDS_PER_MILLISECOND);
            }
            case BIGINT -> {
                check(written, type, Schema.Type.LONG);
                yield (input, builder) -> readType.writeLong(builder, input.readLong());
            }
            case FLOAT -> {
                check(written, type, Schema.Type.FLOAT);
                yield (input, builder) -> readType.writeLong(builder, input.readFloatBits());
            }
            case DOUBLE -> {
                check(written, type, Schema.Type.DOUBLE);
                yield (input, builder) -> readType.writeDouble(builder, longBitsToDouble(input.readDoubleBits()));
            }
            case CHAR, VARCHAR -> {
                check(written, type, Schema.Type.STRING);
                yield AvroColumns::readSlice;
            }
            case BINARY, VARBINARY -> {
                check(written, type, Schema.Type.BYTES);
                yield AvroColumns::readSlice;
            }
            case DECIMAL -> {
                check(written, type, Schema.Type.BYTES);
                DecimalType decimal = (DecimalType) readType;
                yield (input, builder) -> writeDecimal(decimal, input.readBytes(), builder);
            }
            case TIMESTAMP -> {
                check(written, type, Schema.Type.LONG);
                boolean micros = isMicros(written, type);
                // the format has microseconds at most
                yield (input, builder) -> readType.writeLong(builder, micros ? input.readLong() : Math.multiplyExact(input.readLong(), MICROSECONDS_PER_MILLISECOND));
            }
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> {
                check(written, type, Schema.Type.LONG);
                boolean micros = isMicros(written, type);
                TimestampWithTimeZoneType instant = (TimestampWithTimeZoneType) readType;
                yield (input, builder) -> writeInstant(instant, micros, input.readLong(), builder);
            }
            case VARIANT, ARRAY, MAP, MULTISET, ROW -> throw mismatch(written, type);
        };
    }

    private static void readSlice(AvroInput input, BlockBuilder builder)
            throws IOException
    {
        int start = input.skipBytes();
        ((VariableWidthBlockBuilder) builder).writeEntry(input.bytes(), start, input.position() - start);
    }

    private static void writeDecimal(DecimalType type, byte[] unscaled, BlockBuilder builder)
            throws IOException
    {
        if (unscaled.length == 0 || unscaled.length > 2 * Long.BYTES + 1) {
            throw new IOException("a decimal of %s bytes".formatted(unscaled.length));
        }
        BigInteger value = new BigInteger(unscaled);
        if (type.isShort()) {
            type.writeLong(builder, value.longValueExact());
        }
        else {
            type.writeObject(builder, Int128.valueOf(value));
        }
    }

    private static void writeInstant(TimestampWithTimeZoneType type, boolean micros, long value, BlockBuilder builder)
    {
        long millis = micros ? floorDiv(value, MICROSECONDS_PER_MILLISECOND) : value;
        if (type.isShort()) {
            type.writeLong(builder, packDateTimeWithZone(millis, UTC_KEY));
            return;
        }
        int picos = micros ? (int) floorMod(value, MICROSECONDS_PER_MILLISECOND) * PICOSECONDS_PER_MICROSECOND : 0;
        type.writeObject(builder, fromEpochMillisAndFraction(millis, picos, UTC_KEY));
    }

    /**
     * Values that were written with another number of digits keep their unit.
     */
    private static boolean isMicros(Schema written, ScalarType type)
    {
        LogicalType logical = written.getLogicalType();
        return logical == null ? type.precision() > 3 : logical.getName().endsWith("micros");
    }

    private static ValueReader array(Schema written, ArrayType type, io.trino.spi.type.ArrayType readType, int depth)
            throws IOException
    {
        check(written, type, Schema.Type.ARRAY);
        ValueReader element = value(written.getElementType(), type.element(), readType.getElementType(), depth + 1);
        return (input, builder) -> ((ArrayBlockBuilder) builder).buildEntry(elements -> {
            for (long count = input.readElementCount(); count > 0; count = input.readElementCount()) {
                for (long index = 0; index < count; index++) {
                    element.read(input, elements);
                }
            }
        });
    }

    private static ValueReader map(Schema written, DataType keyType, DataType valueType, io.trino.spi.type.MapType readType, int depth)
            throws IOException
    {
        ValueReader key;
        ValueReader value;
        if (written.getType() == Schema.Type.MAP) {
            key = scalar(Schema.create(Schema.Type.STRING), STRING, readType.getKeyType());
            value = value(written.getValueType(), valueType, readType.getValueType(), depth + 1);
        }
        else {
            Schema entry = written.getType() == Schema.Type.ARRAY ? written.getElementType() : written;
            if (entry.getType() != Schema.Type.RECORD || entry.getFields().size() != 2) {
                throw mismatch(written, new MapType(keyType, valueType, true));
            }
            key = value(entry.getFields().get(0).schema(), keyType, readType.getKeyType(), depth + 1);
            value = value(entry.getFields().get(1).schema(), valueType, readType.getValueType(), depth + 1);
        }
        return (input, builder) -> ((MapBlockBuilder) builder).buildEntry((keys, values) -> {
            for (long count = input.readElementCount(); count > 0; count = input.readElementCount()) {
                for (long index = 0; index < count; index++) {
                    key.read(input, keys);
                    value.read(input, values);
                }
            }
        });
    }

    private static ValueReader row(Schema written, RowType type, io.trino.spi.type.RowType readType, int depth)
            throws IOException
    {
        check(written, type, Schema.Type.RECORD);
        ImmutableList.Builder<FileField> wanted = ImmutableList.builder();
        for (io.trino.spi.type.RowType.Field field : readType.getFields()) {
            String name = field.getName().orElseThrow();
            DataField stored = type.fields().stream().filter(candidate -> candidate.name().equals(name)).findFirst().orElseThrow(() -> mismatch(written, type));
            wanted.add(new FileField(name, stored.type(), field.getType(), Optional.empty()));
        }
        List<FieldReader> fields = fieldReaders(written, wanted.build(), depth);
        return (input, builder) -> ((RowBlockBuilder) builder).buildEntry(builders -> {
            for (FieldReader field : fields) {
                field.read(input, builders);
            }
        });
    }

    private static void check(Schema written, DataType type, Schema.Type expected)
            throws IOException
    {
        if (written.getType() != expected) {
            throw mismatch(written, type);
        }
    }

    private static IOException mismatch(Schema written, DataType type)
    {
        return new IOException("a value of type %s is kept as %s".formatted(type.root(), written.getType()));
    }
}
