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
package io.lookup.trino.handle;

import com.google.common.collect.ImmutableMap;
import io.lookup.storage.format.TrinoBlocks;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.TupleDomain;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

/**
 * A table of a statement, or one of the tables that tell of it.
 *
 * @param tableName name of the table itself, without the kind
 * @param schemaJson the schema version whose columns are shown
 * @param snapshotId the snapshot that is read, and the newest one whose changes are seen; empty for a table without
 * snapshots
 * @param timeTravel whether the statement chose the snapshot
 * @param enforced conditions that no returned row breaks: on partition columns, buckets and snapshot-wide columns
 * @param unenforced conditions that only skip what cannot match
 * @param changes the snapshots that a table function was asked for; empty for every change that is retained
 * @param oneRowPerBucket whether a scan gives, instead of the rows, one row for each bucket that is to be compacted
 * @param limit rows, of those that count, after which a split may end; never together with unenforced conditions
 * @param bucketGroups whether each node is given all splits of its buckets, and how many groups of buckets are dealt out
 */
public record LookupTableHandle(
        String schemaName,
        String tableName,
        TableKind kind,
        String schemaJson,
        OptionalLong snapshotId,
        boolean timeTravel,
        TupleDomain<LookupColumnHandle> enforced,
        TupleDomain<LookupColumnHandle> unenforced,
        Optional<ChangeRange> changes,
        boolean oneRowPerBucket,
        OptionalLong limit,
        OptionalInt bucketGroups)
        implements ConnectorTableHandle
{
    public LookupTableHandle
    {
        requireNonNull(schemaName, "schemaName is null");
        requireNonNull(tableName, "tableName is null");
        requireNonNull(kind, "kind is null");
        requireNonNull(schemaJson, "schemaJson is null");
        requireNonNull(snapshotId, "snapshotId is null");
        requireNonNull(enforced, "enforced is null");
        requireNonNull(unenforced, "unenforced is null");
        requireNonNull(changes, "changes is null");
        requireNonNull(limit, "limit is null");
        requireNonNull(bucketGroups, "bucketGroups is null");
    }

    public LookupTableHandle(String schemaName, String tableName, TableKind kind, String schemaJson, OptionalLong snapshotId, boolean timeTravel)
    {
        this(schemaName, tableName, kind, schemaJson, snapshotId, timeTravel, TupleDomain.all(), TupleDomain.all(), Optional.empty(), false, OptionalLong.empty(), OptionalInt.empty());
    }

    /**
     * The name that the statement uses.
     */
    public SchemaTableName relationName()
    {
        return new SchemaTableName(schemaName, tableName + kind.suffix());
    }

    /**
     * The name of the table that this one tells of, or is.
     */
    public SchemaTableName baseTableName()
    {
        return new SchemaTableName(schemaName, tableName);
    }

    public LookupTableHandle withPredicates(TupleDomain<LookupColumnHandle> enforced, TupleDomain<LookupColumnHandle> unenforced)
    {
        return new LookupTableHandle(schemaName, tableName, kind, schemaJson, snapshotId, timeTravel, enforced, unenforced, changes, oneRowPerBucket, limit, bucketGroups);
    }

    public LookupTableHandle withChanges(ChangeRange range)
    {
        return new LookupTableHandle(schemaName, tableName, kind, schemaJson, snapshotId, timeTravel, enforced, unenforced, Optional.of(range), oneRowPerBucket, limit, bucketGroups);
    }

    public LookupTableHandle withOneRowPerBucket()
    {
        return new LookupTableHandle(schemaName, tableName, kind, schemaJson, snapshotId, timeTravel, enforced, unenforced, changes, true, limit, bucketGroups);
    }

    public LookupTableHandle withLimit(long rows)
    {
        return new LookupTableHandle(schemaName, tableName, kind, schemaJson, snapshotId, timeTravel, enforced, unenforced, changes, oneRowPerBucket, OptionalLong.of(rows), bucketGroups);
    }

    public LookupTableHandle withBucketGroups(int groups)
    {
        return new LookupTableHandle(schemaName, tableName, kind, schemaJson, snapshotId, timeTravel, enforced, unenforced, changes, oneRowPerBucket, limit, OptionalInt.of(groups));
    }

    /**
     * What EXPLAIN shows.
     */
    @Override
    public String toString()
    {
        StringBuilder result = new StringBuilder(relationName().toString());
        if (timeTravel && snapshotId.isPresent()) {
            result.append(" snapshot ").append(snapshotId.getAsLong());
        }
        changes.ifPresent(range -> result.append(" changes ").append(range));
        if (oneRowPerBucket) {
            result.append(" buckets");
        }
        bucketGroups.ifPresent(groups -> result.append(" in ").append(groups).append(" groups of buckets"));
        limit.ifPresent(rows -> result.append(" limit ").append(rows));
        if (enforced.isNone()) {
            return result.append(" nothing").toString();
        }
        enforced.getDomains().orElse(ImmutableMap.of()).forEach((column, domain) ->
                result.append(' ').append(column.role() == ColumnRole.SNAPSHOT_ID ? "snapshots" : column.name()).append(' ').append(describe(domain)));
        Map<LookupColumnHandle, Domain> skipped = unenforced.getDomains().orElse(ImmutableMap.of());
        if (!skipped.isEmpty()) {
            result.append(" skips by");
            skipped.forEach((column, domain) -> result.append(' ').append(column.name()).append(' ').append(describe(domain)));
        }
        return result.toString();
    }

    private static String describe(Domain domain)
    {
        if (domain.isOnlyNull()) {
            return "IS NULL";
        }
        if (!domain.getType().isOrderable()) {
            return "filtered";
        }
        String values = domain.getValues().getRanges().getOrderedRanges().stream()
                .map(LookupTableHandle::describe)
                .collect(joining(" or "));
        return domain.isNullAllowed() ? values + " or NULL" : values;
    }

    private static String describe(Range range)
    {
        if (range.isSingleValue()) {
            return "[" + printable(range, range.getSingleValue()) + "]";
        }
        return (range.isLowInclusive() ? "[" : "(") +
                range.getLowValue().map(value -> printable(range, value)).orElse("-∞") + ", " +
                range.getHighValue().map(value -> printable(range, value)).orElse("+∞") +
                (range.isHighInclusive() ? "]" : ")");
    }

    private static String printable(Range range, Object value)
    {
        // no value of an orderable type depends on the session
        return String.valueOf(TrinoBlocks.objectValue(range.getType(), writeNativeValue(range.getType(), value), 0));
    }
}
