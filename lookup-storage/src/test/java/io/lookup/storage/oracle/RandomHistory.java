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

import com.google.common.collect.ImmutableList;
import org.apache.paimon.types.DataType;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.lookup.storage.oracle.CanonicalValues.canonicalRow;
import static io.lookup.storage.oracle.CanonicalValues.canonicalText;
import static io.lookup.storage.oracle.PaimonValues.parseType;
import static java.util.Objects.requireNonNull;

/**
 * A table and a list of commits that follow from a seed alone. The keys are few, so that they collide.
 * <p>
 * Inside a commit a key has at most one delete, and that before its inserts: engines that apply rows in order and engines in which an insert
 * beats a delete of the same statement come to the same result. What is deleted follows from the options, see {@link DeleteRules}; with
 * {@code aggregation.remove-record-on-delete} a deleted key comes again in a later commit if its delete can be null in all other columns, and
 * else never. An aggregation table that looks up, and whose functions can
 * all take back values, has commits with -U and -D rows of a key, and no other rows of it. No commit is empty, also without its deletes where
 * they are ignored.
 * <p>
 * A history keeps to what Paimon 1.4.2 gets right; see {@code TestPaimonDefects} for the rest. So a key is no NaN and no negative zero, a table
 * that looks up has no key of bytes and no partition value with a slash, and with {@code changelog-producer.row-deduplicate} no value is or holds
 * a NaN, a negative zero or a null element. A key comes once in a commit where {@code sequence.field} is descending, and a member of a sequence group
 * is null where the group's sequence columns are.
 */
public record RandomHistory(long seed, PaimonTableDefinition table, List<List<Change>> commits)
{
    private static final int MAX_FOLDER_CHARACTERS = 40;
    private static final int MAX_KEYS = 24;

    public RandomHistory
    {
        requireNonNull(table, "table is null");
        commits = commits.stream()
                .map(ImmutableList::copyOf)
                .collect(toImmutableList());
    }

    /**
     * The change as two engines must agree on it, with sorted arrays where Paimon leaves their order open.
     */
    public Change comparable(Change change)
    {
        return RandomAggregates.withoutOrder(table, change);
    }

    /**
     * Whether a key that was deleted may come again: what remains of the row is nothing.
     */
    static boolean comesAgain(PaimonTableDefinition table)
    {
        return table.columns().stream()
                .filter(column -> !table.primaryKey().contains(column.name()))
                .allMatch(column -> parseType(column.type()).isNullable());
    }

    /**
     * Up to 10 commits of up to 12 rows.
     */
    public static RandomHistory generate(long seed)
    {
        return generate(seed, 10, 12);
    }

    public static RandomHistory generate(long seed, int maxCommits, int maxRowsPerCommit)
    {
        checkArgument(maxCommits > 0, "maxCommits is not positive: %s", maxCommits);
        checkArgument(maxRowsPerCommit > 0, "maxRowsPerCommit is not positive: %s", maxRowsPerCommit);
        Random random = new Random(seed);
        PaimonTableDefinition table = new RandomTables(random).next();
        return new RandomHistory(seed, table, new Generator(random, table, MAX_KEYS).commits(random.nextInt(1, maxCommits + 1), maxRowsPerCommit));
    }

    /**
     * One large commit, then many small ones, so that the runs of a bucket become many, and are of sizes that a compaction joins or does not.
     */
    public static RandomHistory generateManyCommits(long seed)
    {
        Random random = new Random(seed);
        PaimonTableDefinition table = new RandomTables(random).next();
        Generator generator = new Generator(random, table, 4 * MAX_KEYS);
        List<List<Change>> commits = new ArrayList<>(generator.commits(1, 4 * MAX_KEYS));
        int count = random.nextInt(8, 20);
        for (int rows = random.nextInt(2, 24); commits.size() < count; rows = rows > 1 ? rows * 2 / 3 : random.nextInt(2, 24)) {
            List<List<Change>> next = generator.commits(1, rows);
            if (next.isEmpty()) {
                break;
            }
            commits.addAll(next);
        }
        return new RandomHistory(seed, table, commits);
    }

    private static final class Generator
    {
        private final Random random;
        private final RandomValues values;
        private final PaimonTableDefinition table;
        private final boolean removesDeleted;
        private final boolean comesAgain;
        private final boolean retracts;
        private final RandomAggregates aggregates;
        private final DeleteRules deletes;
        private final boolean keysOnce;
        private final Set<Integer> sequences;
        private final List<DataType> types;
        private final List<List<Object>> keys;
        // a few values per column come again and again, so that a new row often equals the old one
        private final List<List<Object>> favourites;
        private final Map<String, List<Object>> live = new TreeMap<>();
        private final Set<String> removed = new HashSet<>();
        private long time;

