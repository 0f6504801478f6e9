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

import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.commit.CommitResult;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.ForwardingFileIo;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.snapshot.CommitKind;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.write.WriteMode;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.OptionalLong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Statements on tables with deletion vectors that meet others: their rows are visible when they end, or they say that not.
 */
final class TestDeletionVectorCommits
        extends AbstractDeletionVectorTest
{
    /**
     * Two statements begin at one snapshot. The compaction that the second has prepared knows nothing of the first, and its
     * rows are visible when it ends all the same.
     */
    @Test
    void testStaleCompactionIsRepeated()
            throws Exception
    {
        OracleTable table = createTable("stale", LOGGED_VECTORS);
        EngineTable engine = engine(table);
        engine.write(rows(0, 100, "old"));
        StorageTable opened = engine.open();
        OptionalLong base = opened.snapshots().latestId();
        List<CommitMessage> first = engine.prepare(opened, base, rows(10, 20, "first"), WriteMode.UPSERT);
        List<CommitMessage> second = engine.prepare(opened, base, rows(30, 40, "second"), WriteMode.UPSERT);
        engine.commit(opened, base, WriteMode.UPSERT, first);
        CommitResult result = engine.commit(opened, base, WriteMode.UPSERT, second).orElseThrow();
        assertThat(result.compactSnapshotId()).isPresent();
        assertThat(result.compactionDropped()).isFalse();
        assertThat(engine.snapshots()).extracting(Snapshot::commitKind)
                .containsExactly(CommitKind.APPEND, CommitKind.COMPACT, CommitKind.APPEND, CommitKind.COMPACT, CommitKind.APPEND, CommitKind.COMPACT);
        assertThat(engine.readRows()).hasSize(100).contains("(10, 'first')", "(30, 'second')", "(50, 'old')");
        checkRows(engine, table);
        assertThat(log(engine)).hasSize(100 + 20 + 20);
        assertThat(paimon.orphanFiles(table)).isEmpty();
    }

    @Test
    void testRowsThatAreNotYetVisible()
            throws Exception
    {
        OracleTable table = createTable("invisible", ImmutableMap.<String, String>builder().putAll(VECTORS).put("commit.max-retries", "1").buildOrThrow());
        EngineTable engine = engine(table);
        engine.write(rows(0, 100, "old"));
        EngineTable breaking = new EngineTable(withoutDisk(fileIo), paimon.location(table), directory.resolve("spill"));
        StorageTable opened = engine.open();
        OptionalLong base = opened.snapshots().latestId();
        List<CommitMessage> late = engine.prepare(opened, base, rows(30, 40, "late"), WriteMode.UPSERT);
        engine.write(rows(50, 51, "other"));
        assertThatThrownBy(() -> breaking.commit(breaking.open(), base, WriteMode.UPSERT, late))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.COMMIT_FAILED))
                .hasMessageContaining("appended")
                .hasMessageContaining("not yet visible");
        assertThat(engine.readRows()).contains("(30, 'old')");
        engine.write(rows(60, 61, "next"));
        assertThat(engine.readRows()).hasSize(100).contains("(30, 'late')", "(50, 'other')", "(60, 'next')");
        checkRows(engine, table);
    }

    /**
     * An UPDATE that has not seen a row must not write over it.
     */
    @Test
    void testChangeOfRowsThatAreNotYetVisible()
            throws Exception
    {
        OracleTable table = createTable("unseen", LOGGED_VECTORS);
        EngineTable engine = engine(table);
        engine.write(rows(0, 100, "old"));
        paimon.writeWithoutCompaction(table, rows(30, 40, "unseen"));
        long snapshots = engine.snapshots().size();
        assertThatThrownBy(() -> engine.write(rows(35, 36, "changed"), WriteMode.ROW_CHANGES))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.COMMIT_CONFLICT))
                .hasMessageContaining("not yet visible")
                .hasMessageContaining("optimize");
        assertThat(engine.snapshots()).hasSize((int) snapshots);
        assertThat(paimon.orphanFiles(table)).isEmpty();
        // other rows may be changed, which makes the waiting ones visible
        engine.write(rows(50, 51, "changed"), WriteMode.ROW_CHANGES);
        engine.write(rows(35, 36, "changed"), WriteMode.ROW_CHANGES);
        assertThat(engine.readRows()).hasSize(100).contains("(34, 'unseen')", "(35, 'changed')", "(50, 'changed')");
        checkRows(engine, table);
    }

    /**
     * No index file can be written, so that a compaction fails where it marks rows.
     */
    private static FileIo withoutDisk(FileIo fileIo)
    {
        return new ForwardingFileIo(fileIo)
        {
            @Override
            public OutputStream create(org.apache.hadoop.fs.Path path)
                    throws IOException
            {
                if (path.getParent().getName().equals("index")) {
                    throw new IOException("disk on fire");
                }
                return super.create(path);
            }
        };
    }
}
