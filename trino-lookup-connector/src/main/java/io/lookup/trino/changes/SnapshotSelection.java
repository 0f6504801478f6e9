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
package io.lookup.trino.changes;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;
import io.lookup.trino.handle.ChangeRange;
import io.lookup.trino.handle.ColumnRole;
import io.lookup.trino.handle.LookupColumnHandle;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.TupleDomain;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import static io.airlift.slice.Slices.utf8Slice;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;

/**
 * Picks the snapshots whose changes a query can want, by conditions on snapshot-wide columns. Ranges of ids narrow
 * what is read at all; the rest is decided by the snapshots themselves, since clocks of several writers may differ and
 * commit times may go back.
 */
public final class SnapshotSelection
{
    private SnapshotSelection() {}

    /**
     * @param latest newest snapshot that the statement sees
     * @return in ascending order; every snapshot whose snapshot-wide columns satisfy the predicate
     */
    public static List<Snapshot> select(SnapshotManager snapshots, OptionalLong latest, Optional<ChangeRange> range, TupleDomain<LookupColumnHandle> predicate)
    {
        if (latest.isEmpty() || predicate.isNone()) {
            return ImmutableList.of();
        }
        OptionalLong earliest = snapshots.earliestChangelogId();
        if (earliest.isEmpty()) {
            return ImmutableList.of();
        }
        long from = earliest.getAsLong();
        long to = latest.getAsLong();
        if (range.isPresent()) {
            from = Math.max(from, range.get().startExclusive() + 1);
            to = Math.min(to, range.get().endInclusive());
        }
        Map<LookupColumnHandle, Domain> domains = predicate.getDomains().orElseThrow();
        Domain ids = Domain.all(BIGINT);
        for (Map.Entry<LookupColumnHandle, Domain> entry : domains.entrySet()) {
            if (entry.getKey().role() == ColumnRole.SNAPSHOT_ID) {
                ids = ids.intersect(entry.getValue());
            }
        }
        ImmutableList.Builder<Snapshot> selected = ImmutableList.builder();
        for (Range idRange : ids.getValues().getRanges().getOrderedRanges()) {
            long first = idRange.isLowUnbounded() ? from : Math.max(from, (long) idRange.getLowBoundedValue() + (idRange.isLowInclusive() ? 0 : 1));
            long last = idRange.isHighUnbounded() ? to : Math.min(to, (long) idRange.getHighBoundedValue() - (idRange.isHighInclusive() ? 0 : 1));
            if (first > last) {
                continue;
            }
            snapshots.snapshots(first, last, true).stream()
                    .filter(snapshot -> matches(snapshot, domains))
                    .forEach(selected::add);
        }
        return selected.build();
    }

    private static boolean matches(Snapshot snapshot, Map<LookupColumnHandle, Domain> domains)
    {
        return domains.entrySet().stream()
                .filter(entry -> entry.getKey().role().isSnapshotWide())
                .allMatch(entry -> entry.getValue().includesNullableValue(value(snapshot, entry.getKey().role())));
    }

    /**
     * Whether the difference of two states, which carries the later snapshot's id and time and is nobody's alone, can satisfy the predicate.
     */
    public static boolean matchesDifference(Snapshot after, TupleDomain<LookupColumnHandle> predicate)
    {
        return predicate.getDomains().orElseThrow().entrySet().stream()
                .filter(entry -> entry.getKey().role().isSnapshotWide())
                .allMatch(entry -> switch (entry.getKey().role()) {
                    case QUERY_ID, USER -> entry.getValue().isNullAllowed();
                    default -> entry.getValue().includesNullableValue(value(after, entry.getKey().role()));
                });
    }

    /**
     * The native value of a snapshot-wide column, or null.
     */
    public static Object value(Snapshot snapshot, ColumnRole role)
    {
        return switch (role) {
            case SNAPSHOT_ID -> snapshot.id();
            case COMMIT_TIME -> packDateTimeWithZone(snapshot.timeMillis(), UTC_KEY);
            case QUERY_ID -> SnapshotProperties.queryId(snapshot).map(text -> (Object) utf8Slice(text)).orElse(null);
            case USER -> SnapshotProperties.user(snapshot).map(text -> (Object) utf8Slice(text)).orElse(null);
            case DATA, STATE, ROW_ID, ROW_KIND, BUCKET, SEQUENCE_NUMBER -> throw new IllegalArgumentException("Not the same for a whole snapshot: " + role);
        };
    }
}
