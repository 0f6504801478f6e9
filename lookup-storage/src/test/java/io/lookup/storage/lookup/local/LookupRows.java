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
package io.lookup.storage.lookup.local;

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.keyvalue.EncodedKeys;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.SimpleStats;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.lookup.ProbeKeys;
import io.lookup.storage.oracle.CanonicalValues;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.DataType.MapType;
import io.lookup.storage.schema.DataType.RowType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TypeRoot;
import io.lookup.storage.table.BlockValues;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.DictionaryBlock;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Random rows of a data file, and the map that a lookup in it has to agree with.
 */
final class LookupRows
{
    private static final DataType BIGINT = scalar(TypeRoot.BIGINT, 0, 0);
    private static final DataType INTEGER = scalar(TypeRoot.INTEGER, 0, 0);
    private static final DataType VARCHAR = scalar(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH, 0);
    private static final DataType VARBINARY = scalar(TypeRoot.VARBINARY, DataType.UNBOUNDED_LENGTH, 0);
    private static final DataType DECIMAL = scalar(TypeRoot.DECIMAL, 30, 5);
    private static final DataType TIMESTAMP = scalar(TypeRoot.TIMESTAMP, 9, 0);
    private static final DataType BOOLEAN = scalar(TypeRoot.BOOLEAN, 0, 0);
    private static final DataType DOUBLE = scalar(TypeRoot.DOUBLE, 0, 0);

    private static final List<List<DataType>> KEYS = ImmutableList.of(
            ImmutableList.of(BIGINT),
            ImmutableList.of(INTEGER),
            ImmutableList.of(VARCHAR),
            ImmutableList.of(VARBINARY),
            ImmutableList.of(DECIMAL),
            ImmutableList.of(TIMESTAMP),
            ImmutableList.of(INTEGER, VARCHAR),
            ImmutableList.of(VARCHAR, BIGINT),
            ImmutableList.of(VARCHAR, VARCHAR, BOOLEAN));

    private static final List<DataType> VALUES = ImmutableList.of(
            BIGINT,
            INTEGER,
            DOUBLE,
            BOOLEAN,
            VARCHAR,
            VARBINARY,
            DECIMAL,
            TIMESTAMP,
            new ArrayType(INTEGER, true),
            new ArrayType(VARCHAR, true),
            new MapType(VARCHAR.withNullable(false), new ArrayType(BIGINT, true), true),
            new RowType(ImmutableList.of(new DataField(100, "a", BIGINT), new DataField(101, "b", new MapType(INTEGER.withNullable(false), VARCHAR, true))), true));

    private final Random random;
    private final KeyValueLayout layout;
    private final KeyEncoder keyEncoder;
    private final List<DataField> channels;
    private final TreeMap<Slice, List<Object>> rows = new TreeMap<>();
    private final Map<Slice, Integer> positions = new HashMap<>();
    private final List<Slice> keys;
    private final Page page;

    LookupRows(Random random, int count)
    {
        this(random, count, KEYS.get(random.nextInt(KEYS.size())), random.ints(random.nextInt(4), 0, VALUES.size()).mapToObj(VALUES::get).toList());
    }

    /**
     * One BIGINT key and one VARCHAR.
     */
    static LookupRows simple(long seed, int count)
    {
        return new LookupRows(new Random(seed), count, ImmutableList.of(BIGINT), ImmutableList.of(VARCHAR));
    }

