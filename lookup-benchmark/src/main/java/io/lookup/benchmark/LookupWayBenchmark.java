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
package io.lookup.benchmark;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
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
import io.lookup.storage.lookup.KeyLookup;
import io.lookup.storage.lookup.LookupFileReader;
import io.lookup.storage.lookup.LookupHits;
import io.lookup.storage.lookup.LookupResources;
import io.lookup.storage.lookup.LookupStatistics;
import io.lookup.storage.lookup.LookupWay;
import io.lookup.storage.lookup.LookupWayChooser;
import io.lookup.storage.lookup.ProbeKeys;
import io.lookup.storage.lookup.local.LocalLookupFiles;
import io.lookup.storage.lookup.local.LookupCompression;
import io.lookup.storage.lookup.local.LookupFileId;
import io.lookup.storage.lookup.local.LookupFileSettings;
import io.lookup.storage.lookup.local.LookupLayout;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TypeParser;
import io.trino.spi.Page;
import io.trino.spi.PageBuilder;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.DoubleType;
import io.trino.spi.type.Type;
import io.trino.spi.type.VarcharType;
import org.apache.hadoop.conf.Configuration;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;

import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static java.lang.String.format;

/**
 * What each way of looking up keys in a data file costs for rows of different widths: the factors by which {@link LookupWayChooser} decides.
 * Prints nanoseconds of the process's processor time, medians of the rounds: of a scan and of making a local copy for each row, and of
 * looking up so many keys, spread evenly, by pages.
 * <p>
 * Arguments, all optional: {@code rows=1000000 rounds=5 warm-up=2 shapes=six,lineitem,… directory=<local folder>}.
 */
public final class LookupWayBenchmark
{
    private static final int PAGE_ROWS = 8_192;
    private static final int LOOKUPS_PER_ROUND = 10;
    private static final List<Integer> KEYS = ImmutableList.of(20, 200, 2_000);
    /**
     * Columns by type: {@code n} BIGINT of many values, {@code i} INT of few, {@code d} DOUBLE, {@code t} DATE, a number the length of
     * a VARCHAR, {@code e} a VARCHAR that is one of seven.
     */
    private static final ImmutableMap<String, String> SHAPES = ImmutableMap.<String, String>builder()
            .put("two", "n 8")
            .put("six", "n n d 12 40 n")
            .put("text", "n 300")
            .put("lineitem", "n n n i d d d d e e t t t e e 27")
            .put("numbers", "n n n n n n n n n n n n n n n n")
            .put("few values", "n i i i i i i i i i i i i i i i")
            .put("wide", "n n n n n n n n d d d d d d d d i i i i i i i i t t t t e e e e 10 10 10 10 10 10 10 10")
            .buildOrThrow();

    private final BenchmarkArguments arguments;
    private final int rows;
    private final int rounds;
    private final int warmUp;
    private final FileIo fileIo = new HadoopFileIo(new Configuration(false));

    private LookupWayBenchmark(BenchmarkArguments arguments)
    {
        this.arguments = arguments;
        this.rows = arguments.number("rows", 1_000_000);
        this.rounds = arguments.number("rounds", 5);
        this.warmUp = arguments.number("warm-up", 2);
    }

    public static void main(String[] arguments)
            throws Exception
    {
        new LookupWayBenchmark(BenchmarkArguments.parse(arguments)).run();
    }

    private void run()
            throws Exception
    {
        Path directory = Files.createTempDirectory(Path.of(arguments.text("directory", System.getProperty("java.io.tmpdir"))), "lookup-way");
        try {
            System.out.println("| rows | columns | bytes a row in the data file | in a copy | scan, ns a row | copy, ns a row | " + KEYS.stream().map("%d keys by pages, µs"::formatted).reduce((left, right) -> left + " | " + right).orElseThrow() + " |");
            System.out.println("|---|---|---|---|---|---" + "|---".repeat(KEYS.size()) + "|");
            for (String shape : arguments.list("shapes", String.join(",", SHAPES.keySet()))) {
                Path folder = Files.createDirectory(directory.resolve(shape.replace(' ', '-')));
                new Shape(shape, SHAPES.get(shape).split(" "), folder).measure();
                MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
            }
        }
        finally {
            MoreFiles.deleteRecursively(directory, RecursiveDeleteOption.ALLOW_INSECURE);
        }
    }

