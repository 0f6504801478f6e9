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
import io.lookup.storage.filesystem.CountingFileIo;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.ScanCounters;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.scan.ScanFilter;
import io.lookup.storage.scan.TableSplit;
import io.lookup.storage.snapshot.Snapshot;
import io.trino.spi.Page;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import static io.lookup.storage.table.ProducerTables.rows;
import static io.trino.spi.type.IntegerType.INTEGER;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What readers without any cache open does not grow with the history behind the newest snapshot.
 */
final class TestLongHistory
        extends AbstractOracleTest
{
    private static final int ROWS = 2_000;
    private static final int CHANGES = 1_000;
    private static final List<Integer> SNAPSHOTS = Boolean.getBoolean("lookup.thorough") ? ImmutableList.of(100, 1_000, 10_000) : ImmutableList.of(100, 400);

    @Test
    void testCostOfTheNewestState()
            throws Exception
    {
        OracleTable table = paimon.createTable("default", "history", ProducerTables.definition("changelog-producer", "lookup", "snapshot.num-retained.min", "100000", "snapshot.num-retained.max", "100000"));
        EngineTable engine = engine(table);
        engine.write(rows(0, ROWS, 0));
        int version = 0;
        Cost first = null;
        for (int snapshots : SNAPSHOTS) {
            while (engine.open().snapshots().latestId().orElseThrow() < snapshots - 4) {
                version++;
                engine.write(ImmutableList.of(Change.insert(version % ROWS, version, version)));
            }
            // twice, so that the old rows of the last change are as much alike each time
            for (int round = 0; round < 2; round++) {
                version++;
                int newest = version;
                engine.write(IntStream.range(0, CHANGES).mapToObj(key -> Change.insert(key, -newest, newest)).toList());
            }
            Reading changes = newestChanges(table, snapshots);
            Cost cost = new Cost(changes.files(), changes.bytes(), keyLookup(table, version % ROWS));
            if (first == null) {
                first = cost;
                // what names the newest snapshot, it, schemas, its list, one manifest, one file
                assertThat(cost.changes()).isLessThanOrEqualTo(8);
                // levels, and the manifests that have not been merged yet
                assertThat(cost.lookup()).isLessThan(60);
            }
            assertThat(cost.changes()).as("files opened for the changes of snapshot %s", snapshots).isEqualTo(first.changes());
            // the same rows with larger numbers
            assertThat(cost.changedBytes()).as("bytes read for the changes of snapshot %s", snapshots).isBetween(first.changedBytes() * 9 / 10, first.changedBytes() * 11 / 10);
            assertThat(cost.lookup()).as("files opened for a key of snapshot %s", snapshots).isLessThan(60);
        }
    }

    private record Cost(int changes, long changedBytes, int lookup) {}

    private record Reading(int files, long bytes) {}

    private Reading newestChanges(OracleTable table, long id)
    {
        CountingFileIo files = new CountingFileIo(fileIo);
        EngineTable reader = new EngineTable(files, location(table), directory.resolve("spill"));
        Snapshot newest = reader.open().snapshots().latest().orElseThrow();
        assertThat(newest.id()).isEqualTo(id);
        assertThat(reader.readLog(newest)).hasSize(2 * CHANGES);
        return new Reading(files.opened().size(), files.bytes(_ -> true));
    }

    private int keyLookup(OracleTable table, long key)
            throws IOException
    {
        CountingFileIo files = new CountingFileIo(fileIo);
        StorageTable reader = new EngineTable(files, location(table), directory.resolve("spill")).open();
        TupleDomain<Integer> predicate = TupleDomain.withColumnDomains(Map.of(reader.schema().fields().getFirst().id(), Domain.singleValue(INTEGER, key)));
        int rows = 0;
        ScanCounters counters = new ScanCounters();
        Iterator<TableSplit> splits = reader.scanPlanner().plan(reader.snapshots().latest().orElseThrow(), ScanFilter.of(predicate));
        while (splits.hasNext()) {
            try (PageStream pages = reader.splitReaders().open(splits.next(), reader.schema().fields(), predicate, counters)) {
                for (Page page = pages.nextPage(); page != null; page = pages.nextPage()) {
                    for (int position = 0; position < page.getPositionCount(); position++) {
                        rows += INTEGER.getInt(page.getBlock(0), position) == key ? 1 : 0;
                    }
                }
            }
        }
        assertThat(rows).isEqualTo(1);
        return files.opened().size();
    }
}