    private LookupRows(Random random, int count, List<DataType> keyTypes, List<DataType> valueTypes)
    {
        this.random = random;
        List<DataField> columns = new ArrayList<>();
        for (DataType type : valueTypes) {
            columns.add(new DataField(columns.size(), "v" + columns.size(), type));
        }
        // keys need not come first
        List<Integer> keyChannels = new ArrayList<>();
        for (DataType type : keyTypes) {
            keyChannels.add(columns.size());
            columns.add(new DataField(columns.size(), "k" + columns.size(), type.withNullable(false)));
        }
        this.layout = new KeyValueLayout(columns, keyChannels, ImmutableList.of(), false);
        this.keyEncoder = KeyEncoder.forKeys(layout.keyTypes());
        this.channels = ImmutableList.<DataField>builder()
                .addAll(columns)
                .add(new DataField(1000, "sequence", BIGINT.withNullable(false)), new DataField(1001, "kind", scalar(TypeRoot.TINYINT, 0, 0).withNullable(false)))
                .build();
        String commonText = random.nextBoolean() ? "" : text(20);
        while (rows.size() < count) {
            List<List<Object>> drawn = new ArrayList<>();
            for (int row = 0; row < count; row++) {
                drawn.add(channels.stream().map(field -> field.name().startsWith("k") && field.type().root() == TypeRoot.VARCHAR ? commonText + value(field.type()) : value(field.type())).toList());
            }
            EncodedKeys keys = keyEncoder.encode(BlockValues.toPage(channels, drawn), layout.keyChannelArray());
            for (int row = 0; row < count && rows.size() < count; row++) {
                rows.put(keys.key(row).copy(), drawn.get(row));
            }
        }
        this.page = BlockValues.toPage(channels, ImmutableList.copyOf(rows.values()));
        this.keys = ImmutableList.copyOf(rows.keySet());
        for (int row = 0; row < keys.size(); row++) {
            positions.put(keys.get(row), row);
        }
    }

    private static DataType scalar(TypeRoot root, int precision, int scale)
    {
        return new ScalarType(root, precision, scale, true);
    }

    private Object value(DataType type)
    {
        if (type.nullable() && random.nextInt(8) == 0) {
            return null;
        }
        return switch (type) {
            case ArrayType array -> random.ints(random.nextInt(4)).mapToObj(_ -> value(array.element())).toList();
            case MapType map -> {
                Map<Object, Object> values = new LinkedHashMap<>();
                random.ints(random.nextInt(4)).forEach(_ -> values.put(value(map.key()), value(map.value())));
                yield values;
            }
            case RowType row -> row.fields().stream().map(field -> value(field.type())).collect(ArrayList::new, ArrayList::add, ArrayList::addAll);
            case ScalarType scalar -> switch (scalar.root()) {
                case BOOLEAN -> random.nextBoolean();
                case TINYINT -> random.nextInt(4);
                case INTEGER -> random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(-100_000, 100_000);
                case BIGINT -> random.nextInt(3) == 0 ? random.nextLong() : random.nextLong(-1_000_000, 1_000_000);
                case DOUBLE -> random.nextGaussian();
                case VARCHAR -> text(random.nextInt(12));
                case VARBINARY -> {
                    byte[] bytes = new byte[random.nextInt(20)];
                    random.nextBytes(bytes);
                    // zeros are what escaping and padding could confuse
                    if (random.nextBoolean()) {
                        Arrays.fill(bytes, bytes.length / 2, bytes.length, (byte) 0);
                    }
                    yield bytes;
                }
                case DECIMAL -> new BigDecimal(new BigInteger(90, random).subtract(BigInteger.ONE.shiftLeft(89)), scalar.scale());
                case TIMESTAMP -> LocalDateTime.ofEpochSecond(random.nextLong(-10_000_000_000L, 10_000_000_000L), random.nextInt(1_000_000_000), ZoneOffset.UTC);
                default -> throw new IllegalArgumentException(type.toString());
            };
            default -> throw new IllegalArgumentException(type.toString());
        };
    }

    private String text(int length)
    {
        return random.ints(length, 0, 6).mapToObj(index -> new String[] {"a", "b", "\u0000", "é", "😀", "z"}[index]).reduce("", String::concat);
    }

    LookupLayout lookupLayout()
    {
        return LookupLayout.ofRows(layout, keyEncoder);
    }

    LookupLayout keyLayout()
    {
        return LookupLayout.ofKeys(layout, keyEncoder);
    }

    List<DataField> columns()
    {
        return layout.columns();
    }

    List<String> keyNames()
    {
        return layout.keyChannels().stream().map(channel -> layout.columns().get(channel).name()).toList();
    }

    Page page()
    {
        return page;
    }