    private interface Work
    {
        void run()
                throws IOException;
    }

    private double median(Work work)
            throws IOException
    {
        List<Double> nanos = new ArrayList<>();
        for (int round = -warmUp; round < rounds; round++) {
            long start = cpuNanos();
            work.run();
            if (round >= 0) {
                nanos.add((double) (cpuNanos() - start));
            }
        }
        nanos.sort(null);
        return nanos.get(nanos.size() / 2);
    }

    private static long cpuNanos()
    {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private final class Shape
    {
        private final String name;
        private final String[] kinds;
        private final Path folder;
        private final TableSchema schema;
        private final KeyValueLayout layout;
        private final KeyEncoder keyEncoder;
        private final TablePaths paths;
        private final DataFileReaderFactory readers = new DataFileReaderFactory(fileIo, new FooterCache(64 << 20));

        private Shape(String name, String[] kinds, Path folder)
        {
            this.name = name;
            this.kinds = kinds;
            this.folder = folder;
            List<DataField> fields = new ArrayList<>();
            for (String kind : kinds) {
                String type = switch (kind) {
                    case "n" -> "BIGINT";
                    case "i" -> "INT";
                    case "d" -> "DOUBLE";
                    case "t" -> "DATE";
                    default -> "VARCHAR(2147483647)";
                };
                fields.add(new DataField(fields.size(), "c" + fields.size(), TypeParser.parse(fields.isEmpty() ? type + " NOT NULL" : type)));
            }
            this.schema = new TableSchema(3, 0, fields, fields.size(), ImmutableList.of(), ImmutableList.of("c0"), ImmutableMap.of("target-file-size", "100 gb"), Optional.empty(), 0);
            this.layout = KeyValueLayout.ofTable(schema, new CoreOptions(schema.options()));
            this.keyEncoder = KeyEncoder.forKeys(layout.keyTypes());
            this.paths = new TablePaths(new org.apache.hadoop.fs.Path(folder.toUri()), schema);
        }

        private void measure()
                throws IOException
        {
            RollingWriter writer = new DataFileWriterFactory(fileIo, paths, schema).createDataWriter(BinaryRow.EMPTY, 0, 5, FileSource.COMPACT);
            for (int offset = 0; offset < rows; offset += PAGE_ROWS) {
                writer.write(page(offset, Math.min(PAGE_ROWS, rows - offset)));
            }
            DataFileMeta file = writer.finish().getFirst();
            double scan = median(() -> {
                try (PageStream pages = readers.open(request(file))) {
                    long count = 0;
                    for (Page page = pages.nextPage(); page != null; page = pages.nextPage()) {
                        count += page.getPositionCount();
                        keyEncoder.encode(page, layout.keyChannelArray());
                    }
                    check(count == rows);
                }
            });
            long[] copyBytes = new long[1];
            double copy = median(() -> copyBytes[0] = copy(file));
            StringBuilder byPages = new StringBuilder();
            for (int keys : KEYS) {
                byPages.append(format(Locale.ENGLISH, " %.0f |", median(() -> lookUpOften(file, keys)) / LOOKUPS_PER_ROUND / 1e3));
            }
            System.out.println(format(
                    Locale.ENGLISH,
                    "| %s | %d | %.1f | %.1f | %.0f | %.0f |%s",
                    name, kinds.length, (double) file.fileSize() / rows, (double) copyBytes[0] / rows, scan / rows, copy / rows, byPages));
        }

        private ReadRequest request(DataFileMeta file)
        {
            return new ReadRequest(paths.dataFile(BinaryRow.EMPTY, 0, file), file.fileSize(), schema, layout.columns(), true, ImmutableList.of(), BinaryRow.EMPTY, TupleDomain.all());
        }

        private long copy(DataFileMeta file)
                throws IOException
        {
            LookupFileSettings settings = new LookupFileSettings(folder.resolve("copies"), Long.MAX_VALUE, 64 << 20, Long.MAX_VALUE / 2, LookupCompression.LZ4, LookupFileSettings.DEFAULT_BLOCK_BYTES);
            try (LocalLookupFiles files = new LocalLookupFiles(settings, new LookupStatistics())) {
                LookupFileId id = new LookupFileId(paths.dataFile(BinaryRow.EMPTY, 0, file).toString(), file, LookupLayout.ofRows(layout, keyEncoder));
                files.build(id, Optional.empty(), () -> readers.open(request(file)), DeletionVector.EMPTY, () -> {
                    throw new IOException("The copy cannot be read");
                }).orElseThrow().close();
                long bytes = files.getDiskBytes();
                files.drop(id.dataFile());
                return bytes;
            }
        }

        private void lookUpOften(DataFileMeta file, int count)
                throws IOException
        {
            // the processor time of a process comes in steps of ten milliseconds
            for (int lookup = 0; lookup < LOOKUPS_PER_ROUND; lookup++) {
                lookUp(file, count);
            }
        }

        private void lookUp(DataFileMeta file, int count)
                throws IOException
        {
            ProbeKeys probes = new ProbeKeys();
            PageBuilder builder = new PageBuilder(layout.types());
            for (int key = 0; key < count; key++) {
                writeRow(builder, (int) ((long) key * rows / count) + rows / count / 2, new Random(key));
            }
            Page page = builder.build();
            EncodedKeys encoded = keyEncoder.encode(page, layout.keyChannelArray());
            for (int key = 0; key < count; key++) {
                probes.add(encoded.prefix(key), encoded.key(key).copy(), page, key);
            }
            LookupFileReader reader = new LookupFileReader()
            {
                @Override
                public PageStream open(DataFileMeta opened, TupleDomain<Integer> predicate)
                {
                    throw new IllegalStateException("It is not read by pages");
                }

                @Override
                public Optional<PointReader> openPoints(DataFileMeta opened)
                        throws IOException
                {
                    return readers.openPoints(request(opened));
                }
            };
            LookupHits hits = new LookupHits();
            try (KeyLookup lookup = new KeyLookup(
                    layout, keyEncoder, ImmutableList.of(ImmutableList.of(file)), reader, count, new LookupResources(LookupWayChooser.always(LookupWay.PAGES)))) {
                lookup.lookup(probes, hits);
                for (int key = 0; key < count; key++) {
                    check(hits.found(key));
                }
            }
        }

        private Page page(int offset, int count)
        {
            PageBuilder builder = new PageBuilder(count, layout.types());
            Random random = new Random(offset);
            for (int row = 0; row < count; row++) {
                writeRow(builder, offset + row, random);
            }
            return builder.build();
        }

        private void writeRow(PageBuilder builder, int row, Random random)
        {
            List<Type> types = layout.types();
            builder.declarePosition();
            writeNativeValue(types.getFirst(), builder.getBlockBuilder(0), row * 2L);
            for (int channel = 1; channel < kinds.length; channel++) {
                Type type = types.get(channel);
                Object value = switch (kinds[channel]) {
                    case "n" -> random.nextLong(1_000_000_000_000L);
                    case "i" -> (long) random.nextInt(50);
                    case "d" -> random.nextInt(10_000_000) / 100.0;
                    case "t" -> 8_000L + random.nextInt(2_500);
                    case "e" -> Slices.utf8Slice("VALUE-" + random.nextInt(7));
                    default -> {
                        byte[] text = new byte[Integer.parseInt(kinds[channel])];
                        for (int index = 0; index < text.length; index++) {
                            // four bits of information a character
                            text[index] = (byte) ('a' + random.nextInt(16));
                        }
                        yield Slices.wrappedBuffer(text);
                    }
                };
                switch (type) {
                    case DoubleType _ -> type.writeDouble(builder.getBlockBuilder(channel), (double) value);
                    case VarcharType _ -> writeNativeValue(type, builder.getBlockBuilder(channel), value);
                    default -> type.writeLong(builder.getBlockBuilder(channel), (long) value);
                }
            }
            types.get(layout.sequenceChannel()).writeLong(builder.getBlockBuilder(layout.sequenceChannel()), row);
            types.get(layout.kindChannel()).writeLong(builder.getBlockBuilder(layout.kindChannel()), 0);
        }
    }

    private static void check(boolean condition)
    {
        if (!condition) {
            throw new IllegalStateException("Not all rows were read or found");
        }
    }
}
