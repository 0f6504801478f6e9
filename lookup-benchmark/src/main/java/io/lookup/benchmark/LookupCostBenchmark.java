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

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.trino.spi.Page;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * What old values cost: a table is loaded with the {@code lookup} changelog producer, then statements change a few of
 * its rows, in this engine and in Apache Paimon, in turns in one process, with the same rows, options and heap. Prints medians as a
 * Markdown table, with the heap and the local disk space used at most, and fails if the tables or their changelogs differ.
 * <p>
 * Arguments, all optional: {@code rows=1000000 changes=1000,100000 rounds=5 caches=cold|warm work=update|insert|load
 * engines=lookup,paimon merge-engine=deduplicate write-memory-mb=256 warm-up=2 directory=<local folder> results=<file that gets the table's rows>
 * option.<table option>=<value>}.
 * Cold means that the process keeps nothing from the statement before, neither in memory nor on local disk; what the
 * operating system caches it keeps. Warm means that all does stay, and that Paimon writes all with one streaming writer. Copies for lookups, which no statement waits for, are
 * made between two statements, so that each of these finds what the one before has asked for.
 */
public final class LookupCostBenchmark
{
    private static final int WARM_UP_ROUNDS = 2;
    private static final List<String> HEADER = List.of(
            "| work | stored rows | changed rows | caches | engine | median ms | ms of each | heap, MB | local disk, MB | times faster |",
            "|---|---|---|---|---|---|---|---|---|---|");

    private final BenchmarkArguments arguments;
    private final int rows;
    private final boolean warm;
    private final String work;
    private int version;
    // by changed rows, then by engine
    private final Map<Integer, Map<String, ResourceMeasurements>> measurements = new LinkedHashMap<>();

    private LookupCostBenchmark(BenchmarkArguments arguments)
    {
        this.arguments = requireNonNull(arguments, "arguments is null");
        this.rows = arguments.number("rows", 1_000_000);
        this.warm = arguments.text("caches", "cold").equals("warm");
        this.work = arguments.text("work", "update");
    }

    public static void main(String[] arguments)
            throws Exception
    {
        new LookupCostBenchmark(BenchmarkArguments.parse(arguments)).run();
    }

    private void run()
            throws Exception
    {
        Path directory = Files.createTempDirectory(Path.of(arguments.text("directory", System.getProperty("java.io.tmpdir"))), "lookup-cost");
        try {
            run(directory);
        }
        finally {
            MoreFiles.deleteRecursively(directory, RecursiveDeleteOption.ALLOW_INSECURE);
        }
        print();
    }

    private void run(Path directory)
            throws Exception
    {
        try (BenchmarkWarehouse warehouse = new BenchmarkWarehouse(directory.resolve("warehouse"))) {
            int rounds = arguments.number("rounds", 5);
            if (work.equals("load")) {
                for (int round = 0; round < rounds; round++) {
                    List<Engine> engines = engines(directory, warehouse, "load" + round);
                    for (Engine engine : inTurn(engines, round)) {
                        measure(rows, engine, BenchmarkRows.load(rows));
                    }
                    finish(warehouse, directory, engines);
                    MoreFiles.deleteDirectoryContents(warehouse.databaseDirectory(), RecursiveDeleteOption.ALLOW_INSECURE);
                }
                return;
            }
            List<Engine> engines = engines(directory, warehouse, "t");
            for (Engine engine : engines) {
                long start = System.nanoTime();
                engine.engine.write(BenchmarkRows.load(rows));
                System.out.println(format(Locale.ENGLISH, "%s: loaded in %.1f s", engine.name(), (System.nanoTime() - start) / 1e9));
            }
            for (String changes : arguments.list("changes", "1000")) {
                int count = Integer.parseInt(changes);
                for (int round = -arguments.number("warm-up", WARM_UP_ROUNDS); round < rounds; round++) {
                    version++;
                    List<Page> pages = work.equals("insert") ? BenchmarkRows.inserts(rows + version * count, count, version) : BenchmarkRows.updates(rows, count, version);
                    List<Page> made = List.copyOf(pages);
                    for (Engine engine : inTurn(engines, round)) {
                        if (round < 0) {
                            engine.engine.write(made);
                            engine.engine.settle();
                        }
                        else {
                            measure(count, engine, made);
                        }
                    }
                }
            }
            finish(warehouse, directory, engines);
        }
    }

