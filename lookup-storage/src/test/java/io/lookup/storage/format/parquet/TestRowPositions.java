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
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.column.ReadRequest;
import io.lookup.storage.format.deletion.DeletionVector;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.format.parquet.DataFileWriterFactory.RollingWriter;
import io.lookup.storage.format.reader.DataFileReaderFactory;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.predicate.ValueSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static io.trino.spi.type.BigintType.BIGINT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Rows keep their positions whatever row groups and pages are skipped before them, so that the right rows are left out.
 */
final class TestRowPositions
{
    private static final DataType BIGINT_TYPE = new ScalarType(TypeRoot.BIGINT, 0, 0, true);
    private static final DataField KEY = new DataField(0, "k", BIGINT_TYPE.withNullable(false));
    private static final DataField GROUP = new DataField(1, "g", BIGINT_TYPE);
    private static final DataField NOISE = new DataField(2, "n", BIGINT_TYPE);
    private static final int ROWS = 40_000;

    @TempDir
    private java.nio.file.Path directory;

    private FileIo fileIo;
    private TableSchema schema;
    private DataFileMeta file;
    private long[] groups;

    @BeforeEach
    void setUp()
            throws IOException
    {
        fileIo = new HadoopFileIo(new Configuration(false));
        schema = new TableSchema(
                3,
                0,
                ImmutableList.of(KEY, GROUP, NOISE),
                2,
                ImmutableList.of(),
                ImmutableList.of("k"),
                ImmutableMap.of("parquet.page.row.count.limit", "100", "file.block-size", "100 kb", "file.compression", "none", "parquet.enable.dictionary", "false"),
                Optional.empty(),
                0);
        RollingWriter writer = new DataFileWriterFactory(fileIo, paths(), schema).createDataWriter(BinaryRow.EMPTY, 0, 1, FileSource.COMPACT);
        Random random = new Random(1);
        // stretches of a value, so that pages in the middle can be skipped
        groups = LongStream.range(0, ROWS).map(row -> row / 150 % 7).toArray();
        long[] noise = random.longs(ROWS, 0, 1000).toArray();
        long[] keys = LongStream.range(0, ROWS).map(row -> row * 3).toArray();
        writer.write(new Page(
                longs(keys),
                longs(groups),
                longs(noise),
                longs(keys),
                RunLengthEncodedBlock.create(new ByteArrayBlock(1, Optional.empty(), new byte[] {0}), ROWS)));
        file = writer.finish().getFirst();
        assertThat(file.rowCount()).isEqualTo(ROWS);
    }

    private static Block longs(long[] values)
    {
        return new LongArrayBlock(values.length, Optional.empty(), values);
    }

    @Test
    void testPositionsOfAllRows()
            throws IOException
    {
        List<long[]> rows = read(TupleDomain.all(), DeletionVector.EMPTY);
        assertThat(rows).hasSize(ROWS);
        for (int row = 0; row < ROWS; row++) {
            assertThat(rows.get(row)).containsExactly(row * 3L, row);
        }
    }

    @Test
    void testPositionsBehindSkippedPages()
            throws IOException
    {
        Random random = new Random(2);
        for (int round = 0; round < 25; round++) {
            TupleDomain<Integer> predicate = predicate(random);
            DeletionVector deletions = random.nextInt(4) == 0 ?
                    DeletionVector.EMPTY :
                    DeletionVector.of(random.longs(random.nextInt(1, 20_000), 0, ROWS).toArray());
            List<long[]> rows = read(predicate, deletions);
            if (!predicate.isAll()) {
                assertThat(rows.size()).as("pages are skipped").isLessThan(ROWS);
            }
            long last = -1;
            for (long[] row : rows) {
                assertThat(row[0]).isEqualTo(row[1] * 3);
                assertThat(row[1]).isGreaterThan(last);
                assertThat(deletions.contains(row[1])).isFalse();
                last = row[1];
            }
            long expected = LongStream.range(0, ROWS).filter(row -> matches(predicate, row) && !deletions.contains(row)).count();
            assertThat(rows.stream().filter(row -> matches(predicate, row[1]))).hasSize((int) expected);
        }
    }

    private static TupleDomain<Integer> predicate(Random random)
    {
        Domain group = Domain.singleValue(BIGINT, random.nextLong(7));
        long start = random.nextLong(ROWS * 3);
        Domain keys = Domain.create(ValueSet.ofRanges(Range.range(BIGINT, start, true, start + random.nextLong(30_000), true)), false);
        Domain fewKeys = Domain.create(ValueSet.copyOf(BIGINT, random.longs(20, 0, ROWS).mapToObj(row -> (Object) (row * 3)).toList()), false);
        return switch (random.nextInt(4)) {
            case 0 -> TupleDomain.withColumnDomains(ImmutableMap.of(GROUP.id(), group));
            case 1 -> TupleDomain.withColumnDomains(ImmutableMap.of(KEY.id(), keys));
            case 2 -> TupleDomain.withColumnDomains(ImmutableMap.of(KEY.id(), fewKeys));
            default -> TupleDomain.withColumnDomains(ImmutableMap.of(GROUP.id(), group, KEY.id(), keys));
        };
    }

