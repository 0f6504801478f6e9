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
package io.lookup.storage.lookup;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.column.ReadRequest;
import io.lookup.storage.format.deletion.DeletionVector;
import io.lookup.storage.format.keyvalue.EncodedKeys;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.format.parquet.DataFileWriterFactory;
import io.lookup.storage.format.parquet.DataFileWriterFactory.RollingWriter;
import io.lookup.storage.format.parquet.FooterCache;
import io.lookup.storage.format.parquet.PointReader;
import io.lookup.storage.format.reader.DataFileReaderFactory;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TypeParser;
import io.trino.spi.Page;
import io.trino.spi.PageBuilder;
import io.trino.spi.block.ArrayBlockBuilder;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.BooleanType;
import io.trino.spi.type.CharType;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.DoubleType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.Type;
import io.trino.spi.type.VarbinaryType;
import io.trino.spi.type.VarcharType;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

import static io.trino.spi.type.TinyintType.TINYINT;
import static io.trino.spi.type.TypeUtils.readNativeValue;
import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every way of looking up keys gives the same rows, whatever types the keys are of and wherever pages and row groups end.
 */
final class TestLookupWays
{
    private static final List<String> KEY_TYPES = ImmutableList.of(
            "BIGINT", "INT", "SMALLINT", "VARCHAR(2147483647)", "VARBINARY(2147483647)", "DECIMAL(10, 2)", "DECIMAL(25, 3)", "DATE", "TIMESTAMP(3)", "TIMESTAMP(6)", "TIMESTAMP(9)", "CHAR(6)", "DOUBLE", "BOOLEAN");
    private static final String LONG_PREFIX = "a prefix that is longer than what column indexes keep of a value, which is 64 bytes ";

    @TempDir
    private java.nio.file.Path directory;

    private final FileIo fileIo = new HadoopFileIo(new Configuration(false));

    @Test
    void testRandomKeys()
            throws IOException
    {
        int filesByPages = 0;
        for (int seed = 1; seed <= Integer.getInteger("lookup.way-files", 60); seed++) {
            Random random = new Random(seed);
            boolean nested = random.nextInt(10) == 0;
            Fixture fixture = new Fixture(random, keyColumns(random), nested);
            filesByPages += fixture.check("seed " + seed);
        }
        assertThat(filesByPages).isPositive();
    }

    @Test
    void testEachKeyType()
            throws IOException
    {
        for (String type : KEY_TYPES) {
            Random random = new Random(type.hashCode());
            assertThat(new Fixture(random, ImmutableList.of(type), false).check(type)).as(type).isPositive();
        }
    }

    @Test
    void testFewPagesAreRead()
            throws IOException
    {
        Fixture fixture = new Fixture(
                ImmutableMap.of("parquet.page.row.count.limit", "100", "file.compression", "none", "parquet.enable.dictionary", "false"),
                new Random(1),
                ImmutableList.of("INT", "BIGINT"),
                false,
                20_000);
        ReadRequest request = fixture.request(fixture.layout.columns());
        DataFileReaderFactory readers = new DataFileReaderFactory(fileIo, new FooterCache(1 << 20));
        // the second time, where pages are is known
        for (int round = 0; round < 2; round++) {
            try (PointReader reader = readers.openPoints(request).orElseThrow()) {
                ProbeKeys probes = fixture.probes(new Random(2), 3);
                LookupHits hits = new LookupHits();
                hits.reset(probes.count());
                new PagedFileLookup(reader, fixture.layout, fixture.keyEncoder, fixture.layout.keyChannelArray(), fixture.file, false).probe(probes, 0, probes.count(), hits);
                if (round == 1) {
                    assertThat(reader.readBytes()).isLessThan(fixture.file.fileSize() / 20);
                }
            }
        }
    }

    private static List<String> keyColumns(Random random)
    {
        List<String> types = new ArrayList<>();
        int count = 1 + random.nextInt(3);
        for (int column = 0; column < count; column++) {
            types.add(KEY_TYPES.get(random.nextInt(KEY_TYPES.size())));
        }
        return types;
    }

    private final class Fixture
    {
        private final TableSchema schema;
        private final KeyValueLayout layout;
        private final KeyEncoder keyEncoder;
        private final List<Type> types;
        private final DataFileMeta file;
        private final DeletionVector deletions;
        private final TreeMap<Slice, Page> keys = new TreeMap<>();