    /**
     * Neither engine is always the first.
     */
    private static List<Engine> inTurn(List<Engine> engines, int round)
    {
        return round % 2 == 0 ? engines : engines.reversed();
    }

    private List<Engine> engines(Path directory, BenchmarkWarehouse warehouse, String suffix)
            throws IOException
    {
        List<Engine> engines = new ArrayList<>();
        for (String name : arguments.list("engines", "lookup,paimon")) {
            String table = name + "_" + suffix;
            warehouse.createTable(table, arguments.tableOptions(Map.of("bucket", "1", "changelog-producer", "lookup", "merge-engine", arguments.text("merge-engine", "deduplicate"))));
            Path scratch = Files.createDirectories(directory.resolve("scratch-" + table));
            BenchmarkEngine engine = warehouse.open(name, table, scratch, (long) arguments.number("write-memory-mb", 256) << 20, warm);
            engines.add(new Engine(engine, table, scratch));
        }
        return engines;
    }

    private void measure(int count, Engine engine, List<Page> pages)
            throws Exception
    {
        if (!warm) {
            engine.engine.forget();
        }
        ResourceMeasurements measured = measurements.computeIfAbsent(count, _ -> new LinkedHashMap<>())
                .computeIfAbsent(engine.name(), _ -> new ResourceMeasurements());
        measured.measure(engine.scratch, () -> engine.engine.write(pages));
        engine.engine.settle();
        // a long run tells what it has so far
        System.out.println(format("%,d rows by %s: %s", count, engine.name(), measured.all()));
    }

    /**
     * All tables have the same rows, as Paimon reads them, and their logs are of the same length.
     */
    private static void finish(BenchmarkWarehouse warehouse, Path directory, List<Engine> engines)
            throws Exception
    {
        Object expected = null;
        for (Engine engine : engines) {
            engine.engine.close();
            try (PaimonEngine paimon = warehouse.openWithPaimon(engine.table, directory.resolve("check"))) {
                List<Object> actual = List.of(paimon.checksum(), paimon.changelogRows());
                if (expected == null) {
                    expected = actual;
                }
                if (!expected.equals(actual)) {
                    throw new IllegalStateException("Expected rows and changelog of %s to be %s, but they are %s".formatted(engine.table, expected, actual));
                }
            }
        }
        System.out.println("checked: " + expected);
    }

    private void print()
            throws IOException
    {
        List<String> lines = new ArrayList<>();
        measurements.forEach((count, engines) -> engines.forEach((engine, measured) -> lines.add(format(
                Locale.ENGLISH,
                "| %s | %,d | %,d | %s | %s | %.0f | %s | %.0f | %.1f | %s |",
                work,
                work.equals("load") ? 0 : rows,
                count,
                warm ? "warm" : "cold",
                engine,
                measured.millis(),
                measured.all(),
                measured.heapBytes() / 1e6,
                measured.diskBytes() / 1e6,
                engines.size() == 2 && engine.equals("lookup") ? format(Locale.ENGLISH, "%.1f", engines.get("paimon").millis() / measured.millis()) : ""))));
        System.out.println();
        HEADER.forEach(System.out::println);
        lines.forEach(System.out::println);
        if (arguments.text("results").isPresent()) {
            Path results = Path.of(arguments.text("results").get());
            if (!Files.exists(results)) {
                Files.write(results, HEADER);
            }
            Files.write(results, lines, StandardOpenOption.APPEND);
        }
    }

    private record Engine(BenchmarkEngine engine, String table, Path scratch)
    {
        String name()
        {
            return engine.name();
        }
    }
}
