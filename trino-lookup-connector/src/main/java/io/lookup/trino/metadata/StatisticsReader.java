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
package io.lookup.trino.metadata;

import io.lookup.storage.StorageException;
import io.lookup.storage.scan.ScanFilter;
import io.lookup.storage.schema.TableSchema;
import io.lookup.trino.engine.TableSchemas;
import io.lookup.trino.handle.ColumnRole;
import io.lookup.trino.handle.LookupColumnHandle;
import io.lookup.trino.handle.LookupTableHandle;
import io.lookup.trino.handle.TableKind;
import io.trino.spi.statistics.Estimate;
import io.trino.spi.statistics.TableStatistics;

/**
 * What the optimizer is told of a table's size.
 */
final class StatisticsReader
{
    private StatisticsReader() {}

    static TableStatistics read(TransactionTables tables, LookupTableHandle handle)
    {
        if (handle.kind() != TableKind.DATA) {
            return TableStatistics.empty();
        }
        if (handle.snapshotId().isEmpty()) {
            return TableStatistics.builder().setRowCount(Estimate.zero()).build();
        }
        TableSchema schema = TableSchemas.fromJson(handle.schemaJson());
        ScanFilter filter = ScanFilter.of(handle.enforced()
                .filter((column, _) -> column.role() == ColumnRole.DATA)
                .transformKeys(LookupColumnHandle::fieldId));
        try {
            // counts several versions of a key, which is close enough for an estimate
            return tables.find(handle.baseTableName())
                    .map(pinned -> pinned.table().atSchema(schema.id()))
                    .flatMap(table -> table.snapshots().find(handle.snapshotId().getAsLong())
                            .map(snapshot -> table.scanPlanner().estimate(snapshot, filter)))
                    .map(estimate -> TableStatistics.builder().setRowCount(Estimate.of(estimate.rowCount())).build())
                    .orElseGet(TableStatistics::empty);
        }
        catch (StorageException _) {
            // what cannot be read is told of by the scan, if there is one
            return TableStatistics.empty();
        }
    }
}