        private Fixture(Random random, List<String> keyTypes, boolean nested)
                throws IOException
        {
            this(
                    ImmutableMap.of(
                            "parquet.page.row.count.limit", Integer.toString(1 + random.nextInt(40)),
                            "parquet.page.size", Integer.toString(200 + random.nextInt(4_000)),
                            "file.block-size", (2 + random.nextInt(60)) + " kb",
                            "file.compression", random.nextBoolean() ? "zstd" : "snappy"),
                    random,
                    keyTypes,
                    nested,
                    random.nextInt(1, 3_000));
        }

        private Fixture(ImmutableMap<String, String> options, Random random, List<String> keyTypes, boolean nested, int count)
                throws IOException
        {
            List<DataField> fields = new ArrayList<>();
            List<String> keyNames = new ArrayList<>();
            fields.add(new DataField(0, "v1", TypeParser.parse("BIGINT")));
            for (String type : keyTypes) {
                keyNames.add("k" + fields.size());
                fields.add(new DataField(fields.size(), keyNames.getLast(), TypeParser.parse(type + " NOT NULL")));
            }
            fields.add(new DataField(fields.size(), "v2", TypeParser.parse("VARCHAR(2147483647)")));
            fields.add(new DataField(fields.size(), "v3", nested ? new ArrayType(TypeParser.parse("INT"), true) : TypeParser.parse("DOUBLE")));
            // the first key column is not the first of the key
            Collections.reverse(keyNames);
            this.schema = new TableSchema(3, 0, fields, fields.size(), ImmutableList.of(), keyNames, options, Optional.empty(), 0);
            this.layout = KeyValueLayout.ofTable(schema, new CoreOptions(schema.options()));
            this.keyEncoder = KeyEncoder.forKeys(layout.keyTypes());
            this.types = layout.types();
            PageBuilder builder = new PageBuilder(types);
            for (int row = 0; row < count; row++) {
                builder.declarePosition();
                for (int channel = 0; channel < types.size(); channel++) {
                    writeValue(random, types.get(channel), builder.getBlockBuilder(channel), channel == 0 || channel > keyTypes.size() && channel < layout.columns().size());
                }
            }
            Page all = builder.build();
            EncodedKeys encoded = keyEncoder.encode(all, layout.keyChannelArray());
            for (int row = 0; row < count; row++) {
                keys.put(encoded.key(row).copy(), all.getSingleValuePage(row));
            }
            // about every third key is only looked for
            List<Page> stored = new ArrayList<>();
            keys.values().forEach(page -> {
                if (stored.isEmpty() || random.nextInt(3) > 0) {
                    stored.add(page);
                }
            });
            RollingWriter writer = new DataFileWriterFactory(fileIo, paths(), schema).createDataWriter(BinaryRow.EMPTY, 0, 5, FileSource.COMPACT);
            PageBuilder sorted = new PageBuilder(types);
            for (Page row : stored) {
                sorted.declarePosition();
                for (int channel = 0; channel < types.size(); channel++) {
                    sorted.getBlockBuilder(channel).append(row.getBlock(channel).getUnderlyingValueBlock(), row.getBlock(channel).getUnderlyingValuePosition(0));
                }
            }
            writer.write(sorted.build());
            this.file = writer.finish().getFirst();
            this.deletions = random.nextBoolean() ? DeletionVector.EMPTY : DeletionVector.of(random.longs(1 + stored.size() / 10, 0, stored.size()).toArray());
        }

        private TablePaths paths()
        {
            return new TablePaths(new Path(directory.toUri()), schema);
        }

        private ReadRequest request(List<DataField> columns)
        {
            return new ReadRequest(paths().dataFile(BinaryRow.EMPTY, 0, file), file.fileSize(), schema, columns, true, ImmutableList.of(), BinaryRow.EMPTY, TupleDomain.all()).withDeletions(deletions);
        }

        /**
         * @return files that were read by pages
         */
        private int check(String description)
                throws IOException
        {
            int filesByPages = 0;
            for (int round = 0; round < 4; round++) {
                ProbeKeys probes = probes(new Random(round), round == 0 ? 1 : 2 + round * round * 20);
                LookupHits expected = lookup(LookupWay.SCAN, probes, false, new LookupResources(LookupWayChooser.always(LookupWay.SCAN)));
                LookupResources byPages = new LookupResources(LookupWayChooser.always(LookupWay.PAGES));
                LookupHits actual = lookup(LookupWay.PAGES, probes, false, byPages);
                LookupHits keysOnly = lookup(LookupWay.PAGES, probes, true, byPages);
                filesByPages += (int) byPages.statistics().getFilesByPages().getTotalCount();
                for (int probe = 0; probe < probes.count(); probe++) {
                    String key = description + ", round " + round + ", probe " + probe;
                    assertThat(actual.found(probe)).as(key).isEqualTo(expected.found(probe));
                    assertThat(keysOnly.found(probe)).as(key).isEqualTo(expected.found(probe));
                    if (expected.found(probe)) {
                        assertThat(actual.rowPosition(probe)).as(key).isEqualTo(expected.rowPosition(probe));
                        assertThat(row(actual, probe)).as(key).isEqualTo(row(expected, probe));
                    }
                }
            }
            return filesByPages;
        }

