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
import io.lookup.storage.commit.CommitRequest;
import io.lookup.storage.commit.OverwriteScope;
import io.lookup.storage.format.manifest.IndexManifestEntry;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.scan.ScanFilter;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.write.WriteMode;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tables whose replaced rows are marked in deletion vectors: what becomes visible when, and what others do to them.
 */
final class TestDeletionVectorTables
        extends AbstractDeletionVectorTest
{
    /**
     * A dead row must not be taken for the state before.
     */
    @Test
    void testInsertAfterDelete()
            throws Exception
    {
        for (boolean compacts : new boolean[] {false, true}) {
            OracleTable table = createTable("again_" + compacts, ImmutableMap.<String, String>builder()
                    .putAll(LOGGED_VECTORS)
                    .put("changelog-producer.row-deduplicate", "true")
                    .buildOrThrow());
            EngineTable engine = engine(table);
            engine.write(rows(0, 100, "x"));
            engine.write(ImmutableList.of(Change.delete(8, "x")), WriteMode.ROW_CHANGES);
            assertThat(engine.readRows()).hasSize(99);
            assertThat(engine.deletedRows()).isEqualTo(1);
            if (compacts) {
                engine.compact();
                assertThat(engine.deletedRows()).isZero();
                assertThat(engine.open().snapshots().latest().orElseThrow().indexManifest()).isEmpty();
            }
            engine.write(rows(8, 9, "x"));
            assertThat(log(engine)).hasSize(102).filteredOn(change -> change.contains("(8, ")).containsExactly("+I(8, 'x')", "-D(8, 'x')", "+I(8, 'x')");
            assertThat(engine.readRows()).hasSize(100);
            checkRows(engine, table);
        }
    }

    @Test
    void testReplacedRowsAreNotWrittenAnew()
            throws Exception
    {
        OracleTable table = createTable("marked", LOGGED_VECTORS);
        EngineTable engine = engine(table);
        engine.write(rows(0, 1_000, "old"));
        engine.write(rows(10, 20, "new"));
        engine.write(ImmutableList.of(Change.delete(5, "old"), Change.delete(15, "new")), WriteMode.ROW_CHANGES);

        assertThat(engine.fileLevels(engine.snapshots().getLast())).anyMatch(file -> file.endsWith("L5 1000 rows"));
        assertThat(engine.deletedRows()).isPositive();
        assertThat(engine.isMergeFree(engine.snapshots().getLast())).isTrue();
        assertThat(engine.readRows()).hasSize(998).contains("(10, 'new')", "(9, 'old')").doesNotContain("(10, 'old')", "(5, 'old')", "(15, 'new')", "(15, 'old')");
        assertThat(engine.readRows()).isEqualTo(texts(paimon.readTable(table)));
        assertThat(engine.open().scanPlanner().estimate(engine.snapshots().getLast(), ScanFilter.ALL).rowCount()).isEqualTo(998);

        // every snapshot has the vectors of its own files
        for (Snapshot snapshot : engine.snapshots()) {
            assertThat(engine.readRows(snapshot)).isEqualTo(texts(paimon.readTable(table, snapshot.id())));
        }
    }

    /**
     * Few keys of a large file are looked up page by page: the positions found must be those of the file.
     */
    @Test
    void testFewKeysOfLargeFile()
            throws Exception
    {
        OracleTable table = createTable("large", ImmutableMap.<String, String>builder()
                .putAll(LOGGED_VECTORS)
                .put("parquet.page.row.count.limit", "200")
                .put("file.block-size", "200 kb")
                .buildOrThrow());
        EngineTable engine = engine(table);
        engine.write(rows(0, 50_000, "old"));
        engine.write(ImmutableList.of(Change.insert(7, "new"), Change.insert(23_456, "new"), Change.insert(49_999, "new")));
        engine.write(ImmutableList.of(Change.delete(8, "old"), Change.delete(40_000, "old")), WriteMode.ROW_CHANGES);
        assertThat(engine.deletedRows()).isEqualTo(5);
        assertThat(engine.readRows())
                .hasSize(49_998)
                .contains("(7, 'new')", "(23456, 'new')", "(49999, 'new')", "(6, 'old')", "(23455, 'old')", "(23457, 'old')", "(39999, 'old')", "(40001, 'old')")
                .doesNotContain("(7, 'old')", "(23456, 'old')", "(49999, 'old')", "(8, 'old')", "(40000, 'old')");
        assertThat(engine.readRows()).isEqualTo(texts(paimon.readTable(table)));
    }

    @Test
    void testKindOfVectorsIsChanged()
            throws Exception
    {
        OracleTable table = createTable("kinds", VECTORS);
        EngineTable engine = engine(table);
        engine.write(rows(0, 200, "a"));
        engine.write(rows(0, 5, "b"));
        paimon.setOption(table, "deletion-vectors.bitmap64", "true");
        engine.write(rows(4, 9, "c"));
        checkRows(engine, table);
        paimon.write(table, rows(100, 103, "d"));
        checkRows(engine, table);
        paimon.setOption(table, "deletion-vectors.bitmap64", "false");
        engine.write(rows(102, 105, "e"));
        checkRows(engine, table);
        assertThat(engine.readRows()).hasSize(200).contains("(3, 'b')", "(4, 'c')", "(101, 'd')", "(104, 'e')");
    }

    /**
     * Set on a table that has files at several levels, the option would show keys twice and hide rows: it is refused.
     */
    @Test
    void testOptionIsSetLater()
            throws Exception
    {
        OracleTable table = createTable("later", ImmutableMap.of("changelog-producer", "lookup"));
        EngineTable engine = engine(table);
        engine.write(rows(0, 50, "first"));
        for (int version = 0; version < 3; version++) {
            engine.write(rows(1, 2, "version" + version));
        }
        List<String> rows = engine.readRows();
        TableSchema after = withOptions(engine.open().schema(), LOGGED_VECTORS);
        assertThatThrownBy(() -> engine.open().checkChange(after))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.INVALID_OPTION))
                .hasMessageContaining("deletion-vectors.enabled")
                .hasMessageContaining("bucket 0")
                .hasMessageContaining("optimize");
        engine.compact();
        engine.open().checkChange(after);
        paimon.setOption(table, "deletion-vectors.modifiable", "true");
        paimon.setOption(table, "deletion-vectors.enabled", "true");
        checkRows(engine, table);
        assertThat(engine.readRows()).isEqualTo(rows).contains("(1, 'version2')");
        engine.write(rows(1, 3, "last"));
        assertThat(engine.readRows()).hasSize(50).contains("(1, 'last')", "(2, 'last')");
        checkRows(engine, table);

        // and back again
        TableSchema without = withOptions(engine.open().schema(), ImmutableMap.of("changelog-producer", "lookup"));
        assertThatThrownBy(() -> engine.open().checkChange(without)).hasMessageContaining("optimize");
        engine.compact();
        engine.open().checkChange(without);
    }

    /**
     * Another engine has set the option on such a table. Keys are merged until a compaction has seen them all, which is the
     * next one.
     */
    @Test
    void testOptionIsSetByOthersOnUncompactedTable()
            throws Exception
    {
        for (String engineOption : List.of("deduplicate", "aggregation")) {
            OracleTable table = createTable("foreign_" + engineOption, ImmutableMap.of(
                    "changelog-producer", "lookup",
                    "merge-engine", engineOption,
                    "deletion-vectors.modifiable", "true"));
            EngineTable engine = engine(table);
            engine.write(rows(0, 50, "first"));
            engine.write(rows(1, 3, "second"));
            engine.write(rows(2, 4, "third"));
            assertThat(engine.fileLevels(engine.snapshots().getLast())).hasSizeGreaterThan(1);
            List<String> rows = engine.readRows();
            paimon.setOption(table, "deletion-vectors.enabled", "true");
            assertThat(engine.readRows()).isEqualTo(rows).hasSize(50).contains("(1, 'second')", "(2, 'third')");
            assertThat(engine.isMergeFree(engine.snapshots().getLast())).isFalse();

            engine.write(rows(3, 5, "fourth"));
            assertThat(engine.readRows()).hasSize(50).contains("(1, 'second')", "(2, 'third')", "(3, 'fourth')", "(4, 'fourth')", "(5, 'first')");
            assertThat(engine.isMergeFree(engine.snapshots().getLast())).isTrue();
            assertThat(engine.fileLevels(engine.snapshots().getLast())).hasSize(1);
            assertThat(engine.readLog(engine.snapshots().getLast())).extracting(Change::toString)
                    .containsExactly("-U(3, 'third')", "+U(3, 'fourth')", "-U(4, 'first')", "+U(4, 'fourth')");
            checkRows(engine, table);
            engine.write(rows(3, 4, "fifth"));
            checkRows(engine, table);
        }
    }

    /**
     * Another engine has unset the option while vectors name rows, and does not look at them any more.
     */
    @Test
    void testOptionIsUnsetByOthers()
            throws Exception
    {
        OracleTable table = createTable("unset", ImmutableMap.<String, String>builder().putAll(LOGGED_VECTORS).put("deletion-vectors.modifiable", "true").buildOrThrow());
        EngineTable engine = engine(table);
        engine.write(rows(0, 100, "x"));
        engine.write(ImmutableList.of(Change.delete(8, "x")), WriteMode.ROW_CHANGES);
        engine.write(rows(20, 22, "new"));
        List<String> rows = engine.readRows();
        assertThat(rows).hasSize(99);
        paimon.setOption(table, "deletion-vectors.enabled", "false");
        assertThat(engine.readRows()).isEqualTo(rows);
        assertThat(texts(paimon.readTable(table))).contains("(8, 'x')");

        engine.write(rows(30, 31, "newer"));
        assertThat(engine.readRows()).hasSize(99).contains("(30, 'newer')").doesNotContain("(8, 'x')");
        engine.compact();
        assertThat(engine.deletedRows()).isZero();
        checkRows(engine, table);
        assertThat(log(engine)).hasSize(100 + 1 + 4 + 2);
    }

    @Test
    void testDamagedIndexFile()
            throws Exception
    {
        OracleTable table = createTable("damaged", VECTORS);
        EngineTable engine = engine(table);
        engine.write(rows(0, 100, "old"));
        engine.write(rows(10, 20, "new"));
        Path file = indexFile(table);
        byte[] intact = Files.readAllBytes(file);
        intact[intact.length / 2] ^= 1;
        Files.write(file, intact);
        EngineTable reader = engine(table);
        assertThatThrownBy(reader::readRows)
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.CORRUPT_FILE))
                .hasMessageContaining(file.getFileName().toString());
        // a compaction would bring deleted rows back
        assertThatThrownBy(() -> reader.write(rows(11, 12, "newer"))).hasMessageContaining(file.getFileName().toString());
    }

    private Path indexFile(OracleTable table)
            throws Exception
    {
        try (Stream<Path> files = Files.list(paimon.location(table).resolve("index"))) {
            return files.filter(path -> !path.getFileName().toString().endsWith(".crc")).findFirst().orElseThrow();
        }
    }

    @Test
    void testOverwrite()
            throws Exception
    {
        PaimonTableDefinition definition = new PaimonTableDefinition(
                ImmutableList.of(new Column("p", "INT NOT NULL"), new Column("k", "INT NOT NULL"), new Column("v", "STRING")),
                ImmutableList.of("p", "k"),
                ImmutableList.of("p"),
                ImmutableMap.<String, String>builder().put("bucket", "1").putAll(VECTORS).buildOrThrow());
        OracleTable table = paimon.createTable("default", "overwritten", definition);
        EngineTable engine = engine(table);
        for (String value : List.of("old", "new")) {
            engine.write(IntStream.range(0, value.equals("old") ? 100 : 10).boxed()
                    .flatMap(key -> Stream.of(Change.insert(1, key, value), Change.insert(2, key, value)))
                    .collect(toImmutableList()));
        }
        assertThat(indexedBuckets(engine)).isEqualTo(2);
        StorageTable opened = engine.open();
        CommitRequest request = new CommitRequest(
                opened.snapshots().latestId(),
                ImmutableList.of(),
                false,
                ImmutableMap.of(),
                ImmutableMap.of(),
                UUID.randomUUID().toString(),
                Optional.of(OverwriteScope.partitions(ImmutableList.of(opened.liveFiles()
                        .liveFiles(opened.snapshots().latest().orElseThrow(), _ -> true, _ -> true)
                        .getFirst()
                        .partition()))));
        opened.commit(request);
        assertThat(indexedBuckets(engine)).isEqualTo(1);
        assertThat(engine.readRows()).hasSize(100);
        checkRows(engine, table);
    }

    private static long indexedBuckets(EngineTable engine)
    {
        StorageTable table = engine.open();
        return table.manifests().readIndexManifest(table.snapshots().latest().orElseThrow().indexManifest().orElseThrow()).stream()
                .map(IndexManifestEntry::partition)
                .distinct()
                .count();
    }

    @Test
    void testLevelZeroIsSkipped()
            throws Exception
    {
        OracleTable table = createTable("waiting", VECTORS);
        EngineTable engine = engine(table);
        engine.write(rows(0, 10, "old"));
        paimon.writeWithoutCompaction(table, rows(5, 15, "new"));
        checkRows(engine, table);
        assertThat(engine.readRows()).hasSize(10).contains("(5, 'old')");
        engine.write(rows(20, 21, "next"));
        checkRows(engine, table);
        assertThat(engine.readRows()).hasSize(16).contains("(5, 'new')", "(14, 'new')", "(20, 'next')");
    }

    private static TableSchema withOptions(TableSchema schema, Map<String, String> options)
    {
        return new TableSchema(
                schema.version(),
                schema.id() + 1,
                schema.fields(),
                schema.highestFieldId(),
                schema.partitionKeys(),
                schema.primaryKeys(),
                ImmutableMap.<String, String>builder().put("bucket", "1").putAll(options).buildOrThrow(),
                schema.comment(),
                schema.timeMillis());
    }
}
