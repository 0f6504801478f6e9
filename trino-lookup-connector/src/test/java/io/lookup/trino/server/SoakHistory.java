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

import io.lookup.trino.server.SoakStatement.Kind;
import io.lookup.trino.server.SoakStatement.Row;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the clients of {@link SoakRun} were told, and what the table's snapshots and log say; checks that there is one order of the
 * statements that explains it all. Thread-safe while it collects.
 *
 * <p>The order of commits is that of the snapshots. Every statement is applied to a model in this order. As no statement may lose another's update, and none reads a row that it changes
 * otherwise than it is at its commit, the model must be the table after each of them: it must agree with the counts of rows that clients were told, with every read (as the state after one
 * commit, no earlier than the last one that anybody knew of when the read began), and in the end with the table.
 */
final class SoakHistory
{
    /** What a client knows of a statement that it has sent. */
    enum Outcome
    {
        SUCCEEDED, FAILED, UNKNOWN
    }

    private record Sent(SoakStatement statement, Outcome outcome, int count) {}

    /**
     * @param known the statements that had succeeded when it began, one a client
     */
    private record Read(String name, Map<Integer, Row> rows, Set<String> known) {}

    record LogEntry(long snapshotId, String kind, int key, Row row) {}

    private final Map<String, Sent> sent = new LinkedHashMap<>();
    private final Map<Integer, String> lastSucceeded = new HashMap<>();
    private final List<Read> reads = new ArrayList<>();
    // by snapshot: who appended
    private final TreeMap<Long, Optional<String>> snapshots = new TreeMap<>();
    private final List<LogEntry> log = new ArrayList<>();
    private final Map<String, Integer> errors = new TreeMap<>();
    private final List<String> violations = new ArrayList<>();

    synchronized void sent(int client, SoakStatement statement, Outcome outcome, int count)
    {
        sent.put(statement.name(), new Sent(statement, outcome, count));
        if (outcome == Outcome.SUCCEEDED && count > 0) {
            lastSucceeded.put(client, statement.name());
        }
    }

    synchronized Set<String> known()
    {
        return new HashSet<>(lastSucceeded.values());
    }

    synchronized void read(String name, Map<Integer, Row> rows, Set<String> known)
    {
        reads.add(new Read(name, rows, known));
    }

    synchronized void error(String message)
    {
        errors.merge(message, 1, Integer::sum);
    }

    synchronized void violation(String message)
    {
        System.out.println("VIOLATION: " + message);
        violations.add(message);
    }

    synchronized void snapshot(long id, Optional<String> appendedBy)
    {
        if (snapshots.put(id, appendedBy) != null || (id > 1 && !snapshots.containsKey(id - 1))) {
            violation("Snapshot %s does not follow the ones before".formatted(id));
        }
    }

    synchronized long lastSnapshot()
    {
        return snapshots.isEmpty() ? 0 : snapshots.lastKey();
    }

    synchronized void log(LogEntry entry)
    {
        log.add(entry);
    }

    synchronized List<String> violations()
    {
        return List.copyOf(violations);
    }

    synchronized void check(Map<Integer, Row> table)
    {
        Map<Integer, Row> model = new TreeMap<>();
        List<Map<Integer, Row>> states = new ArrayList<>();
        states.add(Map.of());
        Map<String, Integer> positions = new HashMap<>();
        for (Map.Entry<Long, Optional<String>> snapshot : snapshots.entrySet()) {
            if (snapshot.getValue().isEmpty()) {
                continue;
            }
            String name = snapshot.getValue().get();
            Sent statement = sent.get(name);
            if (statement == null || positions.containsKey(name)) {
                violation("Snapshot %s is of %s, which was %s".formatted(snapshot.getKey(), name, statement == null ? "not sent" : "committed before"));
                continue;
            }
            if (statement.outcome() == Outcome.FAILED) {
                violation("Snapshot %s is of %s, whose client was told that it failed".formatted(snapshot.getKey(), name));
            }
            int count = statement.statement().apply(model);
            if (statement.outcome() == Outcome.SUCCEEDED && count != statement.count()) {
                violation("%s at snapshot %s should have changed %s rows, and said %s: %s".formatted(name, snapshot.getKey(), count, statement.count(), statement.statement().sql()));
            }
            states.add(new TreeMap<>(model));
            positions.put(name, states.size() - 1);
        }
        sent.values().stream()
                .filter(statement -> statement.outcome() == Outcome.SUCCEEDED && statement.count() > 0 && !positions.containsKey(statement.statement().name()))
                .forEach(statement -> violation("%s succeeded and is in no snapshot".formatted(statement.statement().name())));
        reads.forEach(read -> checkRead(read, states, positions));
        if (lastSucceeded.size() < 2) {
            violation("No client wrote anything");
        }
        if (!table.equals(model)) {
            violation("The table is %s instead of %s".formatted(table, model));
        }
        checkLog(table);
    }

    private void checkRead(Read read, List<Map<Integer, Row>> states, Map<String, Integer> positions)
    {
        int first = read.known().stream().mapToInt(name -> positions.getOrDefault(name, 0)).max().orElse(0);
        for (int position = first; position < states.size(); position++) {
            if (states.get(position).equals(read.rows())) {
                return;
            }
        }
        violation("%s read %s, which is the state after no commit from the %s. on (%s)".formatted(read.name(), read.rows(), first, states.indexOf(read.rows())));
    }

    private void checkLog(Map<Integer, Row> table)
    {
        Map<Integer, Row> state = new TreeMap<>();
        for (LogEntry entry : log) {
            Row old = entry.kind().equals("+U") || entry.kind().equals("+I") ? state.put(entry.key(), entry.row()) : state.remove(entry.key());
            boolean right = switch (entry.kind()) {
                case "-U", "-D" -> entry.row().equals(old);
                default -> old == null;
            };
            if (!right) {
                violation("%s, but there was %s".formatted(entry, old));
            }
        }
        if (!state.equals(table)) {
            violation("The log, replayed, is %s and the table %s".formatted(state, table));
        }
    }

    synchronized String summary()
    {
        Map<Kind, Map<Outcome, Integer>> counts = new EnumMap<>(Kind.class);
        sent.values().forEach(statement -> counts.computeIfAbsent(statement.statement().kind(), _ -> new EnumMap<>(Outcome.class)).merge(statement.outcome(), 1, Integer::sum));
        StringBuilder text = new StringBuilder("%s statements %s, %s reads, %s snapshots, %s log rows, %s violations".formatted(sent.size(), counts, reads.size(), snapshots.size(), log.size(), violations.size()));
        errors.forEach((message, count) -> text.append("\n  %s times: %s".formatted(count, message)));
        return text.toString();
    }
}
