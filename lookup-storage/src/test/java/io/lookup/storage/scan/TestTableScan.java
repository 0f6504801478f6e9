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
package io.lookup.storage.scan;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.airlift.slice.Slices;
import io.lookup.storage.filesystem.CountingFileIo;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BucketFunction;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.testing.TestTable;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.predicate.ValueSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.lookup.storage.format.row.BinaryRow.EMPTY;
import static io.lookup.storage.testing.TestTable.Row.delete;
import static io.lookup.storage.testing.TestTable.Row.insert;
import static io.lookup.storage.testing.TestTable.root;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static org.assertj.core.api.Assertions.assertThat;

final class TestTableScan
{
    private static final int KEY = 0;
    private static final int TEXT = 1;
    private static final int NUMBER = 2;

    @TempDir
    private Path warehouse;

    @Test
    void testMergeOnRead()
    {
        TestTable table = create(ImmutableMap.of());
        table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(0, 1, "a", 10), insert(1, 2, "b", 20), insert(2, 3, "c", 30))));
        table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(3, 2, "b2", null), delete(4, 3, "c", 30))));
        table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, delete(5, 9, "never", 0))));
        assertThat(table.rows()).containsExactly("[1, a, 10]", "[2, b2, null]");
        // columns in any order, without the key
        List<DataField> columns = ImmutableList.of(table.schema().fields().get(2), table.schema().fields().get(1));
        assertThat(table.rows(ScanFilter.ALL, columns)).containsExactly("[10, a]", "[null, b2]");
        assertThat(table.plan(ScanFilter.ALL)).singleElement().matches(split -> !split.mergeFree());
    }

    @Test
    void testZeroColumns()
    {
        TestTable table = create(ImmutableMap.of());
        table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(0, 1, "a", 10), insert(1, 2, "b", 20))));
        assertThat(table.rows(ScanFilter.ALL, ImmutableList.of())).containsExactly("[]", "[]");
        table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(2, 2, "b2", 0), insert(3, 3, "c", 0))));
        assertThat(table.rows(ScanFilter.ALL, ImmutableList.of())).hasSize(3);
        table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, delete(4, 7, "x", 0), insert(5, 8, "d", 0))));
        assertThat(table.rows(ScanFilter.ALL, ImmutableList.of())).hasSize(4);
    }

    @Test
    void testCountingMergeFreeSplitOpensNoFile()
    {
        CountingFileIo fileIo = new CountingFileIo(TestTable.localFileIo());
        TestTable table = TestTable.create(fileIo, root(warehouse, "t"), ImmutableMap.of());
        table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(0, 1, "a", 10))));
        fileIo.reset();
        assertThat(table.rows(ScanFilter.ALL, ImmutableList.of())).hasSize(1);
        assertThat(fileIo.opened(name -> name.endsWith(".parquet"))).isEmpty();
    }

    @Test
    void testValueStatisticsNeverBringOldVersionsBack()
    {
        TestTable table = create(ImmutableMap.of());
        table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(0, 1, "a", 10), insert(1, 2, "b", 20))));
        table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(2, 1, "a2", 1000))));
        table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(3, 7, "x", 500))));
        // key 1 was 10 once; only its newest version may be looked at
        ScanFilter small = filter(NUMBER, Domain.singleValue(INTEGER, 10L));
        assertThat(table.rows(small, table.schema().fields())).contains("[1, a2, 1000]").doesNotContain("[1, a, 10]");
        // the lone file of key 7 cannot match and is left out
        assertThat(files(table, small)).isEqualTo(2);
        // no version in the overlapping section can match
        assertThat(files(table, filter(NUMBER, Domain.singleValue(INTEGER, 500L)))).isEqualTo(1);
        assertThat(table.plan(filter(NUMBER, Domain.singleValue(INTEGER, 77_777L)))).isEmpty();
        assertThat(table.plan(filter(NUMBER, Domain.onlyNull(INTEGER)))).isEmpty();
    }

    @Test
    void testAggregatesAreNotPrunedByTheirParts()
    {
        TestTable table = create(ImmutableMap.of("merge-engine", "aggregation", "fields.w.aggregate-function", "sum"));
        table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(0, 1, "a", 10))));
        table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(1, 1, "b", 10))));
        // 20 is in no file
        assertThat(table.rows(filter(NUMBER, Domain.singleValue(INTEGER, 20L)), table.schema().fields())).containsExactly("[1, b, 20]");
    }

    @Test
    void testKeyRangesPruneFiles()
    {
        TestTable table = create(ImmutableMap.of());
        table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(0, 1, "a", 0), insert(1, 5, "a", 0))));
        table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(2, 3, "b", 0), insert(3, 9, "b", 0))));
        ScanFilter filter = filter(KEY, Domain.create(ValueSet.ofRanges(Range.greaterThan(INTEGER, 5L)), false));
        assertThat(files(table, filter)).isEqualTo(1);
        assertThat(table.rows(filter, table.schema().fields())).contains("[9, b, 0]");
        assertThat(files(table, filter(KEY, Domain.singleValue(INTEGER, 4L)))).isEqualTo(2);
    }

    @Test
    void testPartitionsAndBuckets()
    {
        TestTable table = TestTable.createPartitioned(TestTable.localFileIo(), root(warehouse, "t"), ImmutableMap.of("bucket", "4"));
        BucketFunction function = BucketFunction.forTable(table.schema(), 4);
        for (String p : List.of("a", "b/c", "é x")) {
            BinaryRow partition = table.partition(p);
            for (int key = 0; key < 12; key++) {
                int bucket = function.bucketOf(ImmutableList.of((long) key));
                table.commit(table.append(partition, bucket, table.writeFile(partition, bucket, 0, insert(key, p, key, "v"))));
            }
        }
        ScanFilter partition = filter(0, Domain.singleValue(VARCHAR, Slices.utf8Slice("b/c")));
        assertThat(table.rows(partition, table.schema().fields())).hasSize(12).allMatch(row -> row.startsWith("[b/c, "));
        ScanFilter key = filter(1, Domain.multipleValues(INTEGER, ImmutableList.of(3L, 5L)));
        Set<Integer> buckets = Set.of(function.bucketOf(ImmutableList.of(3L)), function.bucketOf(ImmutableList.of(5L)));
        assertThat(table.plan(key)).isNotEmpty().allMatch(split -> buckets.contains(split.bucket()));
        assertThat(table.rows(key, table.schema().fields())).contains("[a, 3, v]", "[b/c, 5, v]", "[é x, 3, v]");
        assertThat(table.plan(ScanFilter.ALL.withBuckets(Set.of(2)))).isNotEmpty().allMatch(split -> split.bucket() == 2);
        assertThat(table.plan(ScanFilter.of(TupleDomain.none()))).isEmpty();
        // the partition column comes from the manifest
        assertThat(table.rows(partition, table.schema().fields().subList(0, 1))).hasSize(12).containsOnly("[b/c]");
        assertThat(table.scanPlanner().estimate(table.snapshots().latest().orElseThrow(), partition).rowCount()).isEqualTo(12);
    }

    @Test
    void testSplitsNeverCutASection()
    {
        TestTable table = create(ImmutableMap.of("source.split.target-size", "1 b", "source.split.open-file-cost", "1 b"));
        table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(0, 1, "a", 0), insert(1, 5, "a", 0))));
        table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(2, 5, "b", 0))));
        table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(3, 6, "c", 0))));
        table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(4, 8, "d", 0))));
        List<TableSplit> splits = table.plan(ScanFilter.ALL);
        assertThat(splits).extracting(split -> split.files().count()).containsExactly(2L, 1L, 1L);
        assertThat(splits).extracting(TableSplit::mergeFree).containsExactly(false, true, true);
        assertThat(table.rows()).containsExactly("[1, a, 0]", "[5, b, 0]", "[6, c, 0]", "[8, d, 0]");

        TestTable wide = TestTable.create(TestTable.localFileIo(), root(warehouse, "wide"), ImmutableMap.of());
        for (int key = 0; key < 5; key++) {
            wide.commit(wide.append(EMPTY, 0, wide.writeFile(EMPTY, 0, 0, insert(key, key, "a", 0))));
        }
        assertThat(wide.plan(ScanFilter.ALL)).singleElement().matches(TableSplit::mergeFree);
    }

    @Test
    void testLevels()
    {
        TestTable table = create(ImmutableMap.of());
        DataFileMeta bottom = table.writeFile(EMPTY, 0, 5, insert(0, 1, "old", 0));
        table.commit(table.message(EMPTY, 0, ImmutableList.of(), ImmutableList.of(), ImmutableList.of(), ImmutableList.of(bottom), ImmutableList.of()));
        table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(1, 1, "new", 0))));
        assertThat(table.rows()).containsExactly("[1, new, 0]");
        assertThat(table.rows(ScanFilter.ALL.withLevels(OptionalInt.of(5), OptionalInt.empty()), table.schema().fields())).containsExactly("[1, old, 0]");
        assertThat(table.rows(ScanFilter.ALL.withLevels(OptionalInt.empty(), OptionalInt.of(0)), table.schema().fields())).containsExactly("[1, new, 0]");
    }

    @Test
    void testSchemaEvolution()
    {
        TestTable before = create(ImmutableMap.of());
        before.commit(before.append(EMPTY, 0, before.writeFile(EMPTY, 0, 0, insert(0, 1, "a", 10))));
        List<DataField> fields = ImmutableList.of(
                new DataField(0, "id", TestTable.INT.withNullable(false)),
                new DataField(3, "extra", TestTable.STRING),
                new DataField(2, "w2", TestTable.INT));
        before.schemas().tryCreate(new TableSchema(3, 1, fields, 3, ImmutableList.of(), ImmutableList.of("id"), before.schema().options(), Optional.empty(), 2));
        TestTable after = TestTable.open(before.fileIo(), root(warehouse, "t"));
        assertThat(after.rows()).containsExactly("[1, null, 10]");
        // the old file has nothing but null there
        assertThat(after.plan(filter(3, Domain.singleValue(VARCHAR, Slices.utf8Slice("x"))))).isEmpty();
        assertThat(after.plan(filter(3, Domain.onlyNull(VARCHAR)))).hasSize(1);
        after.commit(after.append(EMPTY, 0, after.writeFile(EMPTY, 0, 0, insert(1, 1, "new", 11))));
        assertThat(after.rows()).containsExactly("[1, new, 11]");
        assertThat(after.plan(filter(NUMBER, Domain.singleValue(INTEGER, 99L)))).isEmpty();
    }

    @Test
    void testTextStatisticsPrune()
    {
        TestTable table = create(ImmutableMap.of());
        table.commit(table.append(EMPTY, 0, table.writeFile(EMPTY, 0, 0, insert(0, 1, "a string longer than sixteen chars", 10))));
        assertThat(table.plan(filter(TEXT, Domain.singleValue(VARCHAR, Slices.utf8Slice("a string longer than sixteen chars"))))).hasSize(1);
        assertThat(table.plan(filter(TEXT, Domain.singleValue(VARCHAR, Slices.utf8Slice("zzz"))))).isEmpty();
    }

    private TestTable create(ImmutableMap<String, String> options)
    {
        return TestTable.create(TestTable.localFileIo(), root(warehouse, "t"), options);
    }

    private static ScanFilter filter(int fieldId, Domain domain)
    {
        return ScanFilter.of(TupleDomain.withColumnDomains(ImmutableMap.of(fieldId, domain)));
    }

    private static long files(TestTable table, ScanFilter filter)
    {
        return table.plan(filter).stream().flatMap(TableSplit::files).collect(toImmutableList()).size();
    }
}
