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
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.deletion.DeletionVector;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.format.parquet.DataFileWriterFactory;
import io.lookup.storage.format.parquet.DataFileWriterFactory.RollingWriter;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.lookup.FileLookup;
import io.lookup.storage.lookup.LookupHits;
import io.lookup.storage.lookup.LookupStatistics;
import io.lookup.storage.lookup.ProbeKeys;
import io.lookup.storage.schema.TableSchema;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Lookup files that are written with their data files.
 */
final class TestLookupFileFeed
{
    @TempDir
    private java.nio.file.Path directory;

    private final LookupRows rows = LookupRows.simple(4, 20_000);
    private final AtomicLong now = new AtomicLong(1_000_000);
    private TablePaths paths;
    private DataFileWriterFactory writers;
    private LocalLookupFiles files;

    @BeforeEach
    void setUp()
    {
        TableSchema schema = new TableSchema(3, 0, rows.columns(), 10, ImmutableList.of(), rows.keyNames(), ImmutableMap.of("target-file-size", "16kb", "file.compression", "none"), Optional.empty(), 0);
        paths = new TablePaths(new Path(directory.resolve("table").toUri()), schema);
        writers = new DataFileWriterFactory(new HadoopFileIo(new Configuration(false)), paths, schema);
        files = new LocalLookupFiles(
                new LookupFileSettings(directory.resolve("lookup"), Long.MAX_VALUE, 1 << 20, Long.MAX_VALUE / 2, LookupCompression.LZ4, 4096),
                new LookupStatistics(),
                new MappedDisk(),
                now::get);
    }

    @AfterEach
    void tearDown()
            throws IOException
    {
        files.close();
    }

    @Test
    void testEachDataFileHasOne()
            throws IOException
    {
        for (LookupLayout layout : List.of(rows.lookupLayout(), rows.keyLayout())) {
            RollingWriter writer = writer(layout);
            writer.write(rows.page());
            List<DataFileMeta> written = writer.finish();
            assertThat(written).hasSizeGreaterThan(2);
            long position = 0;
            for (DataFileMeta file : written) {
                LookupFileId id = new LookupFileId(paths.dataFile(BinaryRow.EMPTY, 0, file).toString(), file, layout);
                try (FileLookup lookup = files.find(id, DeletionVector.EMPTY, () -> {
                    throw new AssertionError();
                }).orElseThrow()) {
                    ProbeKeys probes = new ProbeKeys();
                    probes.add(0, rows.key((int) position), rows.page(), 0);
                    probes.add(0, rows.key((int) (position + file.rowCount() - 1)), rows.page(), 0);
                    LookupHits hits = new LookupHits();
                    hits.reset(2);
                    lookup.probe(probes, 0, 2, hits);
                    assertThat(hits.rowPosition(0)).isZero();
                    assertThat(hits.rowPosition(1)).isEqualTo(file.rowCount() - 1);
                }
                position += file.rowCount();
            }
            assertThat(position).isEqualTo(rows.count());
        }
    }

    @Test
    void testNoneOfAFileThatIsNotToBe()
            throws IOException
    {
        RollingWriter writer = writer(rows.lookupLayout());
        writer.write(rows.page());
        // waits for the rows that are still being encoded
        assertThat(writer.writtenBytes()).isPositive();
        assertThat(files.getFileCount()).isPositive();
        writer.abort();
        assertThat(files.getFileCount()).isZero();
        assertThat(files.getDiskBytes()).isZero();
    }

    @Test
    void testFilesOfDeadDataFilesGo()
            throws IOException
    {
        RollingWriter writer = writer(rows.lookupLayout());
        writer.write(rows.page());
        List<String> written = writer.finish().stream().map(file -> paths.dataFile(BinaryRow.EMPTY, 0, file).toString()).toList();
        String bucket = paths.bucketDirectory(BinaryRow.EMPTY, 0).toString();

        // perhaps of a statement that is about to be committed
        files.retain(bucket, Set.of());
        assertThat(files.getFileCount()).isEqualTo(written.size());

        now.addAndGet(100_000);
        files.retain(bucket + "0", Set.of());
        assertThat(files.getFileCount()).isEqualTo(written.size());
        files.retain(bucket, Set.of(written.get(1)));
        assertThat(files.getFileCount()).isEqualTo(1);
    }

    private RollingWriter writer(LookupLayout layout)
    {
        return writers.createDataWriter(BinaryRow.EMPTY, 0, 3, FileSource.COMPACT, files.feed(layout, Optional.empty()));
    }
}
