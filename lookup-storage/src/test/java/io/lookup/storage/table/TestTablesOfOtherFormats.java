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
import io.lookup.storage.StorageException;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.snapshot.Snapshot;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static io.lookup.storage.oracle.ChangeKind.DELETE;
import static io.lookup.storage.oracle.ChangeKind.INSERT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tables that Paimon keeps in ORC or Avro are read, with their logs; told to keep new files in Parquet, they are written too: old rows
 * are then merged, looked up and compacted out of the files of the other format.
 */
final class TestTablesOfOtherFormats
        extends AbstractOracleTest
{
    @ParameterizedTest
    @CsvSource({"orc, orc, lookup, false", "orc, avro, lookup, true", "avro, orc, full-compaction, false", "avro, avro, lookup, false", "orc, orc, input, false", "parquet, orc, lookup, false"})
    void testTable(String dataFormat, String changelogFormat, String producer, boolean deletionVectors)
            throws Exception
    {
        OracleTable table = paimon.createTable("default", "t", new PaimonTableDefinition(
                ImmutableList.of(new Column("id", "INT NOT NULL"), new Column("v", "BIGINT"), new Column("name", "STRING")),
                ImmutableList.of("id"),
                ImmutableList.of(),
                ImmutableMap.<String, String>builder()
                        .put("bucket", "1")
                        .put("num-levels", "4")
                        .put("changelog-producer", producer)
                        .put("deletion-vectors.enabled", String.valueOf(deletionVectors))
                        .put("file.format", dataFormat)
                        .put("changelog-file.format", changelogFormat)
                        .buildOrThrow()));
        EngineTable engine = engine(table);
        Random random = new Random(3);
        for (int commit = 0; commit < 4; commit++) {
            paimon.write(table, changes(random, 200));
        }
        checkSame(table, engine);

        assertThatThrownBy(() -> engine.write(changes(random, 1)))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("file.format' = '" + changelogFormat)
                .hasMessageContaining("files that are there stay readable");
        checkSame(table, engine);

        Map<String, String> parquet = ImmutableMap.of("file.format", "parquet", "changelog-file.format", "parquet");
        for (int commit = 0; commit < 3; commit++) {
            engine.write(changes(random, 50), parquet);
            checkSame(table, engine);
        }
        // and both in turns
        paimon.write(table, changes(random, 50));
        engine.write(changes(random, 50), parquet);
        checkSame(table, engine);
    }

    private void checkSame(OracleTable table, EngineTable engine)
            throws Exception
    {
        assertThat(engine.readRows()).isEqualTo(paimon.readTable(table).stream().map(Change::rowText).sorted().toList());
        for (Snapshot snapshot : engine.snapshots()) {
            assertThat(engine.readLog(snapshot)).as("log of %s", snapshot.id()).containsExactlyInAnyOrderElementsOf(paimon.readChangelog(table, snapshot.id()));
        }
    }

    private static List<Change> changes(Random random, int count)
    {
        List<Change> changes = new ArrayList<>();
        for (int row = 0; row < count; row++) {
            int id = random.nextInt(500);
            changes.add(new Change(random.nextInt(5) == 0 ? DELETE : INSERT, ImmutableList.of(id, random.nextLong(1000), "name " + id % 7)));
        }
        return changes;
    }
}
