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

import io.lookup.trino.handle.LookupTableHandle;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.LimitApplicationResult;

import java.util.Optional;

/**
 * LIMIT as a bound on the rows of each split, counted after merging. The engine still counts over all of them.
 */
final class LimitPushDown
{
    private LimitPushDown() {}

    /**
     * @return empty if the handle cannot, or knows it already
     */
    static Optional<LimitApplicationResult<ConnectorTableHandle>> apply(LookupTableHandle table, long limit)
    {
        boolean countsRows = switch (table.kind()) {
            // rows that only the engine leaves out would be counted
            case DATA, RO, AUDIT_LOG, BINLOG -> !table.oneRowPerBucket() && table.unenforced().isAll();
            case SNAPSHOTS, FILES, SCHEMAS, OPTIONS, MANIFESTS, PARTITIONS, BUCKETS, TAGS, AGGREGATION_FIELDS, CONSUMERS, BRANCHES, STATISTICS, CONTRADICTIONS -> false;
        };
        if (!countsRows || (table.limit().isPresent() && table.limit().getAsLong() <= limit)) {
            return Optional.empty();
        }
        return Optional.of(new LimitApplicationResult<>(table.withLimit(limit), false, false));
    }
}
