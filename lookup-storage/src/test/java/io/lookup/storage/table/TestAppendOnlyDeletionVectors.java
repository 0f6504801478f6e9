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
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.scan.ScanFilter;
import io.lookup.storage.scan.ScanPlanner.ScanEstimate;
import io.lookup.storage.snapshot.Snapshot;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;

import static io.lookup.storage.oracle.Change.insert;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tables without a primary key whose rows another engine deletes by deletion vectors. All their files lie at level 0 and are read, unlike
 * those of tables with a key, whose rows show once they have left it.
 */
final class TestAppendOnlyDeletionVectors
        extends AbstractOracleTest
{
    @ParameterizedTest
    @CsvSource({"-1, false, deduplicate", "-1, true, deduplicate", "2, false, deduplicate", "-1, false, first-row"})
    void testRead(int buckets, boolean bitmap64, String mergeEngine)
            throws Exception
    {
        Map<String, String> bucketKey = buckets < 0 ? ImmutableMap.of() : ImmutableMap.of("bucket-key", "k");
        OracleTable table = paimon.createTable("default", "t", new PaimonTableDefinition(
                ImmutableList.of(new Column("k", "INT"), new Column("p", "STRING"), new Column("v", "STRING")),
                ImmutableList.of(),
                ImmutableList.of("p"),
                ImmutableMap.<String, String>builder()
                        .put("bucket", String.valueOf(buckets))
                        .put("deletion-vectors.enabled", String.valueOf(!mergeEngine.equals("first-row")))
                        .put("deletion-vectors.bitmap64", String.valueOf(bitmap64))
                        .put("merge-engine", mergeEngine)
                        .putAll(bucketKey)
                        .buildOrThrow()));
        paimon.write(table, ImmutableList.of(insert(1, "a", "one"), insert(2, "a", null), insert(3, "b", "three"), insert(3, "b", "three")));
        paimon.write(table, ImmutableList.of(insert(4, "a", "four"), insert(5, "a", "five"), insert(6, "a", "six")));
        EngineTable engine = engine(table);
        checkSame(table, engine, 7);
        if (mergeEngine.equals("first-row")) {
            return;
        }
        paimon.deleteByVectors(table, 0);
        int files = paimon.files(table).size();
        checkSame(table, engine, 7 - files);
        paimon.deleteByVectors(table, 1);
        paimon.write(table, ImmutableList.of(insert(7, "b", "seven")));
        List<Change> rows = paimon.readTable(table);
        checkSame(table, engine, rows.size());
        assertThat(rows.size()).isBetween(1, 7 - files);
    }

    private void checkSame(OracleTable table, EngineTable engine, int count)
            throws Exception
    {
        for (Snapshot snapshot : engine.snapshots()) {
            assertThat(engine.readRows(snapshot))
                    .as("snapshot %s", snapshot.id())
                    .isEqualTo(paimon.readTable(table, snapshot.id()).stream().map(Change::rowText).sorted().toList());
        }
        assertThat(engine.readRows()).hasSize(count);
        StorageTable open = engine.open();
        ScanEstimate estimate = open.scanPlanner().estimate(open.snapshots().latest().orElseThrow(), ScanFilter.ALL);
        assertThat(estimate.rowCount()).isEqualTo(count);
    }
}
