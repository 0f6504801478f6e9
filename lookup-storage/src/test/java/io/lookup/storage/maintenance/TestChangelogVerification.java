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
package io.lookup.storage.maintenance;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.airlift.slice.Slice;
import io.lookup.storage.StorageException;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.ChangeKind;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.table.AbstractOracleTest;
import io.lookup.storage.table.EngineTable;
import io.lookup.storage.table.StorageTable;
import io.lookup.storage.write.WriteMode;
import io.trino.spi.Page;
import io.trino.spi.type.TypeUtils;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.StringJoiner;
import java.util.function.UnaryOperator;

import static io.lookup.storage.oracle.ChangeKind.DELETE;
import static io.lookup.storage.oracle.ChangeKind.INSERT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestChangelogVerification
        extends AbstractOracleTest
{
    @Test
    void testExactLog()
            throws Exception
    {
        for (String engine : List.of("deduplicate", "aggregation")) {
            EngineTable table = create("exact_" + engine, ImmutableMap.of("bucket", "2", "changelog-producer", "lookup", "merge-engine", engine, "num-levels", "4"));
            writeRandomly(table, 40, engine.equals("deduplicate"));
            assertThat(contradictions(table)).isEmpty();
            assertThat(splits(table)).hasSizeGreaterThan(2);
        }
    }

    /**
     * The files of these tables are read one by one in scans, in no order of keys.
     */
    @Test
    void testFilesThatOverlapWithoutAMerge()
            throws Exception
    {
        EngineTable vectors = create("vectors", ImmutableMap.of("bucket", "1", "changelog-producer", "lookup", "deletion-vectors.enabled", "true", "num-levels", "4"));
        EngineTable firstRow = create("first_row", ImmutableMap.of("bucket", "1", "changelog-producer", "lookup", "merge-engine", "first-row", "num-levels", "4"));
        for (EngineTable table : List.of(vectors, firstRow)) {
            for (int commit = 0; commit < 12; commit++) {
                table.write(randomChanges(new Random(commit), table == vectors));
                assertThat(contradictions(table)).isEmpty();
            }
        }
    }

    @Test
    void testLogOfPaimon()
            throws Exception
    {
        PaimonTableDefinition definition = definition(ImmutableMap.of("bucket", "1", "changelog-producer", "lookup"));
        OracleTable theirs = paimon.createTable("default", "theirs", definition);
        Random random = new Random(7);
        for (int commit = 0; commit < 12; commit++) {
            paimon.write(theirs, randomChanges(random, true));
        }
        assertThat(contradictions(new EngineTable(fileIo, paimon.location(theirs), directory.resolve("spill")))).isEmpty();
    }

    @Test
    void testMissingRecords()
            throws Exception
    {
        EngineTable table = create("missing", ImmutableMap.of("bucket", "1", "changelog-producer", "lookup"));
        table.write(ImmutableList.of(change(INSERT, 1L, "a"), change(INSERT, 2L, "b")));
        writeWithOtherLog(table, ImmutableList.of(change(INSERT, 1L, "A"), change(INSERT, 3L, "c")), _ -> ImmutableList.of());
        assertThat(contradictions(table)).containsExactly(
                "4 {} 0 [1] {k=1, v=A} {k=1, v=a}",
                "4 {} 0 [3] {k=3, v=c} null");
        table.write(ImmutableList.of(change(INSERT, 1L, "x"), change(DELETE, 3L, "c")));
        // what came later is told of the later row
        assertThat(contradictions(table)).containsExactly(
                "4 {} 0 [1] {k=1, v=A} {k=1, v=a}",
                "4 {} 0 [3] {k=3, v=c} null");
    }

    @Test
    void testRecordsToldTwice()
            throws Exception
    {
        EngineTable table = create("twice", ImmutableMap.of("bucket", "1", "changelog-producer", "lookup"));
        table.write(ImmutableList.of(change(INSERT, 1L, "a")));
        List<DataFileMeta> first = logOf(table);
        writeWithOtherLog(table, ImmutableList.of(change(INSERT, 2L, "b")), files -> ImmutableList.<DataFileMeta>builder().addAll(files).addAll(first).build());
        assertThat(contradictions(table)).containsExactly("4 {} 0 [1] {k=1, v=a} +I {k=1, v=a}");
    }

    @Test
    void testMissingDelete()
            throws Exception
    {
        EngineTable table = create("undeleted", ImmutableMap.of("bucket", "1", "changelog-producer", "lookup"));
        table.write(ImmutableList.of(change(INSERT, 1L, "a"), change(INSERT, 2L, "b")));
        writeWithOtherLog(table, ImmutableList.of(change(DELETE, 1L, "a")), _ -> ImmutableList.of());
        assertThat(contradictions(table)).containsExactly("4 {} 0 [1] null {k=1, v=a}");
    }

    @Test
    void testWrongOldRow()
            throws Exception
    {
        EngineTable table = create("old_row", ImmutableMap.of("bucket", "1", "changelog-producer", "lookup"));
        table.write(ImmutableList.of(change(INSERT, 1L, "a")));
        table.write(ImmutableList.of(change(INSERT, 1L, "b")));
        List<DataFileMeta> fromAToB = logOf(table);
        table.write(ImmutableList.of(change(INSERT, 1L, "c")));
        writeWithOtherLog(table, ImmutableList.of(change(INSERT, 1L, "b")), _ -> fromAToB);
        assertThat(contradictions(table)).containsExactly("8 {} 0 [1] {k=1, v=c} -U {k=1, v=a}");
    }

    @Test
    void testRefused()
            throws Exception
    {
        EngineTable table = create("without", ImmutableMap.of("bucket", "1"));
        table.write(ImmutableList.of(change(INSERT, 1L, "a")));
        assertThatThrownBy(() -> contradictions(table))
                .isInstanceOf(StorageException.class)
                .hasMessage("The changelog of table without cannot be verified: with 'changelog-producer' = 'none' it is what was written, not what changed; only lookup and full-compaction log changes");
    }

    @Test
    void testEmptyTable()
            throws Exception
    {
        EngineTable table = create("empty", ImmutableMap.of("bucket", "1", "changelog-producer", "lookup"));
        assertThat(splits(table)).isEmpty();
    }

    private static PaimonTableDefinition definition(Map<String, String> options)
    {
        return new PaimonTableDefinition(
                ImmutableList.of(new Column("k", "BIGINT NOT NULL"), new Column("v", "STRING")),
                ImmutableList.of("k"),
                ImmutableList.of(),
                options);
    }

    private EngineTable create(String name, Map<String, String> options)
            throws Exception
    {
        OracleTable table = paimon.createTable("default", name, definition(options));
        return new EngineTable(fileIo, paimon.location(table), directory.resolve("spill"));
    }

    private static void writeRandomly(EngineTable table, int commits, boolean deletes)
    {
        Random random = new Random(commits);
        for (int commit = 0; commit < commits; commit++) {
            table.write(randomChanges(random, deletes));
        }
    }

    private static List<Change> randomChanges(Random random, boolean deletes)
    {
        return random.longs(20, 0, 50).distinct()
                .mapToObj(key -> change(deletes && random.nextInt(4) == 0 ? DELETE : INSERT, key, "v" + random.nextInt(1000)))
                .toList();
    }

    /**
     * Commits a statement whose compaction says something else than what it changed.
     */
    private static void writeWithOtherLog(EngineTable table, List<Change> changes, UnaryOperator<List<DataFileMeta>> log)
    {
        StorageTable opened = table.open();
        List<CommitMessage> messages = table.prepare(opened, opened.snapshots().latestId(), changes, WriteMode.UPSERT);
        List<CommitMessage> changed = messages.stream()
                .map(message -> new CommitMessage(
                        message.partition(),
                        message.bucket(),
                        message.totalBuckets(),
                        message.newFiles(),
                        message.newChangelogFiles(),
                        message.compactBefore(),
                        message.compactAfter(),
                        log.apply(message.compactChangelogFiles())))
                .toList();
        table.commit(opened, opened.snapshots().latestId(), WriteMode.UPSERT, changed);
    }

    private static List<DataFileMeta> logOf(EngineTable table)
    {
        StorageTable opened = table.open();
        return opened.liveFiles().changelogEntries(opened.snapshots().latest().orElseThrow(), _ -> true, _ -> true).stream()
                .map(entry -> entry.file())
                .toList();
    }

    private static List<VerificationSplit> splits(EngineTable table)
    {
        StorageTable opened = table.open();
        List<VerificationSplit> splits = new ArrayList<>();
        Iterator<VerificationSplit> planned = opened.verificationPlanner().plan(opened.snapshots().latestId().orElse(0));
        planned.forEachRemaining(split -> splits.add(VerificationSplit.fromBytes(split.toBytes())));
        return splits;
    }

    private static List<String> contradictions(EngineTable table)
            throws IOException
    {
        StorageTable opened = table.open();
        List<String> rows = new ArrayList<>();
        for (VerificationSplit split : splits(table)) {
            try (PageStream pages = opened.verify(split)) {
                for (Page page = pages.nextPage(); page != null; page = pages.nextPage()) {
                    for (int position = 0; position < page.getPositionCount(); position++) {
                        StringJoiner row = new StringJoiner(" ");
                        for (int channel = 0; channel < page.getChannelCount(); channel++) {
                            Object value = TypeUtils.readNativeValue(VerificationPlanner.COLUMN_TYPES.get(channel), page.getBlock(channel), position);
                            row.add(value instanceof Slice slice ? slice.toStringUtf8() : String.valueOf(value));
                        }
                        rows.add(row.toString());
                    }
                }
            }
        }
        return rows;
    }

    private static Change change(ChangeKind kind, Object... values)
    {
        return new Change(kind, ImmutableList.copyOf(values));
    }
}
