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
package io.lookup.storage.commit;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.commit.CommitInvariants.Rule;
import io.lookup.storage.commit.CommitInvariants.Violation;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.SimpleStats;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BinaryRowEncoder;
import io.lookup.storage.snapshot.CommitKind;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.testing.TestTable;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import static org.assertj.core.api.Assertions.assertThat;

final class TestCommitInvariants
{
    private static final CommitInvariants INVARIANTS = new CommitInvariants(Optional.of(KeyEncoder.forKeys(ImmutableList.of(TestTable.INT.withNullable(false)))));

    @Test
    void testLawfulCompaction()
    {
        assertThat(check(List.of(live("a", 0, 1, 5), live("b", 5, 1, 3)), delete("a", 0, 1, 5), delete("b", 5, 1, 3), add("c", 5, 1, 5))).isEmpty();
    }

    @Test
    void testUpgradeIsLawful()
    {
        assertThat(check(List.of(live("a", 0, 1, 5)), delete("a", 0, 1, 5), add("a", 5, 1, 5))).isEmpty();
    }

    @Test
    void testDeletesFirst()
    {
        assertThat(check(List.of(live("a", 0, 1, 5)), add("a", 5, 1, 5), delete("a", 0, 1, 5))).contains(Rule.DELETES_FIRST);
    }

    @Test
    void testDeletedIsLive()
    {
        assertThat(check(List.of(), delete("a", 0, 1, 5))).contains(Rule.DELETED_IS_LIVE);
        // at another level it is another file
        assertThat(check(List.of(live("a", 4, 1, 5)), delete("a", 0, 1, 5))).contains(Rule.DELETED_IS_LIVE);
        assertThat(check(List.of(live("a", 0, 1, 5)), delete("a", 0, 1, 5), delete("a", 0, 1, 5))).contains(Rule.DELETED_IS_LIVE);
    }

    @Test
    void testAddedIsNew()
    {
        assertThat(check(List.of(live("a", 0, 1, 5)), add("a", 0, 1, 5))).contains(Rule.ADDED_IS_NEW);
        // live files are what no DELETE names, wherever it stands
        assertThat(check(List.of(live("a", 0, 1, 5)), delete("a", 0, 1, 5), add("a", 0, 1, 5))).contains(Rule.ADDED_IS_NEW);
    }

    @Test
    void testAddedOnce()
    {
        assertThat(check(List.of(), add("a", 0, 1, 5), add("a", 0, 1, 5))).contains(Rule.ADDED_ONCE);
    }

    @Test
    void testLevelIsOneRun()
    {
        assertThat(check(List.of(live("a", 5, 1, 5)), add("b", 5, 6, 9))).isEmpty();
        assertThat(check(List.of(live("a", 5, 1, 5)), add("b", 5, 5, 9))).contains(Rule.LEVEL_IS_ONE_RUN);
        assertThat(check(List.of(live("a", 5, 1, 5)), add("b", 4, 5, 9))).isEmpty();
        assertThat(check(List.of(live("a", 0, 1, 5)), add("b", 0, 1, 9))).isEmpty();
        assertThat(check(List.of(live("a", 5, -9, -3)), add("b", 5, -3, 4))).contains(Rule.LEVEL_IS_ONE_RUN);
    }

    @Test
    void testOneBucketCount()
    {
        ManifestEntry four = new ManifestEntry(FileKind.ADD, BinaryRow.EMPTY, 3, 4, file("b", 0, 1, 5));
        assertThat(check(List.of(live("a", 0, 1, 5)), four)).contains(Rule.ONE_BUCKET_COUNT);
        assertThat(INVARIANTS.check(CommitKind.OVERWRITE, List.of(live("a", 0, 1, 5)), List.of(delete("a", 0, 1, 5), four))).isEmpty();
        // a dynamic or postponed file has no count
        assertThat(check(List.of(live("a", 0, 1, 5)), new ManifestEntry(FileKind.ADD, BinaryRow.EMPTY, -2, -2, file("b", 0, 1, 5)))).isEmpty();
    }

    @Test
    void testSnapshotCounts()
    {
        CommitChanges changes = new CommitChanges(List.of(delete("a", 0, 1, 5), add("b", 0, 1, 9)), List.of());
        assertThat(changes.deltaRecordCount()).isZero();
        Snapshot previous = snapshot(1, 100, 10, 10, OptionalLong.empty());
        assertThat(CommitInvariants.checkSnapshot(Optional.of(previous), snapshot(2, 100, 10, 0, OptionalLong.empty()), changes)).isEmpty();
        assertThat(CommitInvariants.checkSnapshot(Optional.of(previous), snapshot(2, 99, 10, 0, OptionalLong.empty()), changes).map(Violation::rule)).contains(Rule.TIME_GROWS);
        assertThat(CommitInvariants.checkSnapshot(Optional.of(previous), snapshot(2, 100, 11, 0, OptionalLong.empty()), changes).map(Violation::rule)).contains(Rule.COUNTS_ADD_UP);
        assertThat(CommitInvariants.checkSnapshot(Optional.of(previous), snapshot(2, 100, 10, 1, OptionalLong.empty()), changes).map(Violation::rule)).contains(Rule.COUNTS_ADD_UP);
        assertThat(CommitInvariants.checkSnapshot(Optional.of(previous), snapshot(2, 100, 10, 0, OptionalLong.of(3)), changes).map(Violation::rule)).contains(Rule.COUNTS_ADD_UP);
    }

    private static Optional<Rule> check(List<ManifestEntry> live, ManifestEntry... changes)
    {
        return INVARIANTS.check(CommitKind.COMPACT, live, List.of(changes)).map(Violation::rule);
    }

    private static Snapshot snapshot(long id, long time, long total, long delta, OptionalLong changelog)
    {
        return new Snapshot(3, id, 0, "base", OptionalLong.empty(), "delta", OptionalLong.empty(), changelog.isPresent() ? Optional.of("changelog") : Optional.empty(), OptionalLong.empty(), Optional.empty(),
                "user", Long.MAX_VALUE, CommitKind.COMPACT, time, total, delta, changelog, OptionalLong.empty(), Optional.empty(), Map.of(), OptionalLong.of(0));
    }

    private static ManifestEntry live(String name, int level, int min, int max)
    {
        return add(name, level, min, max);
    }

    private static ManifestEntry add(String name, int level, int min, int max)
    {
        return new ManifestEntry(FileKind.ADD, BinaryRow.EMPTY, 0, 2, file(name, level, min, max));
    }

    private static ManifestEntry delete(String name, int level, int min, int max)
    {
        return new ManifestEntry(FileKind.DELETE, BinaryRow.EMPTY, 0, 2, file(name, level, min, max));
    }

    private static DataFileMeta file(String name, int level, int min, int max)
    {
        BinaryRowEncoder encoder = new BinaryRowEncoder(ImmutableList.of(TestTable.INT));
        return new DataFileMeta(
                name, 100, 5, encoder.encodeValues(ImmutableList.of((long) min)), encoder.encodeValues(ImmutableList.of((long) max)), SimpleStats.EMPTY, SimpleStats.EMPTY, 0, 4,
                0, level, ImmutableList.of(), OptionalLong.of(1), OptionalLong.of(0), Optional.empty(), Optional.of(FileSource.APPEND), Optional.of(ImmutableList.of()), Optional.empty(), OptionalLong.empty(), Optional.empty());
    }
}
