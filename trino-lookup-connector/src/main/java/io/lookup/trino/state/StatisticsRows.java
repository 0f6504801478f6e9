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
package io.lookup.trino.state;

import io.lookup.storage.snapshot.StatisticsJson;
import io.lookup.storage.snapshot.StoredStatistics;

import java.util.OptionalLong;

import static io.airlift.slice.Slices.wrappedBuffer;

/**
 * Rows of {@code "t$statistics"}.
 */
final class StatisticsRows
{
    private StatisticsRows() {}

    /**
     * @return the native value of a column, or null
     */
    static Object value(StoredStatistics statistics, String column)
    {
        return switch (column) {
            case "snapshot_id" -> statistics.snapshotId();
            case "schema_id" -> statistics.schemaId();
            case "mergedrecordcount" -> boxed(statistics.mergedRecordCount());
            case "mergedrecordsize" -> boxed(statistics.mergedRecordSize());
            case "colstat" -> wrappedBuffer(StatisticsJson.writeColumns(statistics));
            default -> throw new IllegalArgumentException("Unknown column " + column);
        };
    }

    private static Long boxed(OptionalLong value)
    {
        return value.isPresent() ? value.getAsLong() : null;
    }
}
