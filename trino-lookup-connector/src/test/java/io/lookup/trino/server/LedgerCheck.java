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
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonOracle;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.lookup.trino.server.InsertLoop.TABLE;
import static java.util.Objects.requireNonNull;

/**
 * What must hold of the table of {@link InsertLoop} after its server was killed and started again. Collects what does not.
 */
final class LedgerCheck
{
    private static final OracleTable ORACLE_TABLE = new OracleTable("default", TABLE);

    private final Path warehouse;
    private final Path scratch;
    private final List<String> violations = new ArrayList<>();
    private int visible;
    private int notVisible;
    private int withoutCompaction;
    private int orphanFiles;

    LedgerCheck(Path warehouse, Path scratch)
    {
        this.warehouse = requireNonNull(warehouse, "warehouse is null");
        this.scratch = requireNonNull(scratch, "scratch is null");
    }

    private record LogEntry(long snapshotId, int bucket, String kind, int key, String value)
    {
        private String text()
        {
            return kind + " " + key + " " + value;
        }
    }

    /**
     * Compares the table with what the client knows, writes once more, and compares the log.
     *
     * @return what was found, for people
     */
    String afterRestart(TestingServerProcess server, InsertLoop loop, InsertLoop.Outcome outcome)
            throws Exception
    {
        int before = violations.size();
        boolean wasVisible;
        int pendingRows;
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            SortedMap<Integer, String> table = table(statement);
            SortedMap<Integer, String> without = loop.confirmed();
            SortedMap<Integer, String> with = new TreeMap<>(without);
            with.putAll(outcome.inFlight());
            wasVisible = table.equals(with);
            if (wasVisible) {
                visible++;
                loop.confirm(outcome.inFlight());
            }
            else {
                notVisible++;
                check(table.equals(without), "The table is %s, neither %s nor with the statement in flight %s", table, without, with);
            }

            long lastSnapshot = checkSnapshots(statement);
            List<LogEntry> log = log(statement, 0);
            SortedMap<Integer, String> logged = replay(log);
            // rows that were appended but whose compaction was not published: the next compaction of their bucket logs them
            Set<Integer> pending = new HashSet<>();
            table.forEach((key, value) -> {
                if (!value.equals(logged.get(key))) {
                    pending.add(key);
                }
            });
            pendingRows = pending.size();
            if (pendingRows > 0) {
                withoutCompaction++;
            }
            check(!wasVisible || outcome.inFlight().keySet().containsAll(pending), "The log lacks keys %s that no statement in flight wrote (%s)", pending, outcome.inFlight());
            check(wasVisible || pending.isEmpty(), "The log, replayed, is %s and the table %s", logged, table);

            SortedMap<Integer, String> next = loop.insertMany(statement);
            pending.addAll(next.keySet());
            List<LogEntry> added = log(statement, lastSnapshot);
            List<String> expected = new ArrayList<>();
            for (int key : pending) {
                String now = loop.confirmed().get(key);
                String old = logged.get(key);
                if (old == null) {
                    expected.add("+I " + key + " " + now);
                }
                else {
                    expected.add("-U " + key + " " + old);
                    expected.add("+U " + key + " " + now);
                }
            }
            List<String> found = added.stream().map(LogEntry::text).sorted().collect(toImmutableList());
            check(found.equals(expected.stream().sorted().collect(toImmutableList())), "The next insert logged %s instead of %s", found, expected);

            SortedMap<Integer, String> after = table(statement);
            check(after.equals(loop.confirmed()), "After the next insert the table is %s instead of %s", after, loop.confirmed());
            SortedMap<Integer, String> replayed = replay(log(statement, 0));
            check(replayed.equals(after), "The log, replayed, is %s and the table %s", replayed, after);
            checkWithPaimon(after);
        }
        return "statement in flight %s%s; %s statements, %s orphan files, %s violations".formatted(
                wasVisible ? "visible" : "not visible",
                pendingRows > 0 ? " without its compaction (" + pendingRows + " rows logged by the next)" : "",
                loop.statements(),
                orphanFiles,
                violations.size() - before);
    }

    List<String> violations()
    {
        return ImmutableList.copyOf(violations);
    }

    String summary(InsertLoop loop)
    {
        return "%s statements, %s kills: statement in flight %s times visible (%s of them without its compaction), %s times not; %s orphan files; %s violations".formatted(
                loop.statements(), visible + notVisible, visible, withoutCompaction, notVisible, orphanFiles, violations.size());
    }

    private void check(boolean condition, String message, Object... arguments)
    {
        if (!condition) {
            String violation = message.formatted(arguments);
            System.out.println("VIOLATION: " + violation);
            violations.add(violation);
        }
    }

    private long checkSnapshots(Statement statement)
            throws SQLException
    {
        List<String> row = PatientStatements.rows(statement, "SELECT count(*), min(snapshot_id), max(snapshot_id) FROM \"%s$snapshots\"".formatted(TABLE)).getFirst();
        check(row.get(1).equals("1") && row.get(0).equals(row.get(2)), "%s snapshots from %s to %s", row.get(0), row.get(1), row.get(2));
        return Long.parseLong(row.get(2));
    }

    private void checkWithPaimon(Map<Integer, String> table)
            throws Exception
    {
        try (PaimonOracle paimon = new PaimonOracle(warehouse, scratch)) {
            List<Change> expected = table.entrySet().stream()
                    .map(row -> Change.insert(row.getKey(), row.getValue()))
                    .sorted()
                    .collect(toImmutableList());
            List<Change> found = paimon.readTable(ORACLE_TABLE);
            check(found.stream().map(Change::rowText).toList().equals(expected.stream().map(Change::rowText).toList()), "Paimon reads %s instead of %s", found, expected);
            orphanFiles = paimon.orphanFiles(ORACLE_TABLE).size();
        }
    }

    private SortedMap<Integer, String> table(Statement statement)
            throws SQLException
    {
        SortedMap<Integer, String> table = new TreeMap<>();
        for (List<String> row : PatientStatements.rows(statement, "SELECT k, v FROM " + TABLE)) {
            String previous = table.put(Integer.valueOf(row.get(0)), row.get(1));
            check(previous == null, "Key %s is there twice", row.get(0));
        }
        return table;
    }

    private static List<LogEntry> log(Statement statement, long afterSnapshot)
            throws SQLException
    {
        // -U sorts behind +U
        String sql = "SELECT \"$snapshot_id\", \"$bucket\", rowkind, k, v FROM \"%s$audit_log\" WHERE \"$snapshot_id\" > %s ORDER BY 1, 2, k, rowkind DESC".formatted(TABLE, afterSnapshot);
        return PatientStatements.rows(statement, sql).stream()
                .map(row -> new LogEntry(Long.parseLong(row.get(0)), Integer.parseInt(row.get(1)), row.get(2), Integer.parseInt(row.get(3)), row.get(4)))
                .collect(toImmutableList());
    }

    /**
     * The state that the log describes. Every old value in it must be the one that the log gave before.
     */
    private SortedMap<Integer, String> replay(List<LogEntry> log)
    {
        SortedMap<Integer, String> state = new TreeMap<>();
        for (LogEntry entry : log) {
            switch (entry.kind()) {
                case "+I" -> {
                    String old = state.put(entry.key(), entry.value());
                    check(old == null, "%s, but there was %s", entry, old);
                }
                case "-U" -> {
                    String old = state.remove(entry.key());
                    check(entry.value().equals(old), "%s, but there was %s", entry, old);
                }
                case "+U" -> {
                    String old = state.put(entry.key(), entry.value());
                    check(old == null, "%s without its -U", entry);
                }
                default -> check(false, "%s of a table without deletes", entry);
            }
        }
        return state;
    }
}
