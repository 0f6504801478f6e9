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
import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.airlift.units.DataSize;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.column.ReadRequest;
import io.lookup.storage.format.parquet.ColumnarFileWriter;
import io.lookup.storage.format.parquet.FooterCache;
import io.lookup.storage.format.parquet.ParquetSchemas;
import io.lookup.storage.format.parquet.ParquetWriterOptions;
import io.lookup.storage.format.parquet.ParquetWriterOptions.PageLimits;
import io.lookup.storage.format.reader.DataFileReaderFactory;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.schema.TypeRoot;
import io.trino.parquet.writer.ParquetWriter;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.block.VariableWidthBlock;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.predicate.ValueSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.format.FileFormat;
import org.apache.paimon.format.FormatReaderContext;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.options.Options;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.schema.MessageType;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.BigintType.BIGINT;
import static java.lang.Math.toIntExact;

/**
 * Which writer makes which file: one data file of sorted rows by Trino's Parquet writer and by Apache Parquet's
 * column writers at several page sizes; its size, the time to write it, to find random keys in it and to scan it.
 * <p>
 * Arguments: number of rows, directory, then optionally the row limits of the pages to compare, 0 for Trino's writer.
 */
public final class FileLayoutBenchmark
{
    private static final int PAGE_ROWS = 8_192;
    private static final int LOOKUP_KEYS = 1_000;
    private static final int LOOKUP_RUNS = 9;
    private static final int SCAN_RUNS = 3;
    private static final int STRING = DataType.UNBOUNDED_LENGTH;

    private static final List<DataField> FIELDS = ImmutableList.of(
            new DataField(0, "k", scalar(TypeRoot.BIGINT, 0).withNullable(false)),
            new DataField(1, "n", scalar(TypeRoot.BIGINT, 0)),
            new DataField(2, "d", scalar(TypeRoot.DOUBLE, 0)),
            new DataField(3, "s12", scalar(TypeRoot.VARCHAR, STRING)),
            new DataField(4, "s40", scalar(TypeRoot.VARCHAR, STRING)),
            new DataField(5, "t", scalar(TypeRoot.TIMESTAMP, 3)));
    private static final TableSchema SCHEMA = new TableSchema(
            3, 0, FIELDS, 5, ImmutableList.of(), ImmutableList.of("k"), ImmutableMap.of(), Optional.empty(), 0);

    private final FileIo fileIo = new HadoopFileIo(new Configuration(false));
    private final int rows;
    private final Path directory;
    private final int[] pageRows;

    private FileLayoutBenchmark(int rows, Path directory, int[] pageRows)
    {
        this.pageRows = pageRows.clone();
        this.rows = rows;
        this.directory = directory;
    }

    public static void main(String[] arguments)
            throws Exception
    {
        java.nio.file.Path directory = java.nio.file.Path.of(arguments[1]);
        int[] pageRows = Arrays.stream(arguments).skip(2).mapToInt(Integer::parseInt).toArray();
        new FileLayoutBenchmark(Integer.parseInt(arguments[0]), new Path(directory.toUri()), pageRows.length == 0 ? new int[] {0, 20_000, 1_000} : pageRows).run();
    }

    private void run()
            throws Exception
    {
        List<Layout> layouts = Arrays.stream(pageRows)
                .mapToObj(limit -> new Layout(limit == 0 ? "trino-parquet" : "columns, %,d rows a page".formatted(limit), limit))
                .collect(toImmutableList());
        System.out.printf("%,d rows; processor time, medians of %d lookups and %d scans%n", rows, LOOKUP_RUNS, SCAN_RUNS);
        System.out.println("| writer | write, krows/s | MB | row groups | 1,000 keys cold footer, ms | 1,000 keys, ms | same, 64 kB gap, ms | 1 key, ms | scan, krows/s | scan by Paimon, krows/s |");
        System.out.println("|---|---|---|---|---|---|---|---|---|---|");
        // the first round warms the code up
        for (boolean measured : new boolean[] {false, true}) {
            for (Layout layout : layouts) {
                measure(layout, measured ? rows : rows / 10, measured);
            }
        }
    }

    private void measure(Layout layout, int count, boolean print)
            throws Exception
    {
        Path path = new Path(directory, "layout-" + layout.pageRows() + ".parquet");
        double writeSeconds = layout.pageRows() == 0 ? writeWithTrino(path, count) : writeColumns(path, count, layout.pageRows());
        long size = fileIo.status(path).length();

        DataFileReaderFactory uncached = new DataFileReaderFactory(fileIo);
        DataFileReaderFactory cached = new DataFileReaderFactory(fileIo, new FooterCache(64 << 20));
        DataFileReaderFactory narrow = cached.withMaxMergeDistance(DataSize.of(64, DataSize.Unit.KILOBYTE));
        double coldMillis = lookupMillis(uncached, path, size, count, LOOKUP_KEYS);
        double millis = lookupMillis(cached, path, size, count, LOOKUP_KEYS);
        double narrowMillis = lookupMillis(narrow, path, size, count, LOOKUP_KEYS);
        double oneMillis = lookupMillis(cached, path, size, count, 1);
        double scanSeconds = median(SCAN_RUNS, () -> scan(cached, path, size, count));
        double paimonSeconds = median(SCAN_RUNS, () -> scanWithPaimon(path, size, count));
        if (print) {
            System.out.printf("| %s | %,.0f | %.1f | %d | %.0f | %.0f | %.0f | %.1f | %,.0f | %,.0f |%n",
                    layout.name(), count / writeSeconds / 1e3, size / 1e6, rowGroups(path), coldMillis, millis, narrowMillis, oneMillis,
                    count / scanSeconds / 1e3, count / paimonSeconds / 1e3);
        }
        fileIo.deleteFile(path);
    }

