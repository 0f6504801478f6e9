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
package io.lookup.trino.flink;

import com.google.common.collect.ImmutableList;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.base.Preconditions.checkState;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a streaming query has said until now. The changes of a key are replayed without mercy: what a {@code -U} or {@code -D} takes away must be
 * the row that is there, and what a {@code +I} or {@code +U} brings must find nothing there.
 */
final class FlinkStream
{
    private static final long PATIENCE_NANOS = SECONDS.toNanos(90);
    private static final Comparator<List<String>> ORDER = Comparator.comparing(List::toString);

    private final String name;
    private final int keyLength;
    private final List<Change> changes = new ArrayList<>();
    private Optional<String> failure = Optional.empty();

    FlinkStream(String name, int keyLength)
    {
        this.name = requireNonNull(name, "name is null");
        this.keyLength = keyLength;
    }

    record Change(String kind, List<String> row)
    {
        Change
        {
            requireNonNull(kind, "kind is null");
            row = List.copyOf(row);
        }

        @Override
        public String toString()
        {
            return kind + " " + row;
        }
    }

    String name()
    {
        return name;
    }

    synchronized void add(Change change)
    {
        changes.add(change);
    }

    synchronized void fail(String message)
    {
        failure = Optional.of(message);
    }

    synchronized List<Change> changes()
    {
        checkState(failure.isEmpty(), "the query %s failed: %s", name, failure.orElse(""));
        return ImmutableList.copyOf(changes);
    }

    void awaitRows(List<List<String>> expected)
            throws InterruptedException
    {
        awaitRowsAfter(ImmutableList.of(), expected);
    }

    /**
     * Waits until the changes make the expected rows of the given ones.
     */
    void awaitRowsAfter(List<List<String>> before, List<List<String>> expected)
            throws InterruptedException
    {
        long start = System.nanoTime();
        List<List<String>> sorted = expected.stream().sorted(ORDER).toList();
        while (!replay(before).equals(sorted) && System.nanoTime() - start < PATIENCE_NANOS) {
            NANOSECONDS.sleep(50_000_000);
        }
        assertThat(replay(before)).as("rows of the stream %s after %s", name, changes()).isEqualTo(sorted);
    }

    void awaitChanges(int count)
            throws InterruptedException
    {
        long start = System.nanoTime();
        while (changes().size() < count && System.nanoTime() - start < PATIENCE_NANOS) {
            NANOSECONDS.sleep(50_000_000);
        }
        assertThat(changes()).as("changes of the stream %s", name).hasSizeGreaterThanOrEqualTo(count);
    }

    /**
     * The rows that the changes make of others, in a fixed order.
     */
    List<List<String>> replay(List<List<String>> before)
    {
        Map<List<String>, List<String>> rows = new HashMap<>();
        before.forEach(row -> rows.put(key(row), row));
        Map<List<String>, String> kinds = new HashMap<>();
        for (Change change : changes()) {
            List<String> key = key(change.row());
            if (change.kind().startsWith("-")) {
                assertThat(rows.remove(key)).as("what %s takes away in %s", change, changes()).isEqualTo(change.row());
            }
            else {
                assertThat(rows.put(key, change.row())).as("what stands in the way of %s in %s", change, changes()).isNull();
                // A stream that begins with the table tells a row with the kind that it was written with.
                if (kinds.containsKey(key)) {
                    assertThat(change.kind().equals("+U")).as("%s in %s follows a -U of its key", change, changes()).isEqualTo("-U".equals(kinds.get(key)));
                }
            }
            kinds.put(key, change.kind());
        }
        return rows.values().stream().sorted(ORDER).toList();
    }

    private List<String> key(List<String> row)
    {
        return row.subList(0, keyLength);
    }
}