        private Generator(Random random, PaimonTableDefinition table, int maxKeys)
        {
            this.random = random;
            this.values = new RandomValues(random, table.options().containsKey("changelog-producer.row-deduplicate"));
            this.table = table;
            this.removesDeleted = table.options().containsKey("aggregation.remove-record-on-delete");
            this.comesAgain = comesAgain(table);
            this.retracts = RandomAggregates.canRetract(table);
            this.aggregates = new RandomAggregates(random, table.options().containsKey("changelog-producer"), table.options().containsKey("changelog-producer.row-deduplicate"), retracts);
            this.deletes = DeleteRules.of(table);
            this.keysOnce = "descending".equals(table.options().get("sequence.field.sort-order"));
            this.types = table.columns().stream()
                    .map(column -> parseType(column.type()))
                    .collect(toImmutableList());
            this.keys = keys(maxKeys);
            this.favourites = new ArrayList<>();
            this.sequences = new HashSet<>();
            if (table.options().containsKey("sequence.field")) {
                List.of(table.options().get("sequence.field").split(",")).forEach(name -> sequences.add(table.columnIndex(name)));
            }
            DeleteRules.sequenceGroups(table.options()).flatMap(List::stream).forEach(name -> sequences.add(table.columnIndex(name)));
            for (int column = 0; column < types.size(); column++) {
                favourites.add(ImmutableList.copyOf(values.distinct(types.get(column), sequences.contains(column) ? 4 : 2)));
            }
        }

        private List<List<Object>> keys(int maxKeys)
        {
            RandomValues keyValues = new RandomValues(random, true);
            boolean lookup = table.options().containsKey("changelog-producer")
                    || table.options().containsKey("deletion-vectors.enabled")
                    || "first-row".equals(table.options().get("merge-engine"));
            List<List<Object>> result = ImmutableList.of(ImmutableList.of());
            int many = table.keyIndexes().size() == 1 ? maxKeys : table.keyIndexes().size() == 2 ? 12 : 5;
            for (int column : table.keyIndexes()) {
                List<Object> columnValues = keyValues.distinct(types.get(column), maxKeys > MAX_KEYS ? many : random.nextInt(2, 5)).stream()
                        .map(value -> lookup && value instanceof String text ? text.replace('/', '|') : value)
                        .map(value -> table.partitionKeys().contains(table.columns().get(column).name()) && value instanceof String text ? folderName(text) : value)
                        .distinct()
                        .collect(toImmutableList());
                result = result.stream()
                        .flatMap(prefix -> columnValues.stream().map(value -> ImmutableList.builder().addAll(prefix).add(value).build()))
                        .collect(toImmutableList());
            }
            List<List<Object>> shuffled = new ArrayList<>(result);
            Collections.shuffle(shuffled, random);
            return ImmutableList.copyOf(shuffled.subList(0, Math.min(maxKeys, shuffled.size())));
        }

        /**
         * A file system has no names of thousands of bytes.
         */
        private static String folderName(String text)
        {
            return text.codePointCount(0, text.length()) <= MAX_FOLDER_CHARACTERS ? text : text.substring(0, text.offsetByCodePoints(0, MAX_FOLDER_CHARACTERS)).stripTrailing();
        }

        private List<List<Change>> commits(int count, int maxRows)
        {
            List<List<Change>> commits = new ArrayList<>();
            boolean canDeleteAll = deletes.allowed() && !deletes.dropped() && deletes.removes();
            // a table whose keys have all been removed for good has no more commits
            for (int attempt = 0; commits.size() < count && attempt < 10 * count; attempt++) {
                time++;
                List<Change> commit = canDeleteAll && random.nextInt(15) == 0 ? deleteAll() : commit(random.nextInt(1, maxRows + 1));
                if (!commit.isEmpty()) {
                    commits.add(commit);
                }
            }
            return commits;
        }

        private List<Change> deleteAll()
        {
            List<Change> commit = live.values().stream()
                    .map(this::delete)
                    .collect(toImmutableList());
            live.clear();
            return commit;
        }

