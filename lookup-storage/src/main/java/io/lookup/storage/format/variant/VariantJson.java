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
package io.lookup.storage.format.variant;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.airlift.slice.DynamicSliceOutput;
import io.airlift.slice.Slice;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Locale;
import java.util.UUID;

import static com.google.common.base.Preconditions.checkArgument;
import static io.lookup.storage.format.variant.VariantMetadata.unsigned;
import static java.lang.Math.multiplyExact;

/**
 * Values in the binary encoding of variants as JSON (Parquet format, Variant Binary Encoding). What JSON has no type for becomes what Paimon makes of it: numbers that are none,
 * dates, times, UUIDs and bytes (in base 64) become texts, instants in UTC. Names of an object are in order. Not thread-safe.
 */
public final class VariantJson
{
    /** Paimon's bound of one value, of what is read here and of what is made of it: names are there once, and may be used often. */
    private static final int MAX_BYTES = 128 << 20;
    private static final int MAX_DEPTH = 500;
    private static final int MAX_SCALE = 38;

    private static final JsonFactory JSON = JsonFactory.builder().enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8).build();

    private static final DateTimeFormatter LOCAL_TIMES = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE)
            .appendLiteral(' ')
            .append(DateTimeFormatter.ISO_LOCAL_TIME)
            .toFormatter(Locale.ENGLISH);

    private final DynamicSliceOutput output = new DynamicSliceOutput(1 << 10);

    private VariantMetadata metadata;
    private Slice value;
    private JsonGenerator generator;
    // bytes of the value that no part was found in yet: parts do not overlap
    private int unseen;

    /**
     * @return valid until the next call
     * @throws RuntimeException if the value is damaged
     */
    public Slice toJson(Slice metadata, Slice value)
    {
        checkArgument(value.length() <= MAX_BYTES, "a VARIANT has %s bytes, more than %s", value.length(), MAX_BYTES);
        this.metadata = new VariantMetadata(metadata);
        this.value = value;
        this.unseen = value.length();
        output.reset();
        try (JsonGenerator jsonGenerator = JSON.createGenerator((OutputStream) output)) {
            generator = jsonGenerator;
            write(0, 0);
        }
        catch (IOException e) {
            throw new UncheckedIOException("a VARIANT is no JSON: " + e.getMessage(), e);
        }
        return output.slice();
    }

    private void write(int position, int depth)
            throws IOException
    {
        checkArgument(depth <= MAX_DEPTH, "a VARIANT is nested more than %s levels deep", MAX_DEPTH);
        checkArgument(output.size() <= MAX_BYTES, "a VARIANT is more than %s bytes as JSON", MAX_BYTES);
        int header = value.getUnsignedByte(position);
        see(1);
        int typeBits = header >>> 2;
        switch (header & 0b11) {
            case 0 -> writePrimitive(typeBits, position + 1);
            case 1 -> writeText(position + 1, typeBits);
            case 2 -> writeObject(position + 1, (typeBits & 0b1_00_00) != 0 ? 4 : 1, ((typeBits >>> 2) & 0b11) + 1, (typeBits & 0b11) + 1, depth);
            default -> writeArray(position + 1, (typeBits & 0b1_00) != 0 ? 4 : 1, (typeBits & 0b11) + 1, depth);
        }
    }

    private void see(int bytes)
    {
        checkArgument(bytes >= 0, "a VARIANT has a part of %s bytes", bytes);
        unseen -= bytes;
        checkArgument(unseen >= 0, "a VARIANT is cut off, or parts of it overlap");
    }

    private void writeObject(int position, int countBytes, int idBytes, int offsetBytes, int depth)
            throws IOException
    {
        int count = unsigned(value, position, countBytes);
        see(multiplyExact(count, idBytes + offsetBytes));
        int ids = position + countBytes;
        int offsets = ids + count * idBytes;
        int values = offsets + (count + 1) * offsetBytes;
        ObjectField[] fields = new ObjectField[count];
        boolean ordered = true;
        for (int index = 0; index < count; index++) {
            fields[index] = new ObjectField(metadata.name(unsigned(value, ids + index * idBytes, idBytes)), values + unsigned(value, offsets + index * offsetBytes, offsetBytes));
            ordered &= index == 0 || fields[index - 1].name.compareTo(fields[index].name) < 0;
        }
        if (!ordered) {
            Arrays.sort(fields, Comparator.comparing(ObjectField::name));
            for (int index = 1; index < count; index++) {
                checkArgument(!fields[index - 1].name.equals(fields[index].name), "an object in a VARIANT has a name twice");
            }
        }
        generator.writeStartObject();
        for (ObjectField field : fields) {
            generator.writeFieldName(field.name.toStringUtf8());
            write(field.position, depth + 1);
        }
        generator.writeEndObject();
    }

    private record ObjectField(Slice name, int position) {}

    private void writeArray(int position, int countBytes, int offsetBytes, int depth)
            throws IOException
    {
        int count = unsigned(value, position, countBytes);
        see(multiplyExact(count, offsetBytes));
        int offsets = position + countBytes;
        int values = offsets + (count + 1) * offsetBytes;
        generator.writeStartArray();
        for (int index = 0; index < count; index++) {
            write(values + unsigned(value, offsets + index * offsetBytes, offsetBytes), depth + 1);
        }
        generator.writeEndArray();
    }

    private void writeText(int position, int length)
            throws IOException
    {
        see(length);
        generator.writeString(value.slice(position, length).toStringUtf8());
    }

    private void writePrimitive(int type, int position)
            throws IOException
    {
        switch (type) {
            case 0 -> generator.writeNull();
            case 1 -> generator.writeBoolean(true);
            case 2 -> generator.writeBoolean(false);
            case 3 -> generator.writeNumber(value.getByte(position));
            case 4 -> generator.writeNumber(value.getShort(position));
            case 5 -> generator.writeNumber(value.getInt(position));
            case 6 -> generator.writeNumber(value.getLong(position));
            case 7 -> writeNumber(Double.toString(value.getDouble(position)), Double.isFinite(value.getDouble(position)));
            case 8 -> writeDecimal(position, Integer.BYTES);
            case 9 -> writeDecimal(position, Long.BYTES);
            case 10 -> writeDecimal(position, 2 * Long.BYTES);
            case 11 -> generator.writeString(LocalDate.ofEpochDay(value.getInt(position)).toString());
            case 12 -> writeTimestamp(position, ChronoUnit.MICROS, "+00:00");
            case 13 -> writeTimestamp(position, ChronoUnit.MICROS, "");
            case 14 -> writeNumber(Float.toString(value.getFloat(position)), Float.isFinite(value.getFloat(position)));
            case 15 -> {
                int length = value.getInt(position);
                see(length);
                generator.writeBinary(value.getBytes(position + Integer.BYTES, length));
            }
            case 16 -> writeText(position + Integer.BYTES, value.getInt(position));
            case 17 -> generator.writeString(DateTimeFormatter.ISO_LOCAL_TIME.format(LocalTime.ofNanoOfDay(multiplyExact(value.getLong(position), 1_000L))));
            case 18 -> writeTimestamp(position, ChronoUnit.NANOS, "+00:00");
            case 19 -> writeTimestamp(position, ChronoUnit.NANOS, "");
            // big-endian, unlike all else
            case 20 -> generator.writeString(new UUID(Long.reverseBytes(value.getLong(position)), Long.reverseBytes(value.getLong(position + Long.BYTES))).toString());
            default -> throw new IllegalArgumentException("a VARIANT has a value of type %s, which is not known".formatted(type));
        }
    }

    private void writeNumber(String text, boolean finite)
            throws IOException
    {
        if (finite) {
            generator.writeNumber(text);
        }
        else {
            generator.writeString(text);
        }
    }

    private void writeDecimal(int position, int bytes)
            throws IOException
    {
        int scale = value.getUnsignedByte(position);
        checkArgument(scale <= MAX_SCALE, "a VARIANT has a decimal of scale %s", scale);
        byte[] unscaled = value.getBytes(position + 1, bytes);
        for (int low = 0, high = bytes - 1; low < high; low++, high--) {
            byte swapped = unscaled[low];
            unscaled[low] = unscaled[high];
            unscaled[high] = swapped;
        }
        generator.writeNumber(new BigDecimal(new BigInteger(unscaled), scale).stripTrailingZeros().toPlainString());
    }

    private void writeTimestamp(int position, ChronoUnit unit, String zone)
            throws IOException
    {
        generator.writeString(LOCAL_TIMES.format(Instant.EPOCH.plus(value.getLong(position), unit).atOffset(ZoneOffset.UTC)) + zone);
    }
}
