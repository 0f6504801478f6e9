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
package io.lookup.storage.table;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.util.concurrent.Uninterruptibles;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.commit.CommitRequest;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.ForwardingFileIo;
import io.lookup.storage.format.manifest.ManifestCache;
import io.lookup.storage.format.reader.DataFileReaderFactory;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.lookup.LookupStatistics;
import io.lookup.storage.lookup.local.LocalLookupFiles;
import io.lookup.storage.lookup.local.LookupCompression;
import io.lookup.storage.lookup.local.LookupFileSettings;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.write.TableWriter;
import io.lookup.storage.write.WriteMode;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import static io.lookup.storage.oracle.ChangeKind.UPDATE_AFTER;
import static io.lookup.storage.oracle.ChangeKind.UPDATE_BEFORE;
import static io.lookup.storage.oracle.ChangelogReplay.texts;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Statements on a table of which a node could use copies: they end while the copies are being made, and log the same with and without these.
 */
@Timeout(120)
final class TestStatementsAndCopies
        extends AbstractOracleTest
{
    private static final int ROWS = 200;

    private final LookupStatistics statistics = new LookupStatistics();

    @Test
    void testStatementsDoNotWaitForCopies()
            throws Exception
    {
        for (Map<String, String> options : List.<Map<String, String>>of(ImmutableMap.of(), ImmutableMap.of("deletion-vectors.enabled", "true"))) {
            checkStatements("copied_" + options.size(), options);
        }
    }

    private void checkStatements(String name, Map<String, String> options)
            throws Exception
    {
        OracleTable table = paimon.createTable("default", name, new PaimonTableDefinition(
                ImmutableList.of(new Column("id", "INT NOT NULL"), new Column("v", "BIGINT")),
                ImmutableList.of("id"),
                ImmutableList.of(),
                ImmutableMap.of("bucket", "1", "changelog-producer", "lookup")).withOptions(options));
        EngineTable reader = new EngineTable(fileIo, location(table), directory.resolve("reader"));
        CountDownLatch mayRead = new CountDownLatch(1);
        FileIo gated = new ForwardingFileIo(fileIo)
        {
            @Override
            public FSDataInputStream open(Path path, long length)
                    throws IOException
            {
                if (Thread.currentThread().getName().startsWith("lookup-file-copy")) {
                    Uninterruptibles.awaitUninterruptibly(mayRead);
                }
                return super.open(path, length);
            }
        };
        java.nio.file.Path cache = directory.resolve("cache-" + name);
        LookupFileSettings settings = new LookupFileSettings(cache, Long.MAX_VALUE, 1 << 20, Long.MAX_VALUE / 2, LookupCompression.LZ4, 1 << 10);
        long made = statistics.getCopiesMade().getTotalCount();
        try (LocalLookupFiles copies = new LocalLookupFiles(settings, statistics)) {
            TableContext context = new TableContext(gated, new DataFileReaderFactory(gated), new ManifestCache(1 << 20), Optional.of(copies), directory.resolve("spill"), 64L << 20);
            write(context, table, ROWS, 0);
            // the largest file is not written by a compaction, which would have written its copy too
            assertThat(copies.getFileCount()).isZero();
            // each statement looks into it, and none of them waits for its copy, which is asked for by one of the first
            int version = 1;
            while (copies.getCopiesQueued() + copies.getCopiesRunning() == 0) {
                update(context, table, reader, version++);
            }
            update(context, table, reader, version++);
            assertThat(version).isLessThan(6);
            assertThat(statistics.getCopiesMade().getTotalCount()).isEqualTo(made);

            mayRead.countDown();
            copies.awaitCopies();
            assertThat(statistics.getCopiesMade().getTotalCount()).isGreaterThan(made);
            assertThat(statistics.getCopiesFailed().getTotalCount()).isZero();
            long hits = statistics.getLocalHits().getTotalCount();
            for (int more = 0; more < 3; more++) {
                update(context, table, reader, version++);
            }
            assertThat(statistics.getLocalHits().getTotalCount()).isGreaterThan(hits);
        }
        try (Stream<java.nio.file.Path> files = Files.walk(cache)) {
            assertThat(files.map(java.nio.file.Path::toString)).noneMatch(file -> file.endsWith(".tmp"));
        }
        assertThat(texts(paimon.readTable(table))).isEqualTo(reader.readRows());
    }

    /**
     * Sets some rows to another version, and checks what is logged.
     */
    private void update(TableContext context, OracleTable table, EngineTable reader, int version)
            throws IOException
    {
        long before = reader.open().snapshots().latestId().orElseThrow();
        int count = 3 + version % 3;
        write(context, table, count, version);
        List<String> expected = new ArrayList<>();
        for (int row = 0; row < count; row++) {
            // the number of rows goes from 3 to 5 and back, so that some were left out by the statement before
            long old = latestVersion(version - 1, row);
            expected.add(new Change(UPDATE_BEFORE, ImmutableList.of(row, old)).toString());
            expected.add(new Change(UPDATE_AFTER, ImmutableList.of(row, (long) version)).toString());
        }
        List<String> actual = reader.snapshotsAfter(before).stream().flatMap(snapshot -> reader.readLog(snapshot).stream()).map(Change::toString).toList();
        assertThat(actual).containsExactlyInAnyOrderElementsOf(expected);
    }

    private static long latestVersion(int upTo, int row)
    {
        for (int version = upTo; version > 0; version--) {
            if (row < 3 + version % 3) {
                return version;
            }
        }
        return 0;
    }

    private void write(TableContext context, OracleTable oracleTable, int count, int version)
    {
        Path path = new Path(location(oracleTable).toUri());
        StorageTable table = StorageTable.open(context, path.getName(), path).orElseThrow();
        OptionalLong base = table.snapshots().latestId();
        TableWriter writer = table.newWriter(base, WriteMode.UPSERT);
        List<List<Object>> rows = new ArrayList<>();
        for (int row = 0; row < count; row++) {
            rows.add(ImmutableList.of(row, (long) version));
        }
        writer.write(BlockValues.toPage(table.schema().fields(), rows), RowKind.INSERT);
        List<CommitMessage> messages = writer.prepareCommit();
        table.commit(new CommitRequest(base, messages, false, ImmutableMap.of(), ImmutableMap.of(), UUID.randomUUID().toString(), Optional.empty()));
    }
}
