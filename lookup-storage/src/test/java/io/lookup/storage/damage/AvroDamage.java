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
package io.lookup.storage.damage;

import com.github.luben.zstd.Zstd;
import org.apache.avro.file.DataFileConstants;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Damages an Avro file within its frames: its schema and what else stands at its beginning, how many records a block claims to have, which blocks there are,
 * and what is in a block, which is packed again so that the damage reaches whoever decodes the records.
 */
final class AvroDamage
{
    private static final long[] COUNTS = {0, 1, -1, 1000, Integer.MAX_VALUE, Integer.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE};
    private static final String[] CODECS = {"null", "deflate", "snappy", "zstandard", "bzip2", "xz", ""};
    private static final int MAX_BLOCK_BYTES = 1 << 20;
    // more than a reader is willing to unpack
    private static final int BOMB_BYTES = 80 << 20;

    private final Random random;

    AvroDamage(Random random)
    {
        this.random = random;
    }

    private record Block(long count, byte[] content) {}

    private record Container(Map<String, byte[]> header, byte[] marker, List<Block> blocks)
    {
        String codec()
        {
            byte[] codec = header.get(DataFileConstants.CODEC);
            return codec == null ? DataFileConstants.NULL_CODEC : new String(codec, UTF_8);
        }
    }

    byte[] apply(byte[] content)
    {
        try {
            Container container = read(content);
            switch (random.nextInt(8)) {
                case 0 -> damageHeader(container);
                case 1, 2 -> damageBlocks(container);
                default -> damageContent(container);
            }
            return write(container);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void damageHeader(Container container)
    {
        Map<String, byte[]> header = container.header();
        switch (random.nextInt(4)) {
            case 0 -> header.remove(random.nextBoolean() ? DataFileConstants.SCHEMA : DataFileConstants.CODEC);
            case 1 -> header.put(DataFileConstants.CODEC, CODECS[random.nextInt(CODECS.length)].getBytes(UTF_8));
            default -> {
                byte[] schema = header.get(DataFileConstants.SCHEMA);
                header.put(DataFileConstants.SCHEMA, new JsonDamage(random).apply(schema).orElse(schema));
            }
        }
    }

    private void damageBlocks(Container container)
    {
        List<Block> blocks = container.blocks();
        if (blocks.isEmpty()) {
            blocks.add(new Block(COUNTS[random.nextInt(COUNTS.length)], new byte[random.nextInt(10)]));
            return;
        }
        int index = random.nextInt(blocks.size());
        Block block = blocks.get(index);
        switch (random.nextInt(20)) {
            case 0, 1, 2 -> blocks.remove(index);
            case 3, 4, 5 -> blocks.add(index, block);
            case 6 -> blocks.add(0, new Block(0, new byte[0]));
            case 7 -> blocks.set(index, new Block(1 << 20, pack(container.codec(), new byte[container.codec().equals(DataFileConstants.NULL_CODEC) ? 1 << 20 : BOMB_BYTES])));
            case 8, 9, 10, 11 -> blocks.set(index, new Block(block.count() + random.nextInt(5) - 2, block.content()));
            default -> blocks.set(index, new Block(COUNTS[random.nextInt(COUNTS.length)], block.content()));
        }
    }

    private void damageContent(Container container)
    {
        if (container.blocks().isEmpty()) {
            damageHeader(container);
            return;
        }
        int index = random.nextInt(container.blocks().size());
        Block block = container.blocks().get(index);
        byte[] damaged = new Damage(random).apply(unpack(container.codec(), block.content()), false, random.nextInt(3) > 0);
        container.blocks().set(index, new Block(block.count(), pack(container.codec(), damaged)));
    }

    private static byte[] unpack(String codec, byte[] content)
    {
        return codec.equals(DataFileConstants.ZSTANDARD_CODEC) ? Zstd.decompress(content, MAX_BLOCK_BYTES) : content;
    }

    private static byte[] pack(String codec, byte[] content)
    {
        return codec.equals(DataFileConstants.ZSTANDARD_CODEC) ? Zstd.compress(content) : content;
    }

    private static Container read(byte[] content)
            throws IOException
    {
        BinaryDecoder decoder = DecoderFactory.get().binaryDecoder(content, DataFileConstants.MAGIC.length, content.length - DataFileConstants.MAGIC.length, null);
        Map<String, byte[]> header = new LinkedHashMap<>();
        for (long count = decoder.readMapStart(); count > 0; count = decoder.mapNext()) {
            for (long entry = 0; entry < count; entry++) {
                header.put(decoder.readString(), bytes(decoder));
            }
        }
        byte[] marker = new byte[DataFileConstants.SYNC_SIZE];
        decoder.readFixed(marker);
        List<Block> blocks = new ArrayList<>();
        while (!decoder.isEnd()) {
            long count = decoder.readLong();
            blocks.add(new Block(count, bytes(decoder)));
            decoder.skipFixed(DataFileConstants.SYNC_SIZE);
        }
        return new Container(header, marker, blocks);
    }

    private static byte[] bytes(BinaryDecoder decoder)
            throws IOException
    {
        ByteBuffer buffer = decoder.readBytes(null);
        return Arrays.copyOfRange(buffer.array(), buffer.position(), buffer.limit());
    }

    private static byte[] write(Container container)
            throws IOException
    {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        output.writeBytes(DataFileConstants.MAGIC);
        BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(output, null);
        encoder.writeMapStart();
        encoder.setItemCount(container.header().size());
        for (Map.Entry<String, byte[]> entry : container.header().entrySet()) {
            encoder.startItem();
            encoder.writeString(entry.getKey());
            encoder.writeBytes(entry.getValue());
        }
        encoder.writeMapEnd();
        encoder.writeFixed(container.marker());
        for (Block block : container.blocks()) {
            encoder.writeLong(block.count());
            encoder.writeBytes(block.content());
            encoder.writeFixed(container.marker());
        }
        return output.toByteArray();
    }
}
