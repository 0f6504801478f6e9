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

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.lookup.storage.oracle.CanonicalValues.canonicalRow;
import static io.lookup.storage.oracle.CanonicalValues.canonicalText;

/**
 * Counts what histories are made of, so that a generator that no longer draws something is found out.
 */
public final class HistoryShapes
{
    private static final int WIDE = 30;
    private static final int LONG_TEXT = 1000;

    private final Map<Shape, Integer> shapes = new EnumMap<>(Shape.class);
    private final Map<String, Integer> options = new TreeMap<>();

    public enum Shape
    {
        EMPTY_STATEMENT,
        KEY_REPEATED_IN_STATEMENT,
        DELETE_OF_ABSENT_KEY,
        REINSERTION,
        RETRACTION,
        UPDATE_PAIR,
        SEQUENCE_TIE,
        SEQUENCE_NULL,
        LATE_RECORD,
        WIDE_ROW,
        NESTED_VALUE,
        NOT_A_NUMBER,
        NEGATIVE_ZERO,
        EMPTY_TEXT,
        LONG_TEXT,
        NEGATIVE_NUMBER,
        TIME_BEFORE_1970,
    }

    public Map<Shape, Integer> shapes()
    {
        return shapes;
    }

    /**
     * How many tables had an option, with its value where there are few: {@code changelog-producer=lookup}; {@code aggregation with input} for
     * merge engine and producer, and {@code vectors of aggregation}.
     */
    public Map<String, Integer> options()
    {
        return options;
    }

    public void add(PaimonTableDefinition table, List<List<Change>> statements)
    {
        addOptions(table.options());
        if (table.columns().size() >= WIDE) {
            count(Shape.WIDE_ROW);
        }
        List<Integer> sequence = table.options().containsKey("sequence.field")
                ? List.of(table.options().get("sequence.field").split(",")).stream().map(table::columnIndex).collect(toImmutableList())
                : List.of();
        Map<String, List<Object>> live = new HashMap<>();
        Map<String, Object> lastSequence = new HashMap<>();
        Set<String> deleted = new HashSet<>();
        for (List<Change> statement : statements) {
            if (statement.isEmpty()) {
                count(Shape.EMPTY_STATEMENT);
            }
            Set<String> touched = new HashSet<>();
            for (Change change : statement) {
                String key = canonicalRow(table.keyIndexes().stream().map(change.values()::get).toList());
                if (!touched.add(key)) {
                    count(Shape.KEY_REPEATED_IN_STATEMENT);
                }
                addKind(change, key, live, deleted);
                if (!sequence.isEmpty()) {
                    addSequence(key, sequence.stream().map(change.values()::get).toList(), lastSequence);
                }
                change.values().forEach(this::addValue);
            }
        }
    }

    private void addOptions(Map<String, String> options)
    {
        String engine = options.getOrDefault("merge-engine", "deduplicate");
        this.options.merge(engine + " with " + options.getOrDefault("changelog-producer", "none"), 1, Integer::sum);
        if (options.containsKey("deletion-vectors.enabled")) {
            this.options.merge("vectors of " + engine, 1, Integer::sum);
        }
        options.forEach((key, value) -> {
            if (key.endsWith(".aggregate-function")) {
                this.options.merge(value, 1, Integer::sum);
                return;
            }
            String name = key.replaceFirst("^fields\\..*\\.", "");
            boolean named = Set.of("true", "false").contains(value) || name.equals("lookup-compact") || name.startsWith("sequence.field.");
            this.options.merge(named ? name + "=" + value : name, 1, Integer::sum);
        });
    }

    private void addKind(Change change, String key, Map<String, List<Object>> live, Set<String> deleted)
    {
        switch (change.kind()) {
            case INSERT, UPDATE_AFTER -> {
                live.put(key, change.values());
                if (deleted.remove(key)) {
                    count(Shape.REINSERTION);
                }
            }
            case DELETE -> {
                if (live.remove(key) == null) {
                    count(Shape.DELETE_OF_ABSENT_KEY);
                }
                deleted.add(key);
            }
            case UPDATE_BEFORE -> count(Shape.RETRACTION);
        }
        if (change.kind() == ChangeKind.UPDATE_AFTER) {
            count(Shape.UPDATE_PAIR);
        }
    }

    @SuppressWarnings("unchecked")
    private void addSequence(String key, List<Object> sequence, Map<String, Object> lastSequence)
    {
        Object value = sequence.getFirst();
        if (value == null) {
            count(Shape.SEQUENCE_NULL);
            return;
        }
        Object last = lastSequence.put(key, value);
        if (last == null) {
            return;
        }
        if (canonicalText(last).equals(canonicalText(value))) {
            count(Shape.SEQUENCE_TIE);
        }
        else if (last instanceof Comparable<?> comparable && ((Comparable<Object>) comparable).compareTo(value) > 0) {
            count(Shape.LATE_RECORD);
        }
    }

    private void addValue(Object value)
    {
        switch (value) {
            case null -> {
                // those of sequences are counted as such
            }
            case Double number -> addNumber(number);
            case Float number -> addNumber(number);
            case Number number when number.longValue() < 0 -> count(Shape.NEGATIVE_NUMBER);
            case String text when text.isEmpty() -> count(Shape.EMPTY_TEXT);
            case String text when text.length() > LONG_TEXT -> count(Shape.LONG_TEXT);
            case LocalDate date when date.toEpochDay() < 0 -> count(Shape.TIME_BEFORE_1970);
            case LocalDateTime time when time.getYear() < 1970 -> count(Shape.TIME_BEFORE_1970);
            case Instant time when time.getEpochSecond() < 0 -> count(Shape.TIME_BEFORE_1970);
            case List<?> list when !list.isEmpty() -> count(Shape.NESTED_VALUE);
            case Map<?, ?> map when !map.isEmpty() -> count(Shape.NESTED_VALUE);
            default -> {
                // a value of no shape of its own
            }
        }
    }

    private void addNumber(double number)
    {
        if (Double.isNaN(number)) {
            count(Shape.NOT_A_NUMBER);
        }
        else if (number == 0 && 1 / number < 0) {
            count(Shape.NEGATIVE_ZERO);
        }
        else if (number < 0) {
            count(Shape.NEGATIVE_NUMBER);
        }
    }

    private void count(Shape shape)
    {
        shapes.merge(shape, 1, Integer::sum);
    }
}