    private double writeColumns(Path path, int count, int pageRows)
            throws IOException
    {
        ParquetWriterOptions defaults = ParquetWriterOptions.DEFAULT;
        int pageBytes = Integer.getInteger("page-bytes", 1 << 20);
        ParquetWriterOptions options = new ParquetWriterOptions(
                defaults.codec(), defaults.zstdLevel(), defaults.rowGroupBytes(), new PageLimits(pageBytes, pageRows), new PageLimits(1 << 20, Math.max(pageRows, defaults.firstPageLimits().rows())), true, defaults.dictionaryPageBytes());
        long nanos = 0;
        try (OutputStream output = fileIo.create(path)) {
            long start = cpuNanos();
            ColumnarFileWriter writer = new ColumnarFileWriter(output, ParquetSchemas.dataFileFields(SCHEMA, false), ImmutableList.of(0, 6, 7, 0, 1, 2, 3, 4, 5), options);
            nanos += cpuNanos() - start;
            for (int offset = 0; offset < count; offset += PAGE_ROWS) {
                Page page = page(offset, Math.min(PAGE_ROWS, count - offset));
                start = cpuNanos();
                writer.write(page);
                nanos += cpuNanos() - start;
            }
            start = cpuNanos();
            writer.finish();
            nanos += cpuNanos() - start;
        }
        return nanos / 1e9;
    }

    private double writeWithTrino(Path path, int count)
            throws IOException
    {
        List<DataField> fields = ParquetSchemas.dataFileFields(SCHEMA, false);
        MessageType messageType = ParquetSchemas.messageType(fields);
        ImmutableMap.Builder<List<String>, io.trino.spi.type.Type> types = ImmutableMap.builder();
        fields.forEach(field -> types.put(ImmutableList.of(field.name()), TrinoTypes.toTrinoType(field.type())));
        long nanos = 0;
        try (OutputStream output = fileIo.create(path)) {
            ParquetWriter writer = new ParquetWriter(
                    output,
                    messageType,
                    types.buildOrThrow(),
                    io.trino.parquet.writer.ParquetWriterOptions.builder().setMaxBlockSize(DataSize.of(128, DataSize.Unit.MEGABYTE)).build(),
                    CompressionCodec.ZSTD,
                    "benchmark",
                    Optional.empty(),
                    Optional.empty());
            for (int offset = 0; offset < count; offset += PAGE_ROWS) {
                Page page = page(offset, Math.min(PAGE_ROWS, count - offset)).getColumns(0, 6, 7, 0, 1, 2, 3, 4, 5);
                long start = cpuNanos();
                writer.write(page);
                nanos += cpuNanos() - start;
            }
            long start = cpuNanos();
            writer.close();
            nanos += cpuNanos() - start;
        }
        return nanos / 1e9;
    }

    private double lookupMillis(DataFileReaderFactory readers, Path path, long size, int count, int keyCount)
            throws Exception
    {
        Random random = new Random(17);
        return median(LOOKUP_RUNS, () -> {
            // every second key exists
            long[] keys = random.longs(keyCount, 0, count).map(row -> row * 2).distinct().sorted().toArray();
            Domain domain = Domain.create(ValueSet.copyOf(BIGINT, Arrays.stream(keys).boxed().collect(toImmutableList())), false);
            long found = 0;
            try (PageStream stream = readers.open(request(path, size, TupleDomain.withColumnDomains(ImmutableMap.of(0, domain))))) {
                int next = 0;
                for (Page page = stream.nextPage(); page != null; page = stream.nextPage()) {
                    LongArrayBlock block = (LongArrayBlock) page.getBlock(0).getUnderlyingValueBlock();
                    for (int position = 0; position < page.getPositionCount() && next < keys.length; position++) {
                        if (block.getLong(position) == keys[next]) {
                            found++;
                            next++;
                        }
                    }
                }
            }
            check(found == keys.length, "keys are missing");
        }) * 1e3;
    }

    private void scan(DataFileReaderFactory readers, Path path, long size, int count)
            throws IOException
    {
        long sum = 0;
        long positions = 0;
        try (PageStream stream = readers.open(request(path, size, TupleDomain.all()))) {
            for (Page page = stream.nextPage(); page != null; page = stream.nextPage()) {
                positions += page.getPositionCount();
                for (int position = 0; position < page.getPositionCount(); position++) {
                    sum += BIGINT.getLong(page.getBlock(0), position);
                }
            }
        }
        check(positions == count && sum == (long) count * (count - 1), "scan is wrong");
    }

