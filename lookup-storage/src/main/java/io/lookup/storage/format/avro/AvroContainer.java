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

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import org.apache.avro.NameValidator;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileConstants;
import org.xerial.snappy.Snappy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.function.Predicate;
import java.util.zip.CRC32;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;

import static java.lang.String.format;
import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Reads a whole Avro file that may be damaged or made to do harm. What it takes in memory is bounded by its size, whatever it says of itself:
 * its schema is short and flat, a block unpacks to no more than {@link #MAX_RATIO} times what the file has (small files to
 * {@link #FREE_BYTES}), and a block has no more records than bytes. A file that breaks off is an error, also between two blocks
 * whose marker is cut.
 * <p>
 * Compressions: null, deflate, snappy, zstandard, which are those that tables can ask for.
 */
public final class AvroContainer
{
    static final long FREE_BYTES = 64L << 20;
    static final long MAX_RATIO = 32;

    private static final int MAX_SCHEMA_LENGTH = 1 << 20;
    private static final int MAX_SCHEMA_DEPTH = 64;

    private AvroContainer() {}

    public interface RecordConsumer
    {
        void accept(Object[] values)
                throws IOException;
    }

    /**
     * @throws IOException if the bytes are no such file
     */
    public static void read(byte[] content, Schema expected, RecordConsumer consumer)
            throws IOException
    {
        read(content, expected, -1, _ -> true, consumer);
    }

    /**
     * Passes on the records that are wanted.
     *
     * @param askBefore the field before which it is decided, by the values of those that come first
     * @throws IOException if the bytes are no such file
     */
    public static void read(byte[] content, Schema expected, int askBefore, Predicate<Object[]> wanted, RecordConsumer consumer)
            throws IOException
    {
        Header header = header(content, content.length);
        AvroInput input = new AvroInput(content, header.end(), content.length - header.end());
        AvroRecordReader reader = new AvroRecordReader(header.schema(), expected);
        int marker = header.end() - DataFileConstants.SYNC_SIZE;

        long unpacked = 0;
        long limit = FREE_BYTES + MAX_RATIO * content.length;
        while (input.remaining() > 0) {
            long count = input.readLong();
            int size = input.readInt();
            int start = input.position();
            input.skip(size);
            byte[] block = unpack(header.codec(), content, start, size, (int) Math.min(Integer.MAX_VALUE - 64, limit - unpacked));
            unpacked += block.length;
            AvroInput records = records(block, count);
            for (long index = 0; index < count; index++) {
                Object[] values = reader.read(records, askBefore, wanted);
                if (values != null) {
                    consumer.accept(values);
                }
            }
            checkEnd(records);
            int end = input.position();
            input.skip(DataFileConstants.SYNC_SIZE);
            checkMarker(content, end, content, marker);
        }
    }

    /**
     * What stands before the first block.
     *
     * @param end where the first block begins; the bytes before it are the marker
     */
    record Header(Schema schema, String codec, int end) {}

    /**
     * @param length bytes of the file that are there
     * @throws EOFException if the header is longer
     */
    static Header header(byte[] content, int length)
            throws IOException
    {
        byte[] magic = DataFileConstants.MAGIC;
        if (length < magic.length || !Arrays.equals(content, 0, magic.length, magic, 0, magic.length)) {
            throw new IOException(length < magic.length ? "it is truncated" : "it is not an Avro file");
        }
        AvroInput input = new AvroInput(content, magic.length, length - magic.length);
        String schema = null;
        String codec = DataFileConstants.NULL_CODEC;
        for (long count = input.readElementCount(); count > 0; count = input.readElementCount()) {
            for (long index = 0; index < count; index++) {
                String key = input.readString();
                int start = input.skipBytes();
                switch (key) {
                    case DataFileConstants.SCHEMA -> schema = new String(content, start, input.position() - start, UTF_8);
                    case DataFileConstants.CODEC -> codec = new String(content, start, input.position() - start, UTF_8);
                    default -> {
                        // what writers add for themselves
                    }
                }
            }
        }
        input.skip(DataFileConstants.SYNC_SIZE);
        return new Header(parse(schema), codec, input.position());
    }

    /**
     * The records of an unpacked block.
     */
    static AvroInput records(byte[] block, long count)
            throws IOException
    {
        if (count < 0 || count > block.length) {
            throw new IOException(format("a block of %s bytes has %s records", block.length, count));
        }
        return new AvroInput(block, 0, block.length);
    }

    static void checkEnd(AvroInput records)
            throws IOException
    {
        if (records.remaining() > 0) {
            throw new IOException(format("%s bytes follow the last record of a block", records.remaining()));
        }
    }

    static void checkMarker(byte[] content, int start, byte[] header, int marker)
            throws IOException
    {
        if (!Arrays.equals(content, start, start + DataFileConstants.SYNC_SIZE, header, marker, marker + DataFileConstants.SYNC_SIZE)) {
            throw new IOException("the marker behind a block is wrong");
        }
    }

    private static Schema parse(String schema)
            throws IOException
    {
        if (schema == null) {
            throw new IOException("it has no schema");
        }
        if (schema.length() > MAX_SCHEMA_LENGTH || depth(schema) > MAX_SCHEMA_DEPTH) {
            throw new IOException(format("its schema is too large: %s characters, %s levels", schema.length(), depth(schema)));
        }
        return new Schema.Parser(NameValidator.NO_VALIDATION).setValidateDefaults(false).parse(schema);
    }

    private static int depth(String json)
    {
        int depth = 0;
        int most = 0;
        for (int index = 0; index < json.length(); index++) {
            char character = json.charAt(index);
            if (character == '{' || character == '[') {
                depth++;
                most = Math.max(most, depth);
            }
            else if (character == '}' || character == ']') {
                depth--;
            }
        }
        return most;
    }

    static byte[] unpack(String codec, byte[] content, int start, int length, int limit)
            throws IOException
    {
        return switch (codec) {
            case DataFileConstants.NULL_CODEC -> Arrays.copyOfRange(content, start, start + length);
            case DataFileConstants.DEFLATE_CODEC -> {
                Inflater inflater = new Inflater(true);
                try (InputStream input = new InflaterInputStream(new ByteArrayInputStream(content, start, length), inflater)) {
                    yield readAll(input, limit);
                }
                finally {
                    inflater.end();
                }
            }
            case DataFileConstants.ZSTANDARD_CODEC -> {
                try (InputStream input = new ZstdInputStreamNoFinalizer(new ByteArrayInputStream(content, start, length))) {
                    yield readAll(input, limit);
                }
            }
            case DataFileConstants.SNAPPY_CODEC -> unpackSnappy(content, start, length, limit);
            default -> throw new IOException(format("its compression '%s' is not supported; null, deflate, snappy and zstandard are", codec));
        };
    }

    private static byte[] readAll(InputStream input, int limit)
            throws IOException
    {
        byte[] bytes = input.readNBytes(limit + 1);
        if (bytes.length > limit) {
            throw tooLarge(limit);
        }
        return bytes;
    }

    /**
     * Four bytes of checksum follow the compressed ones.
     */
    private static byte[] unpackSnappy(byte[] content, int start, int length, int limit)
            throws IOException
    {
        int compressed = length - Integer.BYTES;
        if (compressed < 0) {
            throw new IOException("a block has no checksum");
        }
        int size = Snappy.uncompressedLength(content, start, compressed);
        if (size < 0 || size > limit) {
            throw tooLarge(limit);
        }
        byte[] bytes = new byte[size];
        Snappy.uncompress(content, start, compressed, bytes, 0);
        CRC32 crc = new CRC32();
        crc.update(bytes);
        int stored = 0;
        for (int index = 0; index < Integer.BYTES; index++) {
            stored = stored << Byte.SIZE | content[start + compressed + index] & 0xFF;
        }
        if ((int) crc.getValue() != stored) {
            throw new IOException("the checksum of a block is wrong");
        }
        return bytes;
    }

    private static IOException tooLarge(int limit)
    {
        return new IOException(format("a block unpacks to more than %s bytes, which no writer's does", limit));
    }
}
