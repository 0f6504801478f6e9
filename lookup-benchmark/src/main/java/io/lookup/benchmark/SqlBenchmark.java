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
package io.lookup.benchmark;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.benchmark.SqlMeasurements.Cost;
import io.trino.jdbc.QueryStats;
import io.trino.jdbc.TrinoStatement;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Statements through SQL, on tables of this connector ({@code changelog_producer = 'lookup'}, two buckets, without and
 * with deletion vectors) beside a table of Trino's Iceberg connector, in one real server, taking turns: TPC-H's lineitem
 * is loaded and read, changed by eleven small commits and read again, then changed a hundred times by one row. Every
 * query must give the same rows on all tables.
 * <p>
 * Arguments, all but the first three optional: {@code directory=<local folder> server=<unpacked trino-server>
 * plugin=<folder of the plugin> scale=1 rounds=3 reads=7 commits=100 warm-up=0.01 heap=6g tables=lookup,vectors,iceberg
 * java-options=<more, separated by spaces>}. With {@code url=jdbc:trino://…} and {@code pid=…} a running server is asked.
 */
public final class SqlBenchmark
{
    private static final String SCRATCH_SCHEMA = "memory.bench";
    private static final String CHANGES = "SELECT rowkind, count(*), sum(quantity), max(comment) FROM %s WHERE \"$snapshot_id\" = %s GROUP BY rowkind ORDER BY rowkind";
    private static final Map<String, String> READS = ImmutableMap.<String, String>builder()
            .put("count(*)", "SELECT count(*) FROM %1$s")
            .put("sum", "SELECT sum(extendedprice * discount) FROM %1$s")
            .put("1 % filter", "SELECT count(*), sum(extendedprice) FROM %1$s WHERE partkey BETWEEN %4$d AND 2 * %4$d - 1")
            .put("GROUP BY", "SELECT shipmode, count(*), sum(quantity) FROM %1$s GROUP BY shipmode ORDER BY shipmode")
            .put("Q1", """
                    SELECT returnflag, linestatus, sum(quantity), sum(extendedprice), sum(extendedprice * (1 - discount)),
                        sum(extendedprice * (1 - discount) * (1 + tax)), avg(quantity), avg(extendedprice), avg(discount), count(*)
                    FROM %1$s WHERE shipdate <= DATE '1998-12-01' - INTERVAL '90' DAY
                    GROUP BY returnflag, linestatus ORDER BY returnflag, linestatus""")
            .put("Q3", """
                    SELECT l.orderkey, sum(l.extendedprice * (1 - l.discount)) revenue, o.orderdate, o.shippriority
                    FROM %3$s c, %2$s o, %1$s l
                    WHERE c.mktsegment = 'BUILDING' AND c.custkey = o.custkey AND l.orderkey = o.orderkey
                        AND o.orderdate < DATE '1995-03-15' AND l.shipdate > DATE '1995-03-15'
                    GROUP BY l.orderkey, o.orderdate, o.shippriority ORDER BY revenue DESC, o.orderdate, l.orderkey LIMIT 10""")
            .put("Q6", """
                    SELECT sum(extendedprice * discount) FROM %1$s
                    WHERE shipdate >= DATE '1994-01-01' AND shipdate < DATE '1995-01-01' AND discount BETWEEN 0.05 AND 0.07 AND quantity < 24""")
            .buildOrThrow();

    private final BenchmarkArguments arguments;
    private final SqlServer server;
    private final Connection connection;
    private final List<SqlTable> tables;
    private SqlMeasurements measurements = new SqlMeasurements();
    private double scale;
    // who begins the next statement
    private int turn;

    private SqlBenchmark(BenchmarkArguments arguments, SqlServer server, Connection connection)
    {
        this.arguments = requireNonNull(arguments, "arguments is null");
        this.server = requireNonNull(server, "server is null");
        this.connection = requireNonNull(connection, "connection is null");
        this.tables = arguments.list("tables", "lookup,vectors,iceberg").stream().map(SqlTable::of).toList();
    }

    public static void main(String[] argumentTexts)
            throws Exception
    {
        BenchmarkArguments arguments = BenchmarkArguments.parse(argumentTexts);
        try (SqlServer server = open(arguments);
                Connection connection = server.connect()) {
            new SqlBenchmark(arguments, server, connection).run();
        }
    }

    private static SqlServer open(BenchmarkArguments arguments)
            throws Exception
    {
        if (arguments.text("url").isPresent()) {
            return SqlServer.running(URI.create(arguments.text("url").get()), Long.parseLong(required(arguments, "pid")));
        }
        Path directory = Files.createDirectories(Path.of(required(arguments, "directory")).toAbsolutePath());
        return SqlServer.start(
                Path.of(required(arguments, "server")),
                Path.of(required(arguments, "plugin")),
                directory,
                arguments.text("heap", "6g"),
                Splitter.on(' ').omitEmptyStrings().splitToList(arguments.text("java-options", "")));
    }

    private static String required(BenchmarkArguments arguments, String name)
    {
        return arguments.text(name).orElseThrow(() -> new IllegalArgumentException(format("Argument %s=… is missing", name)));
    }

    private void run()
            throws Exception
    {
        for (String schema : ImmutableList.of(SqlTable.LOOKUP.schema(), SqlTable.ICEBERG.schema(), SCRATCH_SCHEMA)) {
            execute("CREATE SCHEMA IF NOT EXISTS " + schema);
        }
        double warmUp = Double.parseDouble(arguments.text("warm-up", "0.01"));
        if (warmUp > 0) {
            // compiles the server's code
            scale = warmUp;
            measureRounds(2, arguments.number("reads", 7), 10);
            measurements = new SqlMeasurements();
        }
        scale = Double.parseDouble(arguments.text("scale", "1"));
        measureRounds(arguments.number("rounds", 3), arguments.number("reads", 7), arguments.number("commits", 100));
        System.out.println(measurements.toMarkdown());
    }

    private void measureRounds(int rounds, int reads, int commits)
            throws SQLException
    {
        createSources();
        for (int round = 1; round <= rounds; round++) {
            boolean last = round == rounds;
            load();
            if (last) {
                read("loaded", reads);
                readKeys("loaded", 3 * reads);
            }
            changeElevenTimes(round, last ? reads : 0);
            if (last) {
                read("after 11 commits", reads);
                readKeys("after 11 commits", 3 * reads);
            }
        }
        updateSingleRows(commits, reads);
        for (SqlTable table : tables) {
            for (String name : ImmutableList.of("lineitem", "orders", "customer")) {
                execute("DROP TABLE IF EXISTS " + table.table(name));
            }
        }
    }

    private String source()
    {
        return format("tpch.\"sf%s\"", scale);
    }

    /**
     * Rows to merge and to insert, and the tables that are joined and never changed.
     */
    private void createSources()
            throws SQLException
    {
        execute("DROP TABLE IF EXISTS %s.changes".formatted(SCRATCH_SCHEMA));
        execute("DROP TABLE IF EXISTS %s.additions".formatted(SCRATCH_SCHEMA));
        execute("CREATE TABLE %s.changes AS SELECT orderkey, linenumber, quantity + 1 quantity, 'changed ' || comment comment FROM %s.lineitem WHERE orderkey %% 100 = 7".formatted(SCRATCH_SCHEMA, source()));
        execute("CREATE TABLE %s.additions AS SELECT orderkey + 10000000 orderkey, partkey, suppkey, linenumber, quantity, extendedprice, discount, tax, returnflag, linestatus, shipdate, commitdate, receiptdate, shipinstruct, shipmode, comment FROM %s.lineitem WHERE orderkey <= 1000".formatted(SCRATCH_SCHEMA, source()));
        for (SqlTable table : tables) {
            execute("DROP TABLE IF EXISTS " + table.table("orders"));
            execute("DROP TABLE IF EXISTS " + table.table("customer"));
            execute(table.create("orders", "'orderkey'", source()));
            execute(table.create("customer", "'custkey'", source()));
        }
    }

    private void load()
            throws SQLException
    {
        for (SqlTable table : tables) {
            execute("DROP TABLE IF EXISTS " + table.table("lineitem"));
        }
        inTurns("CREATE TABLE AS", table -> table.create("lineitem", "'orderkey', 'linenumber'", source()));
        for (SqlTable table : tables) {
            if (table == SqlTable.ICEBERG) {
                execute("ALTER TABLE %s EXECUTE optimize".formatted(table.table("lineitem")));
            }
        }
    }

    private void read(String state, int reads)
            throws SQLException
    {
        for (Map.Entry<String, String> read : READS.entrySet()) {
            Function<SqlTable, String> query = table -> format(
                    read.getValue(),
                    table.table("lineitem"),
                    table.table("orders"),
                    table.table("customer"),
                    (long) (2000 * scale));
            for (SqlTable table : tables) {
                execute(query.apply(table));
            }
            for (int run = 0; run < reads; run++) {
                inTurns(read.getKey() + ", " + state, query);
            }
        }
    }

    private void readKeys(String state, int reads)
            throws SQLException
    {
        try (PreparedStatement empty = connection.prepareStatement("SELECT 1")) {
            for (int run = -3; run < reads; run++) {
                measureKey(run, "no table, SELECT 1", tables.getFirst(), empty);
            }
        }
        for (SqlTable table : tables) {
            try (PreparedStatement query = connection.prepareStatement("SELECT * FROM %s WHERE orderkey = ? AND linenumber = ?".formatted(table.table("lineitem")))) {
                for (int run = -3; run < reads; run++) {
                    // keys of TPC-H's orders are eight of each 32
                    query.setLong(1, 32 * ((run + 5) * (long) (180_000 * scale) / reads) + 1);
                    query.setInt(2, 1);
                    measureKey(run, "one key, " + state, table, query);
                }
            }
        }
    }

    private void measureKey(int run, String statement, SqlTable table, PreparedStatement query)
            throws SQLException
    {
        Run result = run(query, () -> query.executeQuery().close());
        if (run >= 0) {
            add(statement, table, result.cost());
        }
    }

    /**
     * Eleven commits of one row to a hundredth of the rows.
     */
    private void changeElevenTimes(int round, int changeReads)
            throws SQLException
    {
        for (int commit = 0; commit < 3; commit++) {
            updateRow("UPDATE of one row, freshly loaded", commit);
        }
        readChanges("changes of one row's commit", changeReads);
        inTurns("MERGE of 1 %, scattered", table -> """
                MERGE INTO %s t USING %s.changes s ON t.orderkey = s.orderkey AND t.linenumber = s.linenumber
                WHEN MATCHED THEN UPDATE SET quantity = s.quantity, comment = s.comment""".formatted(table.table("lineitem"), SCRATCH_SCHEMA));
        readChanges("changes of the MERGE's commit", changeReads);
        readVersions(changeReads);
        for (int commit = 0; commit < 2; commit++) {
            int number = commit;
            inTurns("UPDATE of 0.1 %, key range", table -> "UPDATE %s SET quantity = quantity + 1 WHERE %s".formatted(table.table("lineitem"), keyRange(10 + round + 40 * number)));
            inTurns("UPDATE of 0.1 %, scattered", table -> "UPDATE %s SET quantity = quantity + 1 WHERE %s".formatted(table.table("lineitem"), scattered(1 + round + 40 * number)));
        }
        inTurns("DELETE of 0.1 %, key range", table -> "DELETE FROM %s WHERE %s".formatted(table.table("lineitem"), keyRange(30 + round)));
        inTurns("DELETE of 0.1 %, scattered", table -> "DELETE FROM %s WHERE %s".formatted(table.table("lineitem"), scattered(30 + round)));
        inTurns("INSERT of 1,000 rows", table -> "INSERT INTO %s SELECT * FROM %s.additions".formatted(table.table("lineitem"), SCRATCH_SCHEMA));
    }

    private String keyRange(int thousandth)
    {
        long width = (long) (6000 * scale);
        return "orderkey BETWEEN %s AND %s".formatted(thousandth * width + 1, (thousandth + 1) * width);
    }

    private static String scattered(int remainder)
    {
        return "(orderkey * 7 + linenumber) %% 1000 = %s".formatted(remainder);
    }

    private void updateRow(String statement, int number)
            throws SQLException
    {
        long orderKey = 32 * (long) ((number * 7919L) % 100_000 * scale + 1000 * scale) + 1;
        inTurns(statement, table -> "UPDATE %s SET quantity = quantity + 1 WHERE orderkey = %s AND linenumber = 1".formatted(table.table("lineitem"), orderKey));
    }

    private void updateSingleRows(int commits, int reads)
            throws SQLException
    {
        for (int commit = 0; commit < commits; commit++) {
            String part = commit < 10 ? "first ten" : commit < commits - 10 ? "others" : "last ten";
            updateRow("UPDATE of one row, %s of %s".formatted(part, commits), 10 + commit);
        }
        readChanges("changes of one row's commit, after %s".formatted(commits), reads);
    }

    private void readChanges(String statement, int reads)
            throws SQLException
    {
        Map<SqlTable, String> queries = new EnumMap<>(SqlTable.class);
        for (SqlTable table : tables) {
            if (table.hasChangelog()) {
                Object newest = execute("SELECT max(snapshot_id) FROM " + table.table("lineitem", "$snapshots")).rows().getFirst().getFirst();
                queries.put(table, CHANGES.formatted(table.table("lineitem", "$audit_log"), newest));
            }
        }
        for (int run = -1; run < reads; run++) {
            for (Map.Entry<SqlTable, String> entry : queries.entrySet()) {
                Run result = execute(entry.getValue());
                if (result.rows().isEmpty()) {
                    throw new IllegalStateException("The newest commit has no changes: " + entry.getValue());
                }
                if (run >= 0) {
                    add(statement, entry.getKey(), result.cost());
                }
            }
        }
    }

    /**
     * What stands for the changes of a commit where there is no feed: two versions are joined.
     */
    private void readVersions(int reads)
            throws SQLException
    {
        if (!tables.contains(SqlTable.ICEBERG)) {
            return;
        }
        List<List<Object>> versions = execute("SELECT snapshot_id FROM %s ORDER BY committed_at DESC LIMIT 2".formatted(SqlTable.ICEBERG.table("lineitem", "$snapshots"))).rows();
        String query = """
                SELECT count(*) FROM (SELECT * FROM %1$s FOR VERSION AS OF %2$s) n
                FULL JOIN (SELECT * FROM %1$s FOR VERSION AS OF %3$s) o ON n.orderkey = o.orderkey AND n.linenumber = o.linenumber
                WHERE n.quantity IS DISTINCT FROM o.quantity OR n.comment IS DISTINCT FROM o.comment""".formatted(SqlTable.ICEBERG.table("lineitem"), versions.get(0).getFirst(), versions.get(1).getFirst());
        for (int run = 0; run < Math.min(reads, 3); run++) {
            add("changes of the MERGE's commit", SqlTable.ICEBERG, execute(query).cost());
        }
    }

    /**
     * One run on each table, whose results must agree. Who begins changes from run to run.
     */
    private void inTurns(String statement, Function<SqlTable, String> sql)
            throws SQLException
    {
        List<SqlTable> order = new ArrayList<>(tables);
        Collections.rotate(order, turn);
        turn++;
        Map<SqlTable, List<List<Object>>> results = new EnumMap<>(SqlTable.class);
        for (SqlTable table : order) {
            Run run = execute(sql.apply(table));
            add(statement, table, run.cost());
            results.put(table, run.rows());
        }
        List<List<Object>> expected = results.get(order.getFirst());
        results.forEach((table, rows) -> {
            if (!SqlMeasurements.sameRows(expected, rows)) {
                throw new IllegalStateException("%s: %s gave %s, %s %s".formatted(statement, order.getFirst(), expected, table, rows));
            }
        });
    }

    private void add(String statement, SqlTable table, Cost cost)
    {
        measurements.add(statement, table, cost);
        System.err.printf("%s  %s: %s %.3f s, %.2f s CPU%n", LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.MILLIS), statement, table.text(), cost.seconds(), cost.cpuSeconds());
    }

    private Run execute(String sql)
            throws SQLException
    {
        try (Statement statement = connection.createStatement()) {
            List<List<Object>> rows = new ArrayList<>();
            return new Run(run(statement, () -> {
                if (!statement.execute(sql)) {
                    rows.add(ImmutableList.of(statement.getLargeUpdateCount()));
                    return;
                }
                try (ResultSet result = statement.getResultSet()) {
                    while (result.next()) {
                        List<Object> row = new ArrayList<>();
                        for (int column = 1; column <= result.getMetaData().getColumnCount(); column++) {
                            row.add(result.getObject(column));
                        }
                        rows.add(row);
                    }
                }
            }).cost(), rows);
        }
        catch (SQLException e) {
            throw new SQLException("%s: %s".formatted(e.getMessage(), sql), e);
        }
    }

    private Run run(Statement statement, Action action)
            throws SQLException
    {
        AtomicReference<QueryStats> statistics = new AtomicReference<>();
        statement.unwrap(TrinoStatement.class).setProgressMonitor(statistics::set);
        double cpuStart = server.cpuSeconds();
        long start = System.nanoTime();
        action.run();
        double seconds = (System.nanoTime() - start) / 1e9;
        Cost cost = new Cost(seconds, server.cpuSeconds() - cpuStart, statistics.get().getPhysicalInputBytes(), statistics.get().getPhysicalWrittenBytes());
        return new Run(cost, ImmutableList.of());
    }

    private interface Action
    {
        void run()
                throws SQLException;
    }

    private record Run(Cost cost, List<List<Object>> rows) {}
}
