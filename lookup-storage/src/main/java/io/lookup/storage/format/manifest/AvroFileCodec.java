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
import io.airlift.slice.Slice;
import io.lookup.storage.format.row.BinaryRow;
import org.apache.avro.Schema;
import org.apache.avro.io.Encoder;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

import static com.google.common.base.Preconditions.checkArgument;

/**
 * One kind of manifest file: how its records become objects and the other way round.
 */
abstract class AvroFileCodec<T>
{
    private static final int VALUE_BRANCH = 1;
    private static final int MAX_ARITY = 1 << 20;

    abstract Schema schema();

    /**
     * The only {@code _VERSION} that is understood, and the one written.
     */
    abstract int version();

    /**
     * @param values one value a field of the schema, null where the file has none
     */
    abstract T decode(Object[] values);

    abstract void encode(T object, Encoder encoder)
            throws IOException;

    @SuppressWarnings("unchecked")
    static <V> V required(Object[] values, int field, Schema schema)
    {
        Object value = values[field];
        checkArgument(value != null, "Field %s is missing", schema.getFields().get(field).name());
        return (V) value;
    }

    static BinaryRow row(byte[] stored)
    {
        checkArgument(stored.length >= Integer.BYTES, "A row of %s bytes", stored.length);
        BinaryRow row = BinaryRow.fromBytesWithArity(stored);
        checkArgument(row.arity() >= 0 && row.arity() <= MAX_ARITY && row.bytes().length() >= row.fixedSize(), "A row of %s fields in %s bytes", row.arity(), row.bytes().length());
        return row;
    }

    static SimpleStats stats(Object[] values)
    {
        checkArgument(values[0] != null && values[1] != null, "Statistics without bounds");
        BinaryRow minValues = row((byte[]) values[0]);
        List<?> nullCounts = values[2] == null ? ImmutableList.of() : (List<?>) values[2];
        List<Optional<Long>> counts = new ArrayList<>(nullCounts.size());
        for (Object count : nullCounts) {
            counts.add(Optional.ofNullable((Long) count));
        }
        return new SimpleStats(minValues, row((byte[]) values[1]), counts);
    }

    static OptionalInt optionalInt(Object value)
    {
        return value == null ? OptionalInt.empty() : OptionalInt.of((int) value);
    }

    static OptionalLong optionalLong(Object value)
    {
        return value == null ? OptionalLong.empty() : OptionalLong.of((long) value);
    }

    @SuppressWarnings("unchecked")
    static List<String> strings(Object value)
    {
        return (List<String>) value;
    }

    static <E extends Enum<E>> E constant(E[] constants, int stored)
    {
        checkArgument(stored >= 0 && stored < constants.length, "Unknown %s: %s", constants[0].getDeclaringClass().getSimpleName(), stored);
        return constants[stored];
    }

    static void writeRow(BinaryRow row, Encoder encoder)
            throws IOException
    {
        encoder.writeBytes(row.toBytesWithArity());
    }

    static void writeStats(SimpleStats stats, Encoder encoder)
            throws IOException
    {
        writeRow(stats.minValues(), encoder);
        writeRow(stats.maxValues(), encoder);
        encoder.writeIndex(VALUE_BRANCH);
        encoder.writeArrayStart();
        encoder.setItemCount(stats.nullCounts().size());
        for (Optional<Long> count : stats.nullCounts()) {
            encoder.startItem();
            writeLong(count.map(OptionalLong::of).orElseGet(OptionalLong::empty), encoder);
        }
        encoder.writeArrayEnd();
    }

    static void writeInt(OptionalInt value, Encoder encoder)
            throws IOException
    {
        if (writeBranch(value.isPresent(), encoder)) {
            encoder.writeInt(value.getAsInt());
        }
    }

    static void writeLong(OptionalLong value, Encoder encoder)
            throws IOException
    {
        if (writeBranch(value.isPresent(), encoder)) {
            encoder.writeLong(value.getAsLong());
        }
    }

    static void writeString(Optional<String> value, Encoder encoder)
            throws IOException
    {
        if (writeBranch(value.isPresent(), encoder)) {
            encoder.writeString(value.get());
        }
    }

    static void writeBytes(Optional<Slice> value, Encoder encoder)
            throws IOException
    {
        if (writeBranch(value.isPresent(), encoder)) {
            encoder.writeBytes(value.get().getBytes());
        }
    }

    static void writeStrings(Optional<List<String>> values, Encoder encoder)
            throws IOException
    {
        if (writeBranch(values.isPresent(), encoder)) {
            writeStrings(values.get(), encoder);
        }
    }

    static void writeStrings(List<String> values, Encoder encoder)
            throws IOException
    {
        encoder.writeArrayStart();
        encoder.setItemCount(values.size());
        for (String value : values) {
            encoder.startItem();
            encoder.writeString(value);
        }
        encoder.writeArrayEnd();
    }

    static boolean writeBranch(boolean present, Encoder encoder)
            throws IOException
    {
        if (present) {
            encoder.writeIndex(VALUE_BRANCH);
            return true;
        }
        encoder.writeIndex(0);
        encoder.writeNull();
        return false;
    }
}
