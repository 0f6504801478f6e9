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

import com.google.common.base.Splitter;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;
import io.lookup.trino.changes.TableChangesArguments.RangeEnd;
import io.lookup.trino.handle.ChangeMode;
import io.lookup.trino.handle.ChangeRange;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.SchemaTableName;

import java.util.List;
import java.util.Optional;

import static io.trino.spi.StandardErrorCode.INVALID_FUNCTION_ARGUMENT;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Finds the snapshot ids of a range of changes. A range must lie within what is retained.
 */
final class ChangeRanges
{
    private static final Splitter RANGE_SPLITTER = Splitter.on(',').trimResults();

    private final SchemaTableName table;
    private final SnapshotManager snapshots;
    private final long earliest;
    private final long latest;

    /**
     * @param latest newest snapshot that the statement sees, 0 if there is none
     */
    ChangeRanges(SchemaTableName table, SnapshotManager snapshots, long earliest, long latest)
    {
        this.table = requireNonNull(table, "table is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.earliest = earliest;
        this.latest = latest;
    }

    ChangeRange resolve(TableChangesArguments arguments)
    {
        long start = startId(arguments.start());
        long end = endId(arguments.end());
        if (arguments.incrementalBetween().isPresent()) {
            List<String> ends = RANGE_SPLITTER.splitToList(arguments.incrementalBetween().get());
            if (ends.size() != 2) {
                throw new TrinoException(INVALID_FUNCTION_ARGUMENT, format("Bad incremental_between '%s': must be start,end", arguments.incrementalBetween().get()));
            }
            start = idOrTag(ends.getFirst());
            end = idOrTag(ends.getLast());
        }
        if (arguments.mode() == ChangeMode.DIFF) {
            return stateRange(start, end, isStartGiven(arguments));
        }
        if (start < earliest - 1) {
            throw outOfRange(format("start %s is before the oldest retained change", start));
        }
        if (end > latest) {
            throw outOfRange(format("end %s is past the newest change", end));
        }
        if (start > end) {
            throw outOfRange(format("start %s is past the end %s", start, end));
        }
        return new ChangeRange(arguments.mode(), start, end);
    }

    private static boolean isStartGiven(TableChangesArguments arguments)
    {
        return arguments.start().isGiven() || arguments.incrementalBetween().isPresent();
    }

    /**
     * Two snapshots whose states can be read, retained or kept by a tag; 0 stands for the table before its first snapshot.
     */
    private ChangeRange stateRange(long start, long end, boolean startGiven)
    {
        long oldestState = snapshots.earliestId().orElse(Snapshot.FIRST_ID);
        // without a start all that can be compared: from the empty table on where nothing has expired
        long from = startGiven || oldestState == Snapshot.FIRST_ID ? start : oldestState;
        if (from > end) {
            throw outOfRange(format("start %s is past the end %s", from, end));
        }
        for (long id : new long[] {from, end}) {
            if (id != Snapshot.FIRST_ID - 1 && !hasState(id)) {
                throw new TrinoException(INVALID_FUNCTION_ARGUMENT, format(
                        "Bad range of changes of table %s: the state of snapshot %s is not retained; snapshots %s to %s are, and those of tags",
                        table,
                        id,
                        oldestState,
                        latest));
            }
        }
        return new ChangeRange(ChangeMode.DIFF, from, end);
    }

    private boolean hasState(long id)
    {
        return (id <= latest && snapshots.find(id).isPresent()) || snapshots.tags().stream().anyMatch(tag -> tag.snapshot().id() == id);
    }

    private long startId(RangeEnd start)
    {
        if (start.timeMillis().isPresent()) {
            Optional<Snapshot> snapshot = asOf(start.timeMillis().get());
            if (snapshot.isEmpty() && earliest > Snapshot.FIRST_ID) {
                // what was committed between this time and the oldest retained snapshot is gone
                throw outOfRange("start_timestamp is before the oldest retained change");
            }
            return snapshot.map(Snapshot::id).orElse(earliest - 1);
        }
        if (start.tag().isPresent()) {
            return tagId(start.tag().get());
        }
        return start.snapshotId().orElse(earliest - 1);
    }

    private long endId(RangeEnd end)
    {
        if (end.timeMillis().isPresent()) {
            return asOf(end.timeMillis().get())
                    .map(Snapshot::id)
                    .orElseThrow(() -> outOfRange("end_timestamp is before the oldest retained change"));
        }
        if (end.tag().isPresent()) {
            return tagId(end.tag().get());
        }
        return end.snapshotId().orElse(latest);
    }

    /**
     * Newest retained change at or before the instant, also one whose snapshot lives on in the long-lived changelog only.
     */
    private Optional<Snapshot> asOf(long timeMillis)
    {
        long low = earliest;
        long high = latest;
        Optional<Snapshot> found = Optional.empty();
        while (low <= high) {
            long middle = low + (high - low) / 2;
            Optional<Snapshot> snapshot = snapshots.findWithChangelog(middle);
            if (snapshot.isEmpty()) {
                // changes expire from the oldest on, so all below are gone too
                low = middle + 1;
            }
            else if (snapshot.get().timeMillis() <= timeMillis) {
                found = snapshot;
                low = middle + 1;
            }
            else {
                high = middle - 1;
            }
        }
        return found;
    }

    private long idOrTag(String text)
    {
        Optional<Snapshot> tag = snapshots.tag(text);
        if (tag.isPresent()) {
            return tag.get().id();
        }
        try {
            return Long.parseLong(text);
        }
        catch (NumberFormatException _) {
            throw new TrinoException(INVALID_FUNCTION_ARGUMENT, format("'%s' is neither a tag of table %s nor a snapshot id", text, table));
        }
    }

    private long tagId(String name)
    {
        return snapshots.tag(name)
                .map(Snapshot::id)
                .orElseThrow(() -> new TrinoException(INVALID_FUNCTION_ARGUMENT, snapshots.noTagMessage(table.toString(), name)));
    }

    private TrinoException outOfRange(String problem)
    {
        String retained = latest < Snapshot.FIRST_ID
                ? "the table has no snapshot"
                : format("changes of the snapshots %s to %s are retained, so that start is at least %s and end at most %s", earliest, latest, earliest - 1, latest);
        return new TrinoException(INVALID_FUNCTION_ARGUMENT, format("Bad range of changes of table %s: %s; %s", table, problem, retained));
    }
}