        private List<Change> commit(int rowCount)
        {
            List<Change> commit = new ArrayList<>();
            Set<String> touched = new HashSet<>();
            Set<String> retracted = new HashSet<>();
            boolean written = !deletes.dropped();
            for (int index = 0; index < rowCount || !written; index++) {
                List<Object> key = keys.get(random.nextInt(keys.size()));
                String keyText = canonicalRow(key);
                if (removed.contains(keyText) || retracted.contains(keyText)) {
                    continue;
                }
                boolean first = touched.add(keyText);
                if (removesDeleted && first && random.nextInt(6) == 0) {
                    (comesAgain ? retracted : removed).add(keyText);
                    commit.add(new Change(ChangeKind.DELETE, comesAgain ? blank(key) : row(key)));
                    continue;
                }
                if (retracts && first && random.nextInt(4) == 0) {
                    retracted.add(keyText);
                    for (int count = random.nextInt(1, 3); count > 0; count--) {
                        commit.add(new Change(removesDeleted || random.nextBoolean() ? ChangeKind.UPDATE_BEFORE : ChangeKind.DELETE, row(key)));
                    }
                    continue;
                }
                if (!first && keysOnce && index < rowCount) {
                    continue;
                }
                boolean deletable = deletes.allowed() && (!deletes.liveOnly() || live.containsKey(keyText));
                if (deletable && first && random.nextInt(4) == 0) {
                    commit.add(delete(Optional.ofNullable(live.get(keyText)).orElseGet(() -> row(key))));
                    if (deletes.removes()) {
                        live.remove(keyText);
                    }
                    continue;
                }
                List<Object> row = live.containsKey(keyText) && random.nextInt(5) == 0 ? live.get(keyText) : row(key);
                live.put(keyText, row);
                commit.add(change(ChangeKind.INSERT, row));
                written = true;
            }
            return commit;
        }

        private List<Object> blank(List<Object> key)
        {
            List<Object> row = new ArrayList<>(Collections.nCopies(types.size(), null));
            for (int index = 0; index < key.size(); index++) {
                row.set(table.keyIndexes().get(index), key.get(index));
            }
            return row;
        }

        private Change delete(List<Object> row)
        {
            List<Object> deleted = new ArrayList<>(row);
            for (int column = 0; column < deleted.size(); column++) {
                String name = table.columns().get(column).name();
                if (deletes.blankColumns().contains(name) && types.get(column).isNullable()) {
                    deleted.set(column, null);
                }
                if (deletes.countedColumns().contains(name)) {
                    deleted.set(column, time);
                }
            }
            return change(ChangeKind.DELETE, deleted);
        }

        private Change change(ChangeKind kind, List<Object> row)
        {
            String kindColumn = table.options().get("rowkind.field");
            if (kindColumn == null) {
                return new Change(kind, row);
            }
            List<Object> withKind = new ArrayList<>(row);
            withKind.set(table.columnIndex(kindColumn), kind.symbol());
            return new Change(kind, withKind);
        }

        private List<Object> row(List<Object> key)
        {
            List<Object> row = new ArrayList<>();
            for (int column = 0; column < types.size(); column++) {
                row.add(value(column));
            }
            List<Integer> keyIndexes = table.keyIndexes();
            for (int index = 0; index < key.size(); index++) {
                row.set(keyIndexes.get(index), key.get(index));
            }
            table.options().forEach((option, members) -> {
                if (option.endsWith(".sequence-group") && DeleteRules.sequenceColumns(option).stream().allMatch(name -> row.get(table.columnIndex(name)) == null)) {
                    List.of(members.split(",")).forEach(name -> row.set(table.columnIndex(name), null));
                }
            });
            return row;
        }

        private static List<Object> distinct(List<?> list)
        {
            Set<String> texts = new HashSet<>();
            List<Object> elements = new ArrayList<>(list);
            elements.removeIf(element -> !texts.add(element == null ? "null" : canonicalText(element)));
            return Collections.unmodifiableList(elements);
        }

        private Object value(int column)
        {
            String name = table.columns().get(column).name();
            String function = RandomAggregates.function(table, table.columns().get(column));
            if (RandomAggregates.drawsValues(function)) {
                Object value = aggregates.value(function, types.get(column), values);
                // Paimon writes a lone array with all its elements, and logs it without those that are there twice
                return table.options().containsKey("fields." + name + ".distinct") && value instanceof List<?> list ? distinct(list) : value;
            }
            if (deletes.countedColumns().contains(name)) {
                return time;
            }
            if (sequences.contains(column) && random.nextInt(6) == 0) {
                return null;
            }
            // sequences meet their like often
            boolean favourite = sequences.contains(column) ? random.nextInt(6) != 0 : random.nextInt(3) == 0;
            return favourite ? favourites.get(column).get(random.nextInt(favourites.get(column).size())) : values.nullable(types.get(column));
        }
    }
}
