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
package io.lookup.storage.format.parquet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.airlift.slice.Slice;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.column.ReadRequest;
import io.lookup.storage.format.parquet.ParquetWriterOptions.PageLimits;
import io.lookup.storage.format.reader.DataFileReaderFactory;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BinaryRowEncoder;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.Page;
import io.trino.spi.PageBuilder;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.predicate.ValueSet;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.Type;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.airlift.slice.Slices.utf8Slice;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestDataFileReader
{
    private static final DataType BIGINT_TYPE = scalar(TypeRoot.BIGINT, 0);
    private static final DataType STRING_TYPE = scalar(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH);
    private static final int ROWS = 50_000;

    @TempDir
    private java.nio.file.Path directory;

    private FileIo fileIo;

    @BeforeEach
    void setUp()
    {
        fileIo = new HadoopFileIo(new Configuration(false));
    }

    @Test
    void testPagesAreSkipped()
            throws IOException
    {
        DataField key = new DataField(0, "Key", BIGINT_TYPE.withNullable(false));
        DataField text = new DataField(1, "text", STRING_TYPE);
        DataField instant = new DataField(2, "instant", scalar(TypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE, 6));
        DataField time = new DataField(3, "time", scalar(TypeRoot.TIME, 3));
        List<DataField> fields = ImmutableList.of(key, text, instant, time);
        ParquetWriterOptions options = new ParquetWriterOptions(ParquetWriterOptions.DEFAULT.codec(), 1, 400_000, new PageLimits(1 << 20, 500), new PageLimits(1 << 20, 500), true, 1 << 20);
        Path path = write(fields, options, ROWS, row -> Arrays.asList(
                row * 2L,
                utf8Slice("text-%08d".formatted(row)),
                LongTimestampWithTimeZone.fromEpochMillisAndFraction(row - 20_000, 123_000_000, UTC_KEY),
                (long) row * 1_000_000_000L));
        TableSchema schema = schema(fields);

        // a page is 500 rows
        checkRange(path, schema, fields, TupleDomain.withColumnDomains(ImmutableMap.of(0, Domain.singleValue(BIGINT, 60_002L))), 30_000, 30_500);
        checkRange(path, schema, fields, TupleDomain.withColumnDomains(ImmutableMap.of(1, Domain.singleValue(VARCHAR, utf8Slice("text-00012345")))), 12_000, 12_500);
        Type instantType = TrinoTypes.toTrinoType(instant.type());
        checkRange(path, schema, fields, TupleDomain.withColumnDomains(ImmutableMap.of(2, Domain.create(ValueSet.ofRanges(
                Range.range(instantType, LongTimestampWithTimeZone.fromEpochMillisAndFraction(-10, 0, UTC_KEY), true, LongTimestampWithTimeZone.fromEpochMillisAndFraction(-10, 500_000_000, UTC_KEY), false)), false))), 19_500, 20_000);
        Type timeType = TrinoTypes.toTrinoType(time.type());
        checkRange(path, schema, fields, TupleDomain.withColumnDomains(ImmutableMap.of(3, Domain.create(ValueSet.ofRanges(Range.lessThan(timeType, 3_000_000_000L)), false))), 0, 500);
        checkRange(path, schema, fields, TupleDomain.withColumnDomains(ImmutableMap.of(0, Domain.create(ValueSet.ofRanges(Range.greaterThan(BIGINT, ROWS * 2L)), false))), 0, 0);
        checkRange(path, schema, fields, TupleDomain.none(), 0, 0);
        checkRange(path, schema, fields, TupleDomain.all(), 0, ROWS);
        // the domain of a column that is not read is ignored
        assertThat(values(open(path, schema, ImmutableList.of(text), TupleDomain.withColumnDomains(ImmutableMap.of(0, Domain.singleValue(BIGINT, 60_002L)))), ImmutableList.of(text)))
                .hasSize(ROWS);
    }

    private void checkRange(Path path, TableSchema schema, List<DataField> fields, TupleDomain<Integer> predicate, int start, int end)
            throws IOException
    {
        List<List<Object>> rows = values(open(path, schema, fields, predicate), fields);
        List<Object> expected = new ArrayList<>();
        for (int row = start; row < end; row++) {
            expected.add(row * 2L);
        }
        assertThat(rows.stream().map(List::getFirst)).isEqualTo(expected);
    }

    @Test
    void testNoRowIsLostByPruning()
            throws IOException
    {
        // pages without a value that is not a number can be skipped
        checkDoubles(true, 0.0, -0.0, Double.POSITIVE_INFINITY, -1.5);
        checkDoubles(false, 0.0, -0.0, Double.NaN, Double.POSITIVE_INFINITY, -1.5);
    }

    private void checkDoubles(boolean skips, double... special)
            throws IOException
    {
        DataField key = new DataField(0, "k", BIGINT_TYPE.withNullable(false));
        DataField number = new DataField(1, "d", scalar(TypeRoot.DOUBLE, 0));
        List<DataField> fields = ImmutableList.of(key, number);
        List<Double> numbers = new ArrayList<>();
        for (int row = 0; row < 3_000; row++) {
            // runs of equal values make pages of one value
            numbers.add(row % 7 == 0 ? null : special[(row / 200) % special.length]);
        }
        ParquetWriterOptions options = new ParquetWriterOptions(ParquetWriterOptions.DEFAULT.codec(), 1, 2_000, new PageLimits(1 << 20, 50), new PageLimits(1 << 20, 50), true, 1 << 20);
        Path path = write(fields, options, numbers.size(), row -> Arrays.asList((long) row, numbers.get(row)));
        for (double wanted : new double[] {0.0, -0.0, -1.5, Double.POSITIVE_INFINITY}) {
            List<List<Object>> rows = values(open(path, schema(fields), fields, TupleDomain.withColumnDomains(ImmutableMap.of(1, Domain.singleValue(DOUBLE, wanted)))), fields);
            long expected = numbers.stream().filter(value -> value != null && value == wanted).count();
            assertThat(rows.stream().filter(row -> row.get(1) != null && ((double) row.get(1)) == wanted)).hasSize(Math.toIntExact(expected));
            if (skips) {
                assertThat(rows.size()).isLessThan(numbers.size());
            }
        }
        // not a number is unequal to every number
        Domain unequal = Domain.create(ValueSet.of(DOUBLE, 0.0).complement(), false);
        List<List<Object>> rows = values(open(path, schema(fields), fields, TupleDomain.withColumnDomains(ImmutableMap.of(1, unequal))), fields);
        assertThat(rows.stream().filter(row -> row.get(1) != null && Double.isNaN((double) row.get(1))))
                .hasSize(Math.toIntExact(numbers.stream().filter(value -> value != null && value.isNaN()).count()));
    }

    @Test
    void testColumnsAreMatchedById()
            throws IOException
    {
        DataField key = new DataField(0, "k", BIGINT_TYPE.withNullable(false));
        DataField old = new DataField(1, "old", STRING_TYPE);
        DataField dropped = new DataField(2, "again", scalar(TypeRoot.INTEGER, 0));
        List<DataField> fields = ImmutableList.of(key, old, dropped);
        Path path = write(fields, ParquetWriterOptions.DEFAULT, 3, row -> Arrays.asList((long) row, utf8Slice("v" + row), 5L));
        List<DataField> wanted = ImmutableList.of(
                new DataField(3, "again", STRING_TYPE),
                new DataField(1, "new", STRING_TYPE),
                key);
        assertThat(values(open(path, schema(fields), wanted, TupleDomain.all()), wanted)).containsExactly(
                Arrays.asList(null, "v0", 0L), Arrays.asList(null, "v1", 1L), Arrays.asList(null, "v2", 2L));
        // a missing column is null, which the predicate may exclude
        assertThat(values(open(path, schema(fields), wanted, TupleDomain.withColumnDomains(ImmutableMap.of(3, Domain.singleValue(VARCHAR, utf8Slice("x"))))), wanted)).isEmpty();
        assertThat(values(open(path, schema(fields), wanted, TupleDomain.withColumnDomains(ImmutableMap.of(3, Domain.onlyNull(VARCHAR)))), wanted)).hasSize(3);
        // no column at all still counts rows
        try (PageStream stream = open(path, schema(fields), ImmutableList.of(), TupleDomain.all())) {
            assertThat(stream.nextPage().getPositionCount() + stream.nextPage().getPositionCount()).isEqualTo(3);
        }
    }

    @Test
    void testPartitionColumnsComeFromThePartition()
            throws IOException
    {
        DataField key = new DataField(0, "k", BIGINT_TYPE.withNullable(false));
        DataField day = new DataField(1, "day", STRING_TYPE);
        DataField hour = new DataField(2, "hour", scalar(TypeRoot.INTEGER, 0));
        List<DataField> fields = ImmutableList.of(key, day, hour);
        Path path = write(fields, ParquetWriterOptions.DEFAULT, 2, row -> Arrays.asList((long) row, utf8Slice("in the file"), null));
        BinaryRow partition = new BinaryRowEncoder(ImmutableList.of(hour.type(), day.type())).encodeValues(Arrays.asList(7L, null));
        ReadRequest request = new ReadRequest(path, length(path), schema(fields), fields, false, ImmutableList.of(hour, day), partition, TupleDomain.all());
        assertThat(values(new DataFileReaderFactory(fileIo).open(request), fields)).containsExactly(Arrays.asList(0L, null, 7), Arrays.asList(1L, null, 7));
    }

    @Test
    void testMissingFile()
    {
        Path path = new Path(new Path(directory.toUri()), "absent.parquet");
        checkFailure(path, 1000, StorageErrorCode.MISSING_FILE);
    }

    @Test
    void testDamagedFiles()
            throws IOException
    {
        List<DataField> fields = ImmutableList.of(new DataField(0, "k", BIGINT_TYPE.withNullable(false)), new DataField(1, "s", STRING_TYPE));
        Path path = write(fields, ParquetWriterOptions.DEFAULT, 1000, row -> Arrays.asList((long) row, utf8Slice("value " + row * 31)));
        byte[] good = Files.readAllBytes(java.nio.file.Path.of(path.toUri()));

        // every truncation, whether or not the length is known to have changed
        for (int length = 0; length < good.length; length += 97) {
            Path truncated = file("truncated-" + length + ".parquet", Arrays.copyOf(good, length));
            checkFailure(truncated, length, StorageErrorCode.CORRUPT_FILE);
            checkFailure(truncated, good.length, StorageErrorCode.CORRUPT_FILE);
        }
        byte[] garbage = new byte[5000];
        new Random(3).nextBytes(garbage);
        checkFailure(file("garbage.parquet", garbage), garbage.length, StorageErrorCode.CORRUPT_FILE);
        byte[] badFooter = good.clone();
        Arrays.fill(badFooter, good.length - 60, good.length - 8, (byte) 0x7F);
        checkFailure(file("footer.parquet", badFooter), badFooter.length, StorageErrorCode.CORRUPT_FILE);
        byte[] badPages = good.clone();
        Arrays.fill(badPages, 4, 400, (byte) 0xFF);
        checkFailure(file("pages.parquet", badPages), badPages.length, StorageErrorCode.CORRUPT_FILE);
    }

    /**
     * Decoders take memory for what lengths say: in pages of values and in dictionaries, and also for values that are counted and not there.
     */
    @Test
    void testLengthsOfTexts()
            throws IOException
    {
        DataField key = new DataField(0, "k", BIGINT_TYPE.withNullable(false));
        DataField text = new DataField(1, "s", STRING_TYPE);
        DataField list = new DataField(2, "list", new DataType.ArrayType(STRING_TYPE, true));
        for (CompressionCodecName codec : new CompressionCodecName[] {CompressionCodecName.UNCOMPRESSED, CompressionCodecName.ZSTD}) {
            for (boolean dictionary : new boolean[] {false, true}) {
                checkLengths(ImmutableList.of(key, text), codec, dictionary);
                checkLengths(ImmutableList.of(key, list), codec, dictionary);
            }
        }
    }

    private void checkLengths(List<DataField> fields, CompressionCodecName codec, boolean dictionary)
            throws IOException
    {
        boolean nested = fields.getLast().type() instanceof DataType.ArrayType;
        ParquetWriterOptions options = new ParquetWriterOptions(codec, 1, 1 << 20, new PageLimits(1 << 20, 50), new PageLimits(1 << 20, 50), dictionary, 1 << 20);
        Path path = write(fields, options, 1000, row -> {
            Slice text = utf8Slice("a text of some length, number " + row % 5);
            return Arrays.asList((long) row, row % 7 == 3 ? null : nested ? writeNativeValue(VARCHAR, text) : text);
        });
        byte[] good = Files.readAllBytes(java.nio.file.Path.of(path.toUri()));
        assertThat(values(open(path, schema(fields), fields, TupleDomain.all()), fields)).hasSize(1000);
        if (codec != CompressionCodecName.UNCOMPRESSED) {
            return;
        }
        int damaged = 0;
        for (int position = Integer.BYTES; position < good.length && damaged < 20; position++) {
            if (new String(good, position, Math.min(20, good.length - position), ISO_8859_1).equals("a text of some lengt") && good[position - 4] == 31) {
                for (int length : new int[] {Integer.MAX_VALUE, 1 << 30, -1, 32, 30}) {
                    byte[] bad = good.clone();
                    for (int index = 0; index < Integer.BYTES; index++) {
                        bad[position - Integer.BYTES + index] = (byte) (length >> (8 * index));
                    }
                    checkFailure(file("lengths.parquet", bad), bad.length, StorageErrorCode.CORRUPT_FILE, fields);
                }
                damaged++;
            }
        }
        assertThat(damaged).isGreaterThanOrEqualTo(5);
    }

    @Test
    void testOtherFormats()
    {
        checkFailure(new Path(new Path(directory.toUri()), "data-1.lance"), 10, StorageErrorCode.UNSUPPORTED_FEATURE);
        checkFailure(new Path(new Path(directory.toUri()), "data-1.avro.row"), 10, StorageErrorCode.UNSUPPORTED_FEATURE);
    }

    @Test
    void testFooterCache()
            throws IOException
    {
        List<DataField> fields = ImmutableList.of(new DataField(0, "k", BIGINT_TYPE.withNullable(false)));
        Path path = write(fields, ParquetWriterOptions.DEFAULT, 1000, row -> List.of((long) row));
        DataFileReaderFactory readers = new DataFileReaderFactory(fileIo, new FooterCache(1 << 20));
        ReadRequest all = new ReadRequest(path, length(path), schema(fields), fields, false, ImmutableList.of(), BinaryRow.EMPTY, TupleDomain.all());
        assertThat(values(readers.open(all), fields)).hasSize(1000);
        assertThat(values(readers.open(all), fields)).hasSize(1000);
        fileIo.deleteFile(path);
        // row group bounds are enough to tell that nothing matches
        ReadRequest nothing = new ReadRequest(path, all.fileSize(), schema(fields), fields, false, ImmutableList.of(), BinaryRow.EMPTY,
                TupleDomain.withColumnDomains(ImmutableMap.of(0, Domain.singleValue(BIGINT, -5L))));
        assertThatThrownBy(() -> values(readers.open(all), fields))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.MISSING_FILE));
        assertThatThrownBy(() -> values(new DataFileReaderFactory(fileIo).open(nothing), fields)).isInstanceOf(StorageException.class);
    }

    private Path file(String name, byte[] content)
            throws IOException
    {
        Files.write(directory.resolve(name), content);
        return new Path(new Path(directory.toUri()), name);
    }

    private void checkFailure(Path path, long size, StorageErrorCode errorCode)
    {
        checkFailure(path, size, errorCode, ImmutableList.of(new DataField(0, "k", BIGINT_TYPE.withNullable(false)), new DataField(1, "s", STRING_TYPE)));
    }

    private void checkFailure(Path path, long size, StorageErrorCode errorCode, List<DataField> fields)
    {
        ReadRequest request = new ReadRequest(path, size, schema(fields), fields, false, ImmutableList.of(), BinaryRow.EMPTY, TupleDomain.all());
        assertThatThrownBy(() -> values(new DataFileReaderFactory(fileIo).open(request), fields))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(errorCode))
                .hasMessageContaining(path.toString());
    }

    interface RowSource
    {
        List<Object> row(int row);
    }

    private Path write(List<DataField> fields, ParquetWriterOptions options, int rows, RowSource source)
            throws IOException
    {
        return write(fileIo, directory, fields, options, rows, source);
    }

    static Path write(FileIo fileIo, java.nio.file.Path directory, List<DataField> fields, ParquetWriterOptions options, int rows, RowSource source)
            throws IOException
    {
        Path path = new Path(new Path(directory.toUri()), "file-" + System.nanoTime() + ".parquet");
        List<Type> types = fields.stream().map(field -> TrinoTypes.toTrinoType(field.type())).collect(toImmutableList());
        List<Integer> channels = new ArrayList<>();
        for (int channel = 0; channel < fields.size(); channel++) {
            channels.add(channel);
        }
        try (OutputStream output = fileIo.create(path)) {
            ColumnarFileWriter writer = new ColumnarFileWriter(output, fields, channels, options);
            for (int start = 0; start < rows; start += 1_000) {
                PageBuilder builder = new PageBuilder(types);
                for (int row = start; row < Math.min(rows, start + 1_000); row++) {
                    builder.declarePosition();
                    List<Object> values = source.row(row);
                    for (int channel = 0; channel < types.size(); channel++) {
                        writeNativeValue(types.get(channel), builder.getBlockBuilder(channel), values.get(channel));
                    }
                }
                writer.write(builder.build());
            }
            writer.finish();
        }
        return path;
    }

    private long length(Path path)
            throws IOException
    {
        return fileIo.status(path).length();
    }

    private PageStream open(Path path, TableSchema schema, List<DataField> columns, TupleDomain<Integer> predicate)
            throws IOException
    {
        return new DataFileReaderFactory(fileIo).open(new ReadRequest(path, length(path), schema, columns, false, ImmutableList.of(), BinaryRow.EMPTY, predicate));
    }

    static List<List<Object>> read(FileIo fileIo, Path path, long size, TableSchema schema, List<DataField> columns)
            throws IOException
    {
        return values(
                new DataFileReaderFactory(fileIo).open(new ReadRequest(path, size, schema, columns, false, ImmutableList.of(), BinaryRow.EMPTY, TupleDomain.all())),
                columns);
    }

    private static List<List<Object>> values(PageStream stream, List<DataField> columns)
            throws IOException
    {
        List<Type> types = columns.stream().map(field -> TrinoTypes.toTrinoType(field.type())).collect(toImmutableList());
        List<List<Object>> rows = new ArrayList<>();
        try (stream) {
            for (Page page = stream.nextPage(); page != null; page = stream.nextPage()) {
                rows.addAll(PaimonBlocks.values(types, page));
            }
        }
        return rows;
    }

    private static TableSchema schema(List<DataField> fields)
    {
        return new TableSchema(3, 0, fields, 100, ImmutableList.of(), ImmutableList.of(fields.getFirst().name()), ImmutableMap.of(), Optional.empty(), 0);
    }

    private static ScalarType scalar(TypeRoot root, int precision)
    {
        return new ScalarType(root, precision, 0, true);
    }
}
