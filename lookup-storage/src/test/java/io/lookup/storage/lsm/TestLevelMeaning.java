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
package io.lookup.storage.lsm;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.format.manifest.SimpleStats;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TypeRoot;
import io.lookup.storage.testing.TestTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the level of a file says of its rows depends on the options that the file was written under, and on those since.
 */
final class TestLevelMeaning
{
    private static final int MAX_LEVEL = 5;

    private static final Map<String, String> SUM = ImmutableMap.of("merge-engine", "aggregation", "fields.v.aggregate-function", "sum");
    private static final Map<String, String> SUM_AND_LOOKUP = with(SUM, "changelog-producer", "lookup");
    private static final Map<String, String> VECTORS = ImmutableMap.of("deletion-vectors.enabled", "true");

    @TempDir
    private Path directory;
    private int tables;

    @Test
    void testCompleteLevelsOfDeduplicate()
    {
        Table table = table(ImmutableMap.of(), ImmutableMap.of("changelog-producer", "lookup"));
        assertThat(table.levelsAreComplete(file(0, 0), file(2, 0), file(5, 0))).isTrue();
        // a user's order makes the newest row by it, not by its level, the state
        Table ordered = table(ImmutableMap.of("sequence.field", "v"), ImmutableMap.of("sequence.field", "v", "changelog-producer", "lookup"));
        assertThat(ordered.levelsAreComplete(file(2, 0), file(5, 0))).isFalse();
        assertThat(ordered.levelsAreComplete(file(2, 1), file(5, 0))).isTrue();
    }

    @Test
    void testCompleteLevelsOfSums()
    {
        Table lookedUp = table(SUM_AND_LOOKUP);
        assertThat(lookedUp.levelsAreComplete(file(0, 0), file(1, 0), file(4, 0), file(5, 0))).isTrue();

        Table turnedOn = table(SUM, SUM_AND_LOOKUP);
        // level 0 and the highest level mean the same under all options
        assertThat(turnedOn.levelsAreComplete(file(0, 0), file(0, 1), file(5, 0))).isTrue();
        assertThat(turnedOn.levelsAreComplete(file(4, 0), file(5, 0))).isFalse();
        assertThat(turnedOn.levelsAreComplete(file(4, 1), file(5, 0))).isTrue();
        assertThat(turnedOn.levelsAreComplete(file(4, 1), file(3, 0))).isFalse();

        // versions in between count, since a file keeps the one it was written under when it rises
        Table turnedOffAndOn = table(SUM_AND_LOOKUP, SUM, SUM_AND_LOOKUP);
        assertThat(turnedOffAndOn.levelsAreComplete(file(4, 0))).isFalse();
        assertThat(turnedOffAndOn.levelsAreComplete(file(4, 1))).isFalse();
        assertThat(turnedOffAndOn.levelsAreComplete(file(4, 2))).isTrue();

        Table turnedOff = table(SUM_AND_LOOKUP, SUM);
        assertThat(turnedOff.levelsAreComplete(file(4, 0))).isFalse();
        assertThat(turnedOff.levelsAreComplete(file(0, 0), file(5, 0))).isTrue();
    }

