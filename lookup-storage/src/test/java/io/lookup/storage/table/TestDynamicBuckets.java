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
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.IndexManifestEntry;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.write.WriteMode;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tables whose buckets grow with their keys: each key is in one bucket, whoever wrote it first.
 */
final class TestDynamicBuckets
        extends AbstractOracleTest
{
    @Test
    void testInTurnsWithPaimon()
            throws Exception
    {
        for (int seed = 1; seed <= 4; seed++) {
            OracleTable table = create("turns_" + seed, ImmutableMap.of(
                    "changelog-producer", seed % 2 == 0 ? "lookup" : "none",
                    "deletion-vectors.enabled", String.valueOf(seed == 3),
                    "dynamic-bucket.target-row-num", "5",
                    "dynamic-bucket.initial-buckets", seed == 4 ? "3" : "1"));
            EngineTable engine = engine(table);
            Random random = new Random(seed);
            Map<List<Object>, Object> expected = new HashMap<>();
            for (int commit = 0; commit < 14; commit++) {
                List<Change> rows = new ArrayList<>();
                for (int row = 0; row < 8; row++) {
                    List<Object> key = ImmutableList.of(random.nextInt(2), random.nextInt(40));
                    if (random.nextInt(4) == 0 && expected.containsKey(key)) {
                        rows.add(Change.delete(key.get(0), key.get(1), expected.remove(key)));
                    }
                    else {
                        long value = random.nextLong(1000);
                        rows.add(Change.insert(key.get(0), key.get(1), value));
                        expected.put(key, value);
                    }
                }
                if (random.nextBoolean()) {
                    engine.write(rows);
                }
                else {
                    paimon.write(table, rows);
                }
                List<String> wanted = expected.entrySet().stream()
                        .map(entry -> Change.insert(entry.getKey().get(0), entry.getKey().get(1), entry.getValue()).rowText())
                        .sorted()
                        .toList();
                assertThat(engine.readRows()).as("seed %s, commit %s", seed, commit).isEqualTo(wanted);
                assertThat(paimonRows(table)).as("seed %s, commit %s", seed, commit).isEqualTo(wanted);
                checkBuckets(engine, 5, commit);
            }
            assertThat(engine.open().liveFiles().liveFiles(latest(engine), _ -> true, _ -> true).stream().map(ManifestEntry::bucket).max(Integer::compare).orElseThrow()).isGreaterThan(3);
            // everything is one level, and still each key is there once
            engine.compact(true);
            assertThat(paimonRows(table)).isEqualTo(engine.readRows());
            int rows = engine.readRows().size();
            engine.open().maintenance().expireSnapshots(Duration.ZERO, OptionalInt.of(1));
            engine.open().maintenance().removeOrphanFiles(Duration.ofDays(-1));
            assertThat(engine.readRows()).hasSize(rows);
            paimon.write(table, ImmutableList.of(Change.insert(0, 1, 5L)));
            assertThat(paimonRows(table)).isEqualTo(engine.readRows());
        }
    }

    @Test
    void testLimitOfBuckets()
            throws Exception
    {
        OracleTable table = create("limited", ImmutableMap.of("dynamic-bucket.target-row-num", "3", "dynamic-bucket.initial-buckets", "2", "dynamic-bucket.max-buckets", "4"));
        EngineTable engine = engine(table);
        engine.write(inserts(0, 0, 2));
        assertThat(buckets(engine, 0).keySet()).isSubsetOf(0, 1);
        engine.write(inserts(0, 2, 60));
        // full buckets share the rest
        assertThat(buckets(engine, 0).keySet()).containsExactlyInAnyOrder(0, 1, 2, 3);
        assertThat(buckets(engine, 0).values()).allSatisfy(keys -> assertThat(keys).hasSizeBetween(5, 35));
        assertThat(engine.readRows()).hasSize(60).isEqualTo(paimonRows(table));
    }

    @Test
    void testTwoStatementsWithOneNewKey()
            throws Exception
    {
        OracleTable table = create("raced", ImmutableMap.of("dynamic-bucket.target-row-num", "2", "changelog-producer", "lookup"));
        EngineTable engine = engine(table);
        engine.write(inserts(0, 0, 2));
        engine.write(inserts(1, 0, 2));
        StorageTable opened = engine.open();
        OptionalLong base = opened.snapshots().latestId();
        // the first one puts 3 into bucket 2, the other one into bucket 1
        List<CommitMessage> first = engine.prepare(opened, base, ImmutableList.of(Change.insert(0, 7, 0L), Change.insert(0, 8, 0L), Change.insert(0, 3, 1L)), WriteMode.UPSERT);
        List<CommitMessage> second = engine.prepare(opened, base, ImmutableList.of(Change.insert(0, 3, 2L)), WriteMode.UPSERT);
        List<CommitMessage> known = engine.prepare(opened, base, ImmutableList.of(Change.insert(0, 1, 9L)), WriteMode.UPSERT);
        List<CommitMessage> elsewhere = engine.prepare(opened, base, ImmutableList.of(Change.insert(1, 3, 4L)), WriteMode.UPSERT);
        engine.commit(opened, base, WriteMode.UPSERT, first);
        for (List<CommitMessage> late : ImmutableList.of(second, known)) {
            assertThatThrownBy(() -> engine.commit(opened, base, WriteMode.UPSERT, late))
                    .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.COMMIT_CONFLICT))
                    .hasMessageContaining(", partition p=0/: another statement assigned new keys to buckets while this one ran; nothing was committed, run the statement again");
            opened.discard(late);
        }
        // other partitions do not matter
        engine.commit(opened, base, WriteMode.UPSERT, elsewhere);
        checkBuckets(engine, 2, 0);
        engine.write(ImmutableList.of(Change.insert(0, 3, 2L)));
        assertThat(engine.readRows()).hasSize(8).contains(Change.insert(0, 3, 2L).rowText()).isEqualTo(paimonRows(table));

        // of keys that are known, any number of statements
        StorageTable again = engine.open();
        OptionalLong newBase = again.snapshots().latestId();
        List<CommitMessage> one = engine.prepare(again, newBase, ImmutableList.of(Change.insert(0, 3, 30L)), WriteMode.UPSERT);
        List<CommitMessage> two = engine.prepare(again, newBase, ImmutableList.of(Change.insert(0, 3, 31L)), WriteMode.UPSERT);
        engine.commit(again, newBase, WriteMode.UPSERT, one);
        engine.commit(again, newBase, WriteMode.UPSERT, two);
        assertThat(engine.readRows()).hasSize(8).contains(Change.insert(0, 3, 31L).rowText()).isEqualTo(paimonRows(table));
        engine.open().maintenance().removeOrphanFiles(Duration.ofDays(-1));
        assertThat(engine.readRows()).isEqualTo(paimonRows(table));
        paimon.write(table, ImmutableList.of(Change.insert(0, 3, 32L), Change.insert(0, 99, 1L)));
        checkBuckets(engine, 2, 0);
    }

    @Test
    void testOverwriteAndTruncate()
            throws Exception
    {
        OracleTable table = create("replaced", ImmutableMap.of("dynamic-bucket.target-row-num", "2", "changelog-producer", "lookup"));
        EngineTable engine = engine(table);
        engine.write(inserts(0, 0, 6));
        engine.write(inserts(1, 0, 3));
        engine.overwrite(ImmutableList.of(Change.insert(0, 5, 50L), Change.insert(0, 6, 60L), Change.insert(0, 7, 70L)));
        assertThat(engine.readRows()).hasSize(6).isEqualTo(paimonRows(table));
        checkBuckets(engine, 6, 0);
        paimon.write(table, inserts(0, 3, 9));
        assertThat(engine.readRows()).hasSize(9).isEqualTo(paimonRows(table));
        checkBuckets(engine, 6, 1);
        // a statement that began before does not bring its buckets back
        StorageTable opened = engine.open();
        OptionalLong base = opened.snapshots().latestId();
        List<CommitMessage> late = engine.prepare(opened, base, inserts(0, 5, 6), WriteMode.UPSERT);
        engine.overwrite(ImmutableList.of());
        assertThat(engine.readRows()).isEmpty();
        assertThatThrownBy(() -> engine.commit(opened, base, WriteMode.UPSERT, late)).hasMessageContaining("nothing was committed, run the statement again");
        opened.discard(late);
        engine.write(inserts(0, 5, 8));
        paimon.write(table, inserts(0, 3, 6));
        assertThat(engine.readRows()).hasSize(5).isEqualTo(paimonRows(table));
        checkBuckets(engine, 2, 2);
    }

    @Test
    void testLostIndex()
            throws Exception
    {
        OracleTable table = create("lost", ImmutableMap.of());
        EngineTable engine = engine(table);
        engine.write(inserts(0, 0, 3));
        for (ManifestEntry entry : engine.open().liveFiles().liveFiles(latest(engine), _ -> true, _ -> true)) {
            assertThat(entry.totalBuckets()).isEqualTo(-1);
        }
        List<IndexManifestEntry> index = index(engine);
        assertThat(index).hasSize(1);
        fileIo.deleteFile(new org.apache.hadoop.fs.Path(location(table).resolve("index").resolve(index.getFirst().fileName()).toUri()));
        assertThat(engine.readRows()).hasSize(3);
        assertThatThrownBy(() -> engine.write(inserts(0, 1, 2)))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.MISSING_FILE))
                .hasMessageContaining(index.getFirst().fileName());
    }

    /**
     * Checks that no key is in two buckets, and that the index has each key's hash where the key is.
     */
    private static void checkBuckets(EngineTable engine, int target, int commit)
    {
        for (int partition = 0; partition < 2; partition++) {
            Map<Integer, Set<Object>> buckets = buckets(engine, partition);
            assertThat(buckets.values().stream().mapToInt(Set::size).sum()).as("commit %s, keys of %s", commit, buckets).isEqualTo((int) buckets.values().stream().flatMap(Set::stream).distinct().count());
            assertThat(buckets.values()).allSatisfy(keys -> assertThat(keys).hasSizeLessThanOrEqualTo(target));
        }
        Map<BucketId, Long> indexed = new HashMap<>();
        index(engine).forEach(entry -> assertThat(indexed.put(new BucketId(entry.partition(), entry.bucket()), entry.rowCount())).isNull());
        assertThat(indexed.keySet()).containsAll(engine.open().liveFiles().liveFiles(latest(engine), _ -> true, _ -> true).stream().map(BucketId::of).toList());
        assertThat(indexed.values()).allSatisfy(count -> assertThat(count).isLessThanOrEqualTo(target));
    }

    private static List<IndexManifestEntry> index(EngineTable engine)
    {
        return latest(engine).indexManifest().map(engine.open().manifests()::readIndexManifest).orElse(List.of()).stream()
                .filter(entry -> entry.indexType().equals(IndexManifestEntry.HASH))
                .toList();
    }

    private static Snapshot latest(EngineTable engine)
    {
        return engine.open().snapshots().latest().orElseThrow();
    }

    /**
     * The keys in each bucket's files, deleted ones included.
     */
    private static Map<Integer, Set<Object>> buckets(EngineTable engine, int partition)
    {
        return new TreeMap<>(engine.readKeys(latest(engine)).stream()
                .filter(key -> key.row().getFirst().equals(partition))
                .collect(groupingBy(EngineTable.BucketKey::bucket, mapping(key -> key.row().get(1), toCollection(TreeSet::new)))));
    }

    private static List<Change> inserts(int partition, int from, int to)
    {
        List<Change> rows = new ArrayList<>();
        for (int key = from; key < to; key++) {
            rows.add(Change.insert(partition, key, (long) key));
        }
        return rows;
    }

    private List<String> paimonRows(OracleTable table)
            throws Exception
    {
        return paimon.readTable(table).stream().map(Change::rowText).sorted().toList();
    }

    private OracleTable create(String name, Map<String, String> options)
            throws Exception
    {
        return paimon.createTable("default", name, new PaimonTableDefinition(
                ImmutableList.of(new Column("p", "INT NOT NULL"), new Column("k", "INT NOT NULL"), new Column("v", "BIGINT")),
                ImmutableList.of("p", "k"),
                ImmutableList.of("p"),
                ImmutableMap.<String, String>builder().put("bucket", "-1").putAll(options).buildOrThrow()));
    }
}