    private boolean matches(TupleDomain<Integer> predicate, long row)
    {
        Domain group = predicate.getDomains().orElseThrow().get(GROUP.id());
        Domain key = predicate.getDomains().orElseThrow().get(KEY.id());
        return (group == null || group.includesNullableValue(groups[(int) row])) && (key == null || key.includesNullableValue(row * 3));
    }

    @Test
    void testColumnsThatAreReadLate()
            throws IOException
    {
        Random random = new Random(3);
        for (int round = 0; round < 25; round++) {
            TupleDomain<Integer> predicate = random.nextBoolean() ? TupleDomain.all() : predicate(random);
            DeletionVector deletions = random.nextBoolean() ? DeletionVector.EMPTY : DeletionVector.of(random.longs(random.nextInt(1, 5_000), 0, ROWS).toArray());
            List<long[]> expected = read(predicate, deletions);
            int row = 0;
            ReadRequest request = request(ImmutableList.of(KEY, GROUP, NOISE), predicate).withDeletions(deletions).withRowPositions();
            try (PageStream pages = new DataFileReaderFactory(fileIo).open(request)) {
                for (SourcePage page = pages.nextSourcePage(); page != null; page = pages.nextSourcePage()) {
                    int count = page.getPositionCount();
                    int[] wanted = IntStream.range(0, count).filter(_ -> random.nextInt(3) == 0).toArray();
                    int[] all = new int[count + 1];
                    System.arraycopy(wanted, 0, all, 1, wanted.length);
                    // some columns are read before rows are chosen, some after, and some not at all
                    Block early = random.nextBoolean() ? page.getBlock(0) : null;
                    if (early != null) {
                        assertThat(early.getPositionCount()).isEqualTo(count);
                    }
                    page.selectPositions(all, 1, wanted.length);
                    assertThat(page.getPositionCount()).isEqualTo(wanted.length);
                    if (random.nextInt(3) > 0) {
                        for (int position = 0; position < wanted.length; position++) {
                            long[] keyAndPosition = expected.get(row + wanted[position]);
                            assertThat(BIGINT.getLong(page.getBlock(0), position)).isEqualTo(keyAndPosition[0]);
                            assertThat(BIGINT.getLong(page.getBlock(1), position)).isEqualTo(groups[(int) keyAndPosition[1]]);
                            assertThat(BIGINT.getLong(page.getBlock(3), position)).isEqualTo(keyAndPosition[1]);
                        }
                    }
                    row += count;
                }
            }
            assertThat(row).isEqualTo(expected.size());
        }
    }

    @Test
    void testColumnOfPageThatIsGone()
            throws IOException
    {
        try (PageStream pages = new DataFileReaderFactory(fileIo).open(request(ImmutableList.of(KEY), TupleDomain.all()))) {
            SourcePage page = pages.nextSourcePage();
            pages.nextSourcePage();
            assertThatThrownBy(() -> page.getBlock(0)).isInstanceOf(IllegalStateException.class).hasMessageContaining("moved on");
        }
    }

    @Test
    void testRowsWithoutColumns()
            throws IOException
    {
        DeletionVector deletions = DeletionVector.of(LongStream.range(5_000, 30_000).toArray());
        int count = 0;
        try (PageStream pages = new DataFileReaderFactory(fileIo).open(request(ImmutableList.of(), TupleDomain.all()).withDeletions(deletions))) {
            for (Page page = pages.nextPage(); page != null; page = pages.nextPage()) {
                assertThat(page.getPositionCount()).isPositive();
                assertThat(page.getChannelCount()).isZero();
                count += page.getPositionCount();
            }
        }
        assertThat(count).isEqualTo(ROWS - 25_000);
    }

    @Test
    void testVectorOfAnotherFile()
    {
        ReadRequest request = request(ImmutableList.of(KEY), TupleDomain.all()).withDeletions(DeletionVector.of(3, ROWS));
        assertThatThrownBy(() -> new DataFileReaderFactory(fileIo).open(request))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.CORRUPT_FILE))
                .hasMessageContaining(file.fileName())
                .hasMessageContaining("row " + ROWS);
    }

    /**
     * Key and position of each row.
     */
    private List<long[]> read(TupleDomain<Integer> predicate, DeletionVector deletions)
            throws IOException
    {
        List<long[]> rows = new ArrayList<>();
        ReadRequest request = request(ImmutableList.of(KEY, GROUP, NOISE), predicate).withDeletions(deletions).withRowPositions();
        try (PageStream pages = new DataFileReaderFactory(fileIo).open(request)) {
            for (Page page = pages.nextPage(); page != null; page = pages.nextPage()) {
                assertThat(page.getChannelCount()).isEqualTo(4);
                for (int position = 0; position < page.getPositionCount(); position++) {
                    rows.add(new long[] {BIGINT.getLong(page.getBlock(0), position), BIGINT.getLong(page.getBlock(3), position)});
                }
            }
        }
        return rows;
    }

    private ReadRequest request(List<DataField> columns, TupleDomain<Integer> predicate)
    {
        Path path = paths().dataFile(BinaryRow.EMPTY, 0, file);
        return new ReadRequest(path, file.fileSize(), schema, columns, false, ImmutableList.of(), BinaryRow.EMPTY, predicate);
    }

    private TablePaths paths()
    {
        return new TablePaths(new Path(directory.toUri()), schema);
    }
}