    int count()
    {
        return rows.size();
    }

    DataFileMeta file(String name)
    {
        return new DataFileMeta(
                name, page.getSizeInBytes(), rows.size(), BinaryRow.EMPTY, BinaryRow.EMPTY, SimpleStats.EMPTY, SimpleStats.EMPTY, 0, 0,
                0, 3, ImmutableList.of(), OptionalLong.of(0), OptionalLong.empty(), Optional.empty(), Optional.empty(),
                Optional.empty(), Optional.empty(), OptionalLong.empty(), Optional.empty());
    }

    LookupFileId id(String name)
    {
        return new LookupFileId("file:/table/bucket-0/" + name, file(name), lookupLayout());
    }

    /**
     * All rows, in pages of random sizes, some of them as dictionaries.
     */
    PageStream open()
    {
        return stream(page, random);
    }

    PageStream openKeys()
    {
        return stream(page.getColumns(layout.keyChannelArray()), random);
    }

    /**
     * All rows, always in the same pages.
     */
    PageStream openRegularly()
    {
        return stream(page, new Random(0));
    }

    private static PageStream stream(Page all, Random random)
    {
        return new PageStream()
        {
            private int offset;

            @Override
            public Page nextPage()
            {
                if (offset == all.getPositionCount()) {
                    return null;
                }
                int count = Math.min(all.getPositionCount() - offset, 1 + random.nextInt(random.nextBoolean() ? 10 : 3_000));
                Page next = all.getRegion(offset, count);
                if (random.nextInt(3) == 0) {
                    int start = offset;
                    int[] ids = IntStream.range(start, start + count).toArray();
                    Block[] blocks = IntStream.range(0, all.getChannelCount())
                            .mapToObj(channel -> DictionaryBlock.create(count, all.getBlock(channel), ids))
                            .toArray(Block[]::new);
                    next = new Page(count, blocks);
                }
                offset += count;
                return next;
            }

            @Override
            public void close() {}
        };
    }

    /**
     * About that many keys in order, half of them of rows.
     */
    ProbeKeys probes(int count)
    {
        TreeMap<Slice, Integer> chosen = new TreeMap<>();
        for (int index = 0; index < count; index++) {
            int row = random.nextInt(keys.size());
            Slice key = keys.get(row);
            if (random.nextBoolean()) {
                key = random.nextBoolean() ? neighbor(key) : random(key.length());
            }
            chosen.put(key, row);
        }
        ProbeKeys probes = new ProbeKeys();
        chosen.forEach((key, row) -> probes.add(0, key, page, row));
        return probes;
    }

    private Slice neighbor(Slice key)
    {
        byte[] bytes = key.getBytes();
        if (random.nextInt(3) == 0 || bytes.length == 0) {
            // ends differ in length alone
            return Slices.wrappedBuffer(Arrays.copyOf(bytes, Math.max(0, bytes.length + random.nextInt(-1, 2))));
        }
        bytes[random.nextInt(bytes.length)] += (byte) random.nextInt(-1, 2);
        return Slices.wrappedBuffer(bytes);
    }

    private Slice random(int length)
    {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return Slices.wrappedBuffer(bytes);
    }

    List<Slice> keys()
    {
        return keys;
    }

    Slice key(int row)
    {
        return keys.get(row);
    }

    boolean contains(Slice key)
    {
        return rows.containsKey(key);
    }

    long position(Slice key)
    {
        return positions.get(key);
    }

    String expected(Slice key)
    {
        return CanonicalValues.canonicalRow(rows.get(key));
    }

    String actual(Page found, int position)
    {
        return CanonicalValues.canonicalRow(BlockValues.toRow(channels, found, position));
    }

    String expectedKey(Slice key)
    {
        return CanonicalValues.canonicalRow(layout.keyChannels().stream().map(rows.get(key)::get).toList());
    }

    String actualKey(Page found, int position)
    {
        return CanonicalValues.canonicalRow(BlockValues.toRow(layout.keyChannels().stream().map(channels::get).toList(), found, position));
    }
}
