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
package io.lookup.trino.server;

import com.google.common.collect.ImmutableList;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

/**
 * One statement of {@link SoakRun}, with what it does to the rows, so that it can be applied to a model.
 *
 * @param name of its own, which is the user that runs it and the token that its rows get
 */
record SoakStatement(String name, Kind kind, String sql, List<Effect> effects)
{
    /** Rows that are only ever incremented. */
    static final int COUNTERS = 12;
    static final String TABLE = "soak";
    private static final int FIRST_OTHER = 100;
    private static final int OTHERS = 40;

    SoakStatement
    {
        requireNonNull(name, "name is null");
        requireNonNull(kind, "kind is null");
        requireNonNull(sql, "sql is null");
        effects = ImmutableList.copyOf(effects);
    }

    enum Kind
    {
        INSERT, UPDATE, MERGE, DELETE, OPTIMIZE, READ
    }

    enum Change
    {
        /** The row is there with this value. */
        PUT,
        /** If it is there, its value grows. */
        ADD,
        /** Its value grows, or it is put. */
        ADD_OR_PUT,
        /** It is gone. */
        REMOVE
    }

    record Effect(int key, Change change, long amount) {}

    record Row(long value, String token) {}

    static String createTable()
    {
        return "CREATE TABLE %s (k integer, v bigint, token varchar) WITH (primary_key = ARRAY['k'], bucket = 2, changelog_producer = 'lookup')".formatted(TABLE);
    }

    static SoakStatement first()
    {
        ImmutableList.Builder<Effect> effects = ImmutableList.builder();
        for (int key = 0; key < COUNTERS; key++) {
            effects.add(new Effect(key, Change.PUT, 0));
        }
        return insert("first", effects.build());
    }

    static SoakStatement random(String name, Random random)
    {
        int choice = random.nextInt(100);
        if (choice < 30) {
            int counter = random.nextInt(COUNTERS);
            return update(name, ImmutableList.of(counter));
        }
        if (choice < 38) {
            return update(name, keys(random, 0, COUNTERS, 2));
        }
        if (choice < 58) {
            ImmutableList.Builder<Effect> effects = ImmutableList.builder();
            keys(random, 0, COUNTERS, 1 + random.nextInt(2)).forEach(key -> effects.add(new Effect(key, Change.ADD_OR_PUT, 1)));
            keys(random, FIRST_OTHER, OTHERS, random.nextInt(3)).forEach(key -> effects.add(new Effect(key, Change.ADD_OR_PUT, 10)));
            return merge(name, effects.build());
        }
        if (choice < 76) {
            ImmutableList.Builder<Effect> effects = ImmutableList.builder();
            keys(random, FIRST_OTHER, OTHERS, 1 + random.nextInt(5)).forEach(key -> effects.add(new Effect(key, Change.PUT, random.nextInt(1000))));
            return insert(name, effects.build());
        }
        if (choice < 84) {
            // one key, since isolation by snapshots lets a delete of several miss the row that another statement adds meanwhile
            int key = FIRST_OTHER + random.nextInt(OTHERS);
            return new SoakStatement(name, Kind.DELETE, "DELETE FROM %s WHERE k = %s".formatted(TABLE, key), ImmutableList.of(new Effect(key, Change.REMOVE, 0)));
        }
        if (choice < 96) {
            return new SoakStatement(name, Kind.READ, "SELECT k, v, token FROM " + TABLE, ImmutableList.of());
        }
        return new SoakStatement(name, Kind.OPTIMIZE, "ALTER TABLE %s EXECUTE optimize".formatted(TABLE), ImmutableList.of());
    }

    private static SoakStatement insert(String name, List<Effect> effects)
    {
        String rows = effects.stream().map(effect -> "(%s, %s, '%s')".formatted(effect.key(), effect.amount(), name)).collect(joining(", "));
        return new SoakStatement(name, Kind.INSERT, "INSERT INTO %s VALUES %s".formatted(TABLE, rows), effects);
    }

    private static SoakStatement update(String name, List<Integer> keys)
    {
        return new SoakStatement(
                name,
                Kind.UPDATE,
                "UPDATE %s SET v = v + 1, token = '%s' WHERE k IN (%s)".formatted(TABLE, name, join(keys)),
                keys.stream().map(key -> new Effect(key, Change.ADD, 1)).toList());
    }

    private static SoakStatement merge(String name, List<Effect> effects)
    {
        String rows = effects.stream().map(effect -> "(%s, BIGINT '%s')".formatted(effect.key(), effect.amount())).collect(joining(", "));
        return new SoakStatement(
                name,
                Kind.MERGE,
                ("MERGE INTO %s t USING (VALUES %s) s (k, d) ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = t.v + s.d, token = '%s' " +
                        "WHEN NOT MATCHED THEN INSERT (k, v, token) VALUES (s.k, s.d, '%s')").formatted(TABLE, rows, name, name),
                effects);
    }

    private static String join(List<Integer> keys)
    {
        return keys.stream().map(String::valueOf).collect(joining(", "));
    }

    private static List<Integer> keys(Random random, int first, int range, int count)
    {
        TreeSet<Integer> keys = new TreeSet<>();
        while (keys.size() < count) {
            keys.add(first + random.nextInt(range));
        }
        return ImmutableList.copyOf(keys);
    }

    /**
     * @return how many rows it changed
     */
    int apply(Map<Integer, Row> rows)
    {
        int changed = 0;
        for (Effect effect : effects) {
            Row old = rows.get(effect.key());
            boolean applies = switch (effect.change()) {
                case PUT, ADD_OR_PUT -> true;
                case ADD, REMOVE -> old != null;
            };
            if (!applies) {
                continue;
            }
            changed++;
            switch (effect.change()) {
                case PUT -> rows.put(effect.key(), new Row(effect.amount(), name));
                case ADD, ADD_OR_PUT -> rows.put(effect.key(), new Row((old == null ? 0 : old.value()) + effect.amount(), name));
                case REMOVE -> rows.remove(effect.key());
            }
        }
        return changed;
    }
}
