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
package io.lookup.storage.oracle;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static com.google.common.base.Preconditions.checkState;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.lookup.storage.oracle.CanonicalValues.canonicalRow;
import static java.util.Objects.requireNonNull;

/**
 * Applies a changelog to an empty table and refuses a change that the state before it contradicts: {@code +I} of a present key, {@code -D} or
 * {@code -U} of a row that is not there as it says, {@code +U} without its {@code -U} directly before.
 */
public final class ChangelogReplay
{
    private final PaimonTableDefinition table;
    private final Map<String, String> rows = new TreeMap<>();
    private String updatedKey;

    public ChangelogReplay(PaimonTableDefinition table)
    {
        this.table = requireNonNull(table, "table is null");
    }

    /**
     * Takes the rows of a table for what the log has told so far.
     */
    public void startFrom(List<Change> state)
    {
        rows.clear();
        state.forEach(row -> rows.put(key(row), row.rowText()));
    }

    private String key(Change change)
    {
        return canonicalRow(table.keyIndexes().stream()
                .map(change.values()::get)
                .toList());
    }

    /**
     * @throws IllegalStateException at the first change that contradicts the state
     */
    public void apply(List<Change> changelog)
    {
        changelog.forEach(this::apply);
        checkState(updatedKey == null, "-U without +U: %s", updatedKey);
    }

    /**
     * Applies what was logged as somebody wrote it: an insert can be of a key that is there, and a delete of one that is not.
     */
    public void applyAsWritten(List<Change> changelog)
    {
        for (Change change : changelog) {
            switch (change.kind()) {
                case INSERT, UPDATE_AFTER -> rows.put(key(change), change.rowText());
                case UPDATE_BEFORE, DELETE -> rows.remove(key(change));
            }
        }
    }

    private void apply(Change change)
    {
        String key = key(change);
        checkState((change.kind() == ChangeKind.UPDATE_AFTER) == (updatedKey != null), "-U and +U do not pair at %s", change);
        switch (change.kind()) {
            case INSERT -> {
                String present = rows.putIfAbsent(key, change.rowText());
                checkState(present == null, "%s, but there is %s", change, present);
            }
            case UPDATE_BEFORE -> {
                remove(key, change);
                updatedKey = key;
            }
            case UPDATE_AFTER -> {
                checkState(key.equals(updatedKey), "%s follows the -U of %s", change, updatedKey);
                rows.put(key, change.rowText());
                updatedKey = null;
            }
            case DELETE -> remove(key, change);
        }
    }

    private void remove(String key, Change change)
    {
        String present = rows.remove(key);
        checkState(change.rowText().equals(present), "%s, but there is %s", change, present);
    }

    /**
     * The texts of the rows, sorted as {@link Change} sorts.
     */
    public List<String> state()
    {
        return rows.values().stream()
                .sorted()
                .collect(toImmutableList());
    }

    /**
     * The texts of rows without their kinds, sorted: the same form for rows that were read.
     */
    public static List<String> texts(List<Change> rows)
    {
        return rows.stream()
                .map(Change::rowText)
                .sorted()
                .collect(toImmutableList());
    }
}