    private static void scanWithPaimon(Path path, long size, int count)
            throws IOException
    {
        RowType type = new RowType(ImmutableList.of(
                new org.apache.paimon.types.DataField(0, "k", DataTypes.BIGINT().notNull()),
                new org.apache.paimon.types.DataField(1, "n", DataTypes.BIGINT()),
                new org.apache.paimon.types.DataField(2, "d", DataTypes.DOUBLE()),
                new org.apache.paimon.types.DataField(3, "s12", DataTypes.STRING()),
                new org.apache.paimon.types.DataField(4, "s40", DataTypes.STRING()),
                new org.apache.paimon.types.DataField(5, "t", DataTypes.TIMESTAMP(3)),
                new org.apache.paimon.types.DataField(2147483646, "_SEQUENCE_NUMBER", DataTypes.BIGINT().notNull()),
                new org.apache.paimon.types.DataField(2147483645, "_VALUE_KIND", DataTypes.TINYINT().notNull())));
        long[] result = new long[2];
        try (RecordReader<InternalRow> reader = FileFormat.fromIdentifier("parquet", new Options()).createReaderFactory(type, type, List.of())
                .createReader(new FormatReaderContext(LocalFileIO.create(), new org.apache.paimon.fs.Path(path.toString()), size))) {
            reader.forEachRemaining(row -> {
                result[0]++;
                result[1] += row.getLong(0);
            });
        }
        check(result[0] == count && result[1] == (long) count * (count - 1), "scan is wrong");
    }

    private static ReadRequest request(Path path, long size, TupleDomain<Integer> predicate)
    {
        return new ReadRequest(path, size, SCHEMA, FIELDS, true, ImmutableList.of(), BinaryRow.EMPTY, predicate);
    }

    private static int rowGroups(Path path)
            throws IOException
    {
        try (org.apache.parquet.hadoop.ParquetFileReader reader = org.apache.parquet.hadoop.ParquetFileReader.open(
                new org.apache.parquet.io.LocalInputFile(java.nio.file.Path.of(path.toUri())))) {
            return reader.getRowGroups().size();
        }
    }

    private static Page page(int offset, int count)
    {
        SplittableRandom random = new SplittableRandom(offset);
        long[] keys = new long[count];
        long[] numbers = new long[count];
        long[] doubles = new long[count];
        long[] times = new long[count];
        long[] sequenceNumbers = new long[count];
        for (int position = 0; position < count; position++) {
            keys[position] = (offset + position) * 2L;
            numbers[position] = random.nextLong(1_000_000_000_000L);
            doubles[position] = Double.doubleToLongBits(random.nextDouble() * 1e6);
            times[position] = 1_700_000_000_000_000L + random.nextLong(100_000_000_000L) * 1_000;
            sequenceNumbers[position] = random.nextLong(1_000_000_000L);
        }
        return new Page(
                longs(keys),
                longs(numbers),
                longs(doubles),
                strings(random, count, 12),
                strings(random, count, 40),
                longs(times),
                longs(sequenceNumbers),
                RunLengthEncodedBlock.create(new ByteArrayBlock(1, Optional.empty(), new byte[] {0}), count));
    }

    private static Block longs(long[] values)
    {
        return new LongArrayBlock(values.length, Optional.empty(), values);
    }

    private static Block strings(SplittableRandom random, int count, int length)
    {
        byte[] bytes = new byte[count * length];
        for (int index = 0; index < bytes.length; index++) {
            // four bits of information a character
            bytes[index] = (byte) ('a' + random.nextInt(16));
        }
        int[] offsets = new int[count + 1];
        for (int position = 0; position <= count; position++) {
            offsets[position] = position * length;
        }
        Slice slice = Slices.wrappedBuffer(bytes);
        return new VariableWidthBlock(count, slice, offsets, Optional.empty());
    }

    /**
     * Processor time of this thread: everything measured runs in it, and a busy machine does not blur it much.
     */
    private static long cpuNanos()
    {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private interface Action
    {
        void run()
                throws Exception;
    }

    private static double median(int runs, Action action)
            throws Exception
    {
        List<Double> seconds = new ArrayList<>();
        for (int run = 0; run < runs; run++) {
            long start = cpuNanos();
            action.run();
            seconds.add((cpuNanos() - start) / 1e9);
        }
        seconds.sort(null);
        return seconds.get(toIntExact(runs / 2));
    }

    private static void check(boolean condition, String message)
    {
        if (!condition) {
            throw new IllegalStateException(message);
        }
    }

    private static ScalarType scalar(TypeRoot root, int precision)
    {
        return new ScalarType(root, precision, 0, true);
    }

    /**
     * @param pageRows most rows of a page, 0 for Trino's writer, which decides for itself
     */
    private record Layout(String name, int pageRows) {}
}