    @Test
    void testVectorsOfEveryDuplicate()
    {
        Table always = table(VECTORS);
        assertThat(always.vectorsAreComplete(file(0, 0), file(2, 0), file(5, 0))).isTrue();
        assertThat(table(ImmutableMap.of()).vectorsAreComplete(file(5, 0))).isFalse();

        Table turnedOn = table(ImmutableMap.of(), VECTORS);
        // one level holds a key once
        assertThat(turnedOn.vectorsAreComplete(file(0, 0), file(5, 0), file(5, 0))).isTrue();
        assertThat(turnedOn.vectorsAreComplete(file(4, 0), file(5, 0))).isFalse();
        assertThat(turnedOn.vectorsAreComplete(file(4, 1), file(5, 0))).isTrue();
        assertThat(turnedOn.vectorsAreComplete(file(3, 1), file(4, 1), file(5, 1))).isTrue();
        assertThat(turnedOn.vectorsAreComplete(file(0, 0), file(0, 0))).isTrue();

        Table again = table(VECTORS, ImmutableMap.of(), VECTORS, VECTORS);
        assertThat(again.vectorsAreComplete(file(4, 2), file(5, 3))).isTrue();
        assertThat(again.vectorsAreComplete(file(4, 1), file(5, 2))).isTrue();
        assertThat(again.vectorsAreComplete(file(4, 1), file(5, 0))).isFalse();
        assertThat(again.vectorsAreComplete(file(3, 0), file(4, 0), file(5, 3))).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"none, true, true, true", "input, true, true, true", "lookup, false, true, true", "full-compaction, false, false, true"})
    void testWhatTheLogHasTold(String producer, boolean level0, boolean middle, boolean highest)
    {
        Table table = table(ImmutableMap.of("changelog-producer", producer));
        assertThat(table.logged(file(0, 0), file(3, 0), file(5, 0))).containsExactly(level0, middle, highest);
        assertThat(table.isSettled(file(0, 0), file(3, 0), file(5, 0))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
            // what was told stays told, whatever the producer is now
            "none, lookup, true, true, false",
            "input, full-compaction, true, true, false",
            "lookup, full-compaction, false, true, false",
            "lookup, none, false, true, false",
            "full-compaction, lookup, false, false, false",
            "full-compaction, none, false, false, false",
            "none, input, true, true, true"})
    void testWhatAnotherProducerHasTold(String before, String now, boolean level0, boolean middle, boolean settled)
    {
        Table table = table(ImmutableMap.of("changelog-producer", before), ImmutableMap.of("changelog-producer", now));
        assertThat(table.logged(file(0, 0), file(3, 0), file(5, 0))).containsExactly(level0, middle, true);
        assertThat(table.isSettled(file(0, 0), file(3, 0), file(5, 0))).isEqualTo(settled);
        // files of the current version mean what it says
        assertThat(table.isSettled(file(0, 1), file(3, 1), file(5, 0))).isTrue();
        assertThat(table.logged(file(0, 1))).isEqualTo(table(ImmutableMap.of("changelog-producer", now)).logged(file(0, 0)));
    }

    /**
     * What full compactions wrote to the highest level of then was told; more levels do not change that.
     */
    @Test
    void testHighestLevelOfThen()
    {
        Map<String, String> four = ImmutableMap.of("changelog-producer", "full-compaction", "num-levels", "4");
        Map<String, String> six = ImmutableMap.of("changelog-producer", "full-compaction", "num-levels", "6");
        Table raised = table(four, six);
        assertThat(raised.logged(file(3, 0))).containsExactly(true);
        assertThat(raised.logged(file(2, 0))).containsExactly(false);
        assertThat(raised.logged(file(0, 0))).containsExactly(false);
        // a file of the same level that a partial compaction wrote since
        assertThat(raised.logged(file(3, 0), file(5, 1))).containsExactly(false, true);
        assertThat(raised.logged(file(3, 1))).containsExactly(false);
        // written when level 3 was not the highest, while it is so in a version since
        assertThat(table(six, four, six).logged(file(3, 0))).containsExactly(true);
    }

    @Test
    void testRowsThatAMergeChangesAlone()
    {
        assertThat(loneRowsMayChange(ImmutableMap.of())).isFalse();
        assertThat(loneRowsMayChange(SUM)).isFalse();
        assertThat(loneRowsMayChange(ImmutableMap.of("merge-engine", "partial-update"))).isFalse();
        assertThat(loneRowsMayChange(ImmutableMap.of("merge-engine", "partial-update", "fields.v.sequence-group", "a"))).isTrue();
        assertThat(loneRowsMayChange(ImmutableMap.of("merge-engine", "aggregation", "fields.a.aggregate-function", "collect"))).isFalse();
        assertThat(loneRowsMayChange(ImmutableMap.of("merge-engine", "aggregation", "fields.a.aggregate-function", "collect", "fields.a.distinct", "true"))).isTrue();
        assertThat(loneRowsMayChange(ImmutableMap.of("merge-engine", "aggregation", "fields.a.aggregate-function", "last_value", "fields.a.distinct", "true"))).isFalse();
    }

    @Test
    void testMergesOfNeighbours()
    {
        assertThat(partialMergesAreExact(ImmutableMap.of("sequence.field", "v"))).isTrue();
        assertThat(partialMergesAreExact(ImmutableMap.of("merge-engine", "first-row"))).isTrue();
        assertThat(partialMergesAreExact(SUM)).isTrue();
        assertThat(partialMergesAreExact(with(SUM, "sequence.field", "a"))).isFalse();
        assertThat(partialMergesAreExact(with(SUM, "aggregation.remove-record-on-delete", "true"))).isFalse();
        Map<String, String> partialUpdate = ImmutableMap.of("merge-engine", "partial-update");
        assertThat(partialMergesAreExact(partialUpdate)).isTrue();
        assertThat(partialMergesAreExact(with(partialUpdate, "sequence.field", "v"))).isFalse();
        assertThat(partialMergesAreExact(with(partialUpdate, "partial-update.remove-record-on-delete", "true"))).isFalse();
        assertThat(partialMergesAreExact(with(partialUpdate, "fields.v.sequence-group", "a"))).isFalse();
    }

    /**
     * The footer of a tiny file weighs more than its rows.
     */
    @Test
    void testSizeOfTinyRuns()
    {
        SortedRun one = SortedRun.of(TestingFiles.file("a", 1, 0, 1, 5_000));
        assertThat(RunSizes.bytes(one)).isEqualTo(5_000);
        // 100 rows
        assertThat(RunSizes.bytesOrRowsIfTiny(one)).isEqualTo(6_400);
        assertThat(RunSizes.bytesOrRowsIfTiny(SortedRun.of(TestingFiles.file("a", 1, 0, 1, (1 << 20) - 1)))).isEqualTo(6_400);
        assertThat(RunSizes.bytesOrRowsIfTiny(SortedRun.of(TestingFiles.file("a", 1, 0, 1, 1 << 20)))).isEqualTo(1 << 20);
        SortedRun two = new SortedRun(1, ImmutableList.of(TestingFiles.file("a", 1, 0, 1, 5_000), TestingFiles.file("b", 1, 2, 3, 7_000)));
        assertThat(RunSizes.bytes(two)).isEqualTo(12_000);
        assertThat(RunSizes.bytesOrRowsIfTiny(two)).isEqualTo(12_800);
        SortedRun many = new SortedRun(1, Stream.generate(() -> TestingFiles.file("a", 1, 0, 1, 10)).limit(200).collect(toImmutableList()));
        assertThat(RunSizes.bytesOrRowsIfTiny(many)).isEqualTo(1 << 20);
    }

    private boolean loneRowsMayChange(Map<String, String> options)
    {
        return LoneRows.mayChange(schema(0, options), new CoreOptions(options));
    }

    private static boolean partialMergesAreExact(Map<String, String> options)
    {
        return PartialMerges.areExact(new CoreOptions(options));
    }

    private record Table(TableSchema schema, SchemaManager schemas)
    {
        boolean levelsAreComplete(DataFileMeta... files)
        {
            return LevelCompleteness.isProven(List.of(files), MAX_LEVEL, schema, new CoreOptions(schema.options()), schemas);
        }

        boolean vectorsAreComplete(DataFileMeta... files)
        {
            return VectorCompleteness.isProven(List.of(files), schema, new CoreOptions(schema.options()), schemas);
        }

        List<Boolean> logged(DataFileMeta... files)
        {
            LoggedFiles logged = new LoggedFiles(List.of(files), MAX_LEVEL, schema, schemas);
            return Stream.of(files).map(logged::isLogged).toList();
        }

        boolean isSettled(DataFileMeta... files)
        {
            return new LoggedFiles(List.of(files), MAX_LEVEL, schema, schemas).areSettled();
        }
    }

    /**
     * @param versions the options of the table's versions, the current one last
     */
    @SafeVarargs
    private Table table(Map<String, String>... versions)
    {
        SchemaManager schemas = new SchemaManager(TestTable.localFileIo(), TestTable.root(directory, "t" + tables));
        tables++;
        for (int id = 0; id < versions.length; id++) {
            assertThat(schemas.tryCreate(schema(id, versions[id]))).isTrue();
        }
        return new Table(schema(versions.length - 1, versions[versions.length - 1]), schemas);
    }

    private static TableSchema schema(long id, Map<String, String> options)
    {
        return new TableSchema(
                TableSchema.CURRENT_VERSION,
                id,
                ImmutableList.of(
                        new DataField(0, "k", new ScalarType(TypeRoot.INTEGER, 0, 0, false)),
                        new DataField(1, "v", new ScalarType(TypeRoot.INTEGER, 0, 0, true)),
                        new DataField(2, "a", new ScalarType(TypeRoot.INTEGER, 0, 0, true))),
                2,
                ImmutableList.of(),
                ImmutableList.of("k"),
                options,
                Optional.empty(),
                0);
    }

    private static DataFileMeta file(int level, long schemaId)
    {
        DataFileMeta file = TestingFiles.file("file-%s-%s".formatted(level, schemaId), level, 0, 10, 100);
        return new DataFileMeta(
                file.fileName(), file.fileSize(), file.rowCount(), file.minKey(), file.maxKey(), SimpleStats.EMPTY, SimpleStats.EMPTY, 0, 0,
                schemaId, level, ImmutableList.of(), OptionalLong.of(0), OptionalLong.of(0), Optional.empty(), Optional.of(FileSource.COMPACT),
                Optional.empty(), Optional.empty(), OptionalLong.empty(), Optional.empty());
    }

    private static Map<String, String> with(Map<String, String> options, String key, String value)
    {
        return ImmutableMap.<String, String>builder().putAll(options).put(key, value).buildOrThrow();
    }
}
