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

import com.google.common.collect.ImmutableList;
import io.lookup.storage.schema.TableSchema;
import io.lookup.trino.handle.ColumnRole;
import io.lookup.trino.handle.LookupColumnHandle;
import io.lookup.trino.handle.LookupTableHandle;
import io.lookup.trino.handle.TableKind;
import io.trino.plugin.base.filter.UtcConstraintExtractor;
import io.trino.plugin.base.filter.UtcConstraintExtractor.ExtractionResult;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorTableProperties;
import io.trino.spi.connector.Constraint;
import io.trino.spi.connector.ConstraintApplicationResult;
import io.trino.spi.predicate.TupleDomain;

import java.util.Optional;

/**
 * Takes predicates into table handles. Conditions on partition columns, buckets and snapshot-wide columns are taken
 * over entirely, since a file or a snapshot has one value of them; conditions on other columns skip files and row
 * groups, and Trino still filters.
 */
final class PredicatePushDown
{
    private PredicatePushDown() {}

    /**
     * @return empty if the handle knows it all already
     */
    static Optional<ConstraintApplicationResult<LookupTableHandle>> apply(LookupTableHandle table, TableSchema schema, Constraint constraint)
    {
        if (table.kind() != TableKind.DATA && table.kind() != TableKind.RO && table.kind() != TableKind.AUDIT_LOG) {
            return Optional.empty();
        }
        if (table.limit().isPresent()) {
            // rows are counted before
            return Optional.empty();
        }
        // instants are carried in UTC, which makes casts and truncations of them ranges
        ExtractionResult extraction = UtcConstraintExtractor.extractTupleDomain(constraint);
        TupleDomain<LookupColumnHandle> predicate = extraction.tupleDomain().transformKeys(LookupColumnHandle.class::cast);
        TupleDomain<LookupColumnHandle> enforceable = predicate.filter((column, _) -> isEnforceable(column, schema));
        TupleDomain<LookupColumnHandle> unenforceable = predicate.filter((column, _) -> !isEnforceable(column, schema));

        // files know no bounds of fields
        TupleDomain<LookupColumnHandle> skipping = unenforceable.filter((column, _) -> column.path().isEmpty());

        TupleDomain<LookupColumnHandle> enforced = table.enforced().intersect(enforceable);
        TupleDomain<LookupColumnHandle> unenforced = table.unenforced().intersect(skipping);
        if (enforced.equals(table.enforced()) && unenforced.equals(table.unenforced())) {
            return Optional.empty();
        }
        return Optional.of(new ConstraintApplicationResult<>(
                table.withPredicates(enforced, unenforced),
                unenforceable.transformKeys(ColumnHandle.class::cast),
                extraction.remainingExpression(),
                false));
    }

    /**
     * What no filter says any more, so that Trino still derives conditions on joined tables from it, and EXPLAIN (TYPE IO) shows it.
     */
    static ConnectorTableProperties properties(LookupTableHandle table)
    {
        return new ConnectorTableProperties(table.enforced().transformKeys(ColumnHandle.class::cast), BucketedReads.properties(table), Optional.empty(), ImmutableList.of());
    }

    private static boolean isEnforceable(LookupColumnHandle column, TableSchema schema)
    {
        if (column.role() == ColumnRole.DATA) {
            return schema.findField(column.fieldId())
                    .map(field -> schema.partitionKeys().contains(field.name()))
                    .orElse(false);
        }
        return column.role() == ColumnRole.BUCKET || column.role().isSnapshotWide();
    }
}
