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

import io.lookup.benchmark.BenchmarkEngine.ScanResult;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Scans of a table after a load and some update commits, in this engine and in Apache Paimon, each on the table that it
 * wrote itself, in turns in one process: of all columns, of one column, of the rows of a tenth of the keys, and of the
 * hundredth of the rows that one column picks. Prints medians of both and their ratio (below 1: this engine is faster),
 * and fails if the results differ.
 * <p>
 * The folder keeps the tables, so that a second run has no need to write them. Arguments, all but the first optional:
 * {@code directory=<local folder> rows=2000000 updates=100000 commits=6 scans=7 engines=lookup,paimon
 * scan=all,column,keys,values option.<table option>=<value>}.
 */
public final class ScanBenchmark
{

    private final BenchmarkArguments arguments;
    private final Path directory;

    private ScanBenchmark(BenchmarkArguments arguments)
    {
        this.arguments = requireNonNull(arguments, "arguments is null");
        this.directory = Path.of(arguments.text("directory").orElseThrow(() -> new IllegalArgumentException("Argument directory=<local folder> is missing")));
    }

    public static void main(String[] arguments)
            throws Exception
    {
        new ScanBenchmark(BenchmarkArguments.parse(arguments)).run();
    }

    private void run()
            throws Exception
    {
        try (BenchmarkWarehouse warehouse = new BenchmarkWarehouse(directory.resolve("warehouse"))) {
            List<BenchmarkEngine> engines = new ArrayList<>();
            for (String name : arguments.list("engines", "lookup,paimon")) {
                engines.add(open(warehouse, name));
            }
            for (String scan : arguments.list("scan", "all,column,keys,values")) {
                compare(scan, engines);
            }
            for (BenchmarkEngine engine : engines) {
                engine.close();
            }
        }
    }

    private BenchmarkEngine open(BenchmarkWarehouse warehouse, String name)
            throws Exception
    {
        int rows = arguments.number("rows", 2_000_000);
        int updates = arguments.number("updates", 100_000);
        int commits = arguments.number("commits", 6);
        String table = "%s_%s_%s_%s".formatted(name, rows, updates, commits);
        boolean written = Files.exists(warehouse.location(table));
        if (!written) {
            warehouse.createTable(table, arguments.tableOptions(Map.of("bucket", "2", "changelog-producer", "lookup")));
        }
        BenchmarkEngine engine = warehouse.open(name, table, directory.resolve("scratch-" + name), 256L << 20, false);
        if (!written) {
            engine.write(BenchmarkRows.load(rows));
            for (int version = 1; version <= commits; version++) {
                engine.write(BenchmarkRows.updates(rows, updates, version));
            }
        }
        return engine;
    }

    private void compare(String scan, List<BenchmarkEngine> engines)
            throws Exception
    {
        BenchmarkEngine.Selection selection = selection(scan);
        Map<String, Measurements> measurements = new LinkedHashMap<>();
        Map<String, ScanResult> results = new LinkedHashMap<>();
        int scans = arguments.number("scans", 7);
        // the first two warm the code up
        for (int run = -2; run < scans; run++) {
            Map<String, Measurements> target = run < 0 ? new LinkedHashMap<>() : measurements;
            for (BenchmarkEngine engine : run % 2 == 0 ? engines : engines.reversed()) {
                target.computeIfAbsent(engine.name(), _ -> new Measurements())
                        .measure(() -> results.put(engine.name(), engine.scan(selection)));
            }
        }
        results.forEach((name, result) -> measurements.computeIfPresent(name, (_, times) -> {
            System.out.println(format(Locale.ENGLISH, "%-7s %-8s %,12d rows  %7.3f s wall %7.3f s cpu   %s", scan, name, result.rows(), times.wall(), times.cpu(), times.all()));
            return times;
        }));
        if (results.values().stream().distinct().count() > 1) {
            throw new IllegalStateException("Results of scan %s differ: %s".formatted(scan, results));
        }
        if (engines.size() == 2) {
            Measurements ours = measurements.get("lookup");
            Measurements peer = measurements.get("paimon");
            System.out.println(format(Locale.ENGLISH, "%-7s ratio    %7.3f wall %7.3f cpu", scan, ours.wall() / peer.wall(), ours.cpu() / peer.cpu()));
        }
    }

    private BenchmarkEngine.Selection selection(String scan)
    {
        long rows = arguments.number("rows", 2_000_000);
        return switch (scan) {
            case "all" -> BenchmarkEngine.Selection.ALL;
            case "column" -> new BenchmarkEngine.Selection(List.of(1), 1, Long.MIN_VALUE, Long.MAX_VALUE);
            case "keys" -> new BenchmarkEngine.Selection(List.of(0, 1, 2, 3, 4, 5), 0, rows / 2, rows / 2 + rows / 10);
            // the values are spread evenly over 40 bits
            case "values" -> new BenchmarkEngine.Selection(List.of(1, 4), 1, 0, (1L << 40) / 100);
            default -> throw new IllegalArgumentException("Unknown scan: " + scan);
        };
    }
}
