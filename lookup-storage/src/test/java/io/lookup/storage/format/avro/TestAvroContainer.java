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

import com.github.luben.zstd.Zstd;
import com.google.common.collect.ImmutableList;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.file.DataFileConstants;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xerial.snappy.Snappy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Avro files that somebody made to do harm, and those that are merely broken.
 */
final class TestAvroContainer
{
    private static final Schema EXPECTED = SchemaBuilder.record("r").fields().requiredInt("a").requiredString("b").endRecord();
    private static final String WRITTEN = "{\"type\": \"record\", \"name\": \"r\", \"fields\": [{\"name\": \"a\", \"type\": \"int\"}, {\"name\": \"b\", \"type\": \"string\"}%s]}";
    private static final int HUGE = 80 << 20;

    private interface Block
    {
        void write(BinaryEncoder encoder)
                throws IOException;
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "deflate", "zstandard", "snappy"})
    void testCodecs(String codec)
            throws Exception
    {
        byte[] file = container(WRITTEN.formatted(""), codec, 2, encoded(encoder -> {
            encoder.writeInt(1);
            encoder.writeString("one");
            encoder.writeInt(-2);
            encoder.writeString("");
        }));
        assertThat(read(file)).containsExactly("[1, one]", "[-2, ]");
        // an end at any byte, and a damaged marker, are noticed
        for (int length = 0; length < file.length; length++) {
            byte[] cut = Arrays.copyOf(file, length);
            if (length != headerLength(WRITTEN.formatted(""), codec)) {
                assertThatThrownBy(() -> read(cut)).as("%s bytes", length).isInstanceOf(IOException.class);
            }
        }
        file[file.length - 1] ^= 1;
        assertThatThrownBy(() -> read(file)).isInstanceOf(IOException.class).hasMessageContaining("marker");
    }

    @Test
    void testUnknownCodec()
    {
        assertThatThrownBy(() -> read(container(WRITTEN.formatted(""), "bzip2", 1, new byte[10]))).hasMessageContaining("bzip2");
    }

    @ParameterizedTest
    // of snappy's none packs so tight
    @ValueSource(strings = {"deflate", "zstandard"})
    void testBomb(String codec)
    {
        byte[] bomb = container(WRITTEN.formatted(""), codec, 1, new byte[HUGE]);
        assertThat(bomb.length).isLessThan(HUGE / 16);
        assertThatThrownBy(() -> read(bomb)).isInstanceOf(IOException.class).hasMessageContaining("unpacks to more than");
    }

    @Test
    void testForgedSnappySize()
            throws Exception
    {
        byte[] file = container(WRITTEN.formatted(""), "snappy", 1, new byte[100]);
        byte[] forged = file.clone();
        int start = headerLength(WRITTEN.formatted(""), "snappy") + 2;
        // 2 GB in the five bytes of a variable-length number
        Arrays.fill(forged, start, start + 4, (byte) 0xFF);
        forged[start + 4] = 7;
        assertThatThrownBy(() -> read(forged)).isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @CsvSource({"1099511627776", "9223372036854775807", "-9223372036854775808", "-4611686018427387904"})
    void testElementsWithoutBytes(long count)
            throws Exception
    {
        for (String type : ImmutableList.of("{\"type\": \"array\", \"items\": \"null\"}", "{\"type\": \"map\", \"values\": \"null\"}", "{\"type\": \"array\", \"items\": {\"type\": \"record\", \"name\": \"n\", \"fields\": []}}")) {
            byte[] file = container(WRITTEN.formatted(", {\"name\": \"c\", \"type\": %s}".formatted(type)), "null", 1, encoded(encoder -> {
                encoder.writeInt(1);
                encoder.writeString("");
                encoder.writeLong(count);
                if (count < 0) {
                    encoder.writeLong(0);
                }
                encoder.writeLong(0);
            }));
            assertThatThrownBy(() -> read(file)).isInstanceOf(IOException.class).hasMessageContaining("more elements than bytes");
        }
    }

    @Test
    void testRecordsWithoutBytes()
    {
        String schema = "{\"type\": \"record\", \"name\": \"r\", \"fields\": []}";
        assertThatThrownBy(() -> read(container(schema, "null", Long.MAX_VALUE, new byte[0]))).isInstanceOf(IOException.class).hasMessageContaining("records");
        assertThatThrownBy(() -> read(container(schema, "null", -1, new byte[0]))).isInstanceOf(IOException.class).hasMessageContaining("records");
    }

    @Test
    void testEndlessNesting()
            throws Exception
    {
        byte[] recursive = container(WRITTEN.formatted(", {\"name\": \"c\", \"type\": \"r\"}"), "null", 1, new byte[10_000]);
        assertThatThrownBy(() -> read(recursive)).isInstanceOf(IOException.class).hasMessageContaining("nested");
        String deep = "{\"type\": \"array\", \"items\": ".repeat(100_000) + "\"null\"" + "}".repeat(100_000);
        assertThatThrownBy(() -> read(container(deep, "null", 0, new byte[0]))).isInstanceOf(IOException.class).hasMessageContaining("too large");
    }

    @Test
    void testLengths()
    {
        for (long length : new long[] {-1, 1 << 20, Integer.MAX_VALUE, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> read(container(WRITTEN.formatted(""), "null", 1, encoded(encoder -> {
                encoder.writeInt(1);
                encoder.writeLong(length);
            })))).isInstanceOf(IOException.class);
        }
        assertThatThrownBy(() -> read(container("\"int\"", "null", 1, new byte[] {2}))).isInstanceOfAny(IOException.class, AvroRuntimeException.class);
    }

    private static List<String> read(byte[] file)
            throws IOException
    {
        List<String> records = new ArrayList<>();
        AvroContainer.read(file, EXPECTED, values -> records.add(Arrays.toString(values)));
        return records;
    }

    private static byte[] encoded(Block block)
            throws IOException
    {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
        block.write(encoder);
        encoder.flush();
        return bytes.toByteArray();
    }

    private static int headerLength(String schema, String codec)
            throws IOException
    {
        return encoded(encoder -> writeHeader(encoder, schema, codec)).length;
    }

    private static void writeHeader(BinaryEncoder encoder, String schema, String codec)
            throws IOException
    {
        encoder.writeFixed(DataFileConstants.MAGIC);
        encoder.writeMapStart();
        encoder.setItemCount(2);
        encoder.startItem();
        encoder.writeString(DataFileConstants.SCHEMA);
        encoder.writeBytes(schema.getBytes(UTF_8));
        encoder.startItem();
        encoder.writeString(DataFileConstants.CODEC);
        encoder.writeBytes(codec.getBytes(UTF_8));
        encoder.writeMapEnd();
        encoder.writeFixed(new byte[DataFileConstants.SYNC_SIZE]);
    }

    private static byte[] container(String schema, String codec, long count, byte[] block)
    {
        try {
            return encoded(encoder -> {
                writeHeader(encoder, schema, codec);
                encoder.writeLong(count);
                encoder.writeBytes(packed(codec, block));
                encoder.writeFixed(new byte[DataFileConstants.SYNC_SIZE]);
            });
        }
        catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] packed(String codec, byte[] block)
            throws IOException
    {
        return switch (codec) {
            case "deflate" -> {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                try (DeflaterOutputStream output = new DeflaterOutputStream(bytes, new Deflater(6, true))) {
                    output.write(block);
                }
                yield bytes.toByteArray();
            }
            case "zstandard" -> Zstd.compress(block);
            case "snappy" -> {
                byte[] compressed = Snappy.compress(block);
                CRC32 crc = new CRC32();
                crc.update(block);
                byte[] bytes = Arrays.copyOf(compressed, compressed.length + Integer.BYTES);
                for (int index = 0; index < Integer.BYTES; index++) {
                    bytes[compressed.length + index] = (byte) (crc.getValue() >>> 8 * (3 - index));
                }
                yield bytes;
            }
            default -> block;
        };
    }
}