        private LookupHits lookup(LookupWay way, ProbeKeys probes, boolean keysOnly, LookupResources resources)
                throws IOException
        {
            List<List<DataFileMeta>> levels = ImmutableList.of(ImmutableList.of(file));
            DataFileReaderFactory readers = new DataFileReaderFactory(fileIo, new FooterCache(1 << 20));
            LookupFileReader fileReader = new LookupFileReader()
            {
                @Override
                public PageStream open(DataFileMeta opened, TupleDomain<Integer> predicate)
                        throws IOException
                {
                    return keysOnly ? readers.open(request(schema.trimmedPrimaryKeyFields())) : readers.open(request(layout.columns()).withRowPositions());
                }

                @Override
                public Optional<PointReader> openPoints(DataFileMeta opened)
                        throws IOException
                {
                    return readers.openPoints(keysOnly ? request(schema.trimmedPrimaryKeyFields()) : request(layout.columns()));
                }
            };
            LookupHits hits = new LookupHits();
            try (KeyLookup lookup = keysOnly ?
                    KeyLookup.ofKeys(layout, keyEncoder, levels, fileReader, probes.count(), resources) :
                    KeyLookup.withPositions(layout, keyEncoder, levels, fileReader, probes.count(), resources)) {
                lookup.lookup(probes, hits);
            }
            assertThat(way == LookupWay.SCAN ? resources.statistics().getFilesByPages().getTotalCount() : 0).isZero();
            return hits;
        }

        private ProbeKeys probes(Random random, int count)
        {
            List<Slice> all = new ArrayList<>(keys.keySet());
            Collections.shuffle(all, random);
            ProbeKeys probes = new ProbeKeys();
            for (Slice key : all.stream().limit(count).sorted().toList()) {
                Page page = keys.get(key);
                EncodedKeys encoded = keyEncoder.encode(page, layout.keyChannelArray());
                probes.add(encoded.prefix(0), key, page, 0);
            }
            return probes;
        }

        private List<Object> row(LookupHits hits, int probe)
        {
            List<Object> row = new ArrayList<>();
            for (int channel = 0; channel < types.size(); channel++) {
                Block block = hits.page(probe).getBlock(channel);
                Object value = readNativeValue(types.get(channel), block, hits.position(probe));
                row.add(value instanceof Block array ? array.getPositionCount() : value);
            }
            return row;
        }
    }

    /**
     * Few distinct values, so that those of one column fill many pages where another column follows.
     */
    private static void writeValue(Random random, Type type, BlockBuilder builder, boolean nullable)
    {
        if (nullable && random.nextInt(5) == 0) {
            builder.appendNull();
            return;
        }
        if (type == TINYINT) {
            TINYINT.writeLong(builder, 0);
            return;
        }
        int value = random.nextInt(3) == 0 ? random.nextInt(4) : random.nextInt(-500, 500);
        switch (type) {
            case BooleanType _ -> type.writeBoolean(builder, value % 2 == 0);
            case DoubleType _ -> type.writeDouble(builder, random.nextInt(10) == 0 ? -0.0 : value / 4.0);
            case VarcharType _ -> type.writeSlice(builder, Slices.utf8Slice((random.nextBoolean() ? LONG_PREFIX : "") + value));
            case VarbinaryType _ -> type.writeSlice(builder, Slices.wrappedBuffer(new byte[] {(byte) value, (byte) -1, (byte) (value >> 8)}));
            case CharType _ -> type.writeSlice(builder, Slices.utf8Slice(Integer.toString(value)));
            case DecimalType decimal when !decimal.isShort() -> type.writeObject(builder, Int128.valueOf(value * 1_000_000_007L));
            case TimestampType timestamp when !timestamp.isShort() -> type.writeObject(builder, new LongTimestamp(value * 1_000_000L, 1_000 * Math.floorMod(value, 1000)));
            case TimestampType _ -> type.writeLong(builder, value * 1_000L);
            case io.trino.spi.type.ArrayType array -> ((ArrayBlockBuilder) builder).buildEntry(elements -> {
                for (int element = 0; element < Math.floorMod(value, 3); element++) {
                    array.getElementType().writeLong(elements, element);
                }
            });
            default -> writeNativeValue(type, builder, (long) value);
        }
    }
}
