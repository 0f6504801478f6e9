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
import io.lookup.benchmark.BenchmarkEngine.ScanResult;
import io.trino.spi.Page;

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
 * Bulk load, update commits with the {@code lookup} changelog producer, and full scans, in this engine and in Apache
 * Paimon, in turns in one process. Prints medians of both and their ratio (below 1: this engine is faster), and fails if the
 * tables or their changelogs differ.
 * <p>
 * Arguments, all optional: {@code rows=2000000 updates=100000 commits=6 rounds=3 scans=5 engines=lookup,paimon
 * write-memory-mb=256 directory=<local folder> option.<table option>=<value>}.
 */
public final class EngineBenchmark
{

    private final BenchmarkArguments arguments;
    private final int rows;
    private final int updates;
    private final int commits;
    private final int scans;
    // by work, then by engine
    private final Map<String, Map<String, Measurements>> measurements = new LinkedHashMap<>();

    private EngineBenchmark(BenchmarkArguments arguments)
    {
        this.arguments = requireNonNull(arguments, "arguments is null");
        this.rows = arguments.number("rows", 2_000_000);
        this.updates = arguments.number("updates", 100_000);
        this.commits = arguments.number("commits", 6);
        this.scans = arguments.number("scans", 5);
    }

    public static void main(String[] arguments)
            throws Exception
    {
        new EngineBenchmark(BenchmarkArguments.parse(arguments)).run();
    }

    private void run()
            throws Exception
    {
        List<Page> load = List.copyOf(BenchmarkRows.load(rows));
        List<List<Page>> changes = new ArrayList<>();
        for (int version = 1; version <= commits; version++) {
            changes.add(List.copyOf(BenchmarkRows.updates(rows, updates, version)));
        }
        int rounds = arguments.number("rounds", 3);
        for (int round = 0; round < rounds; round++) {
            Path directory = Files.createTempDirectory(Path.of(arguments.text("directory", System.getProperty("java.io.tmpdir"))), "engine-benchmark");
            try {
                runRound(round, directory, load, changes);
            }
            finally {
                MoreFiles.deleteRecursively(directory, RecursiveDeleteOption.ALLOW_INSECURE);
            }
        }
        print(rounds);
    }

    private void runRound(int round, Path directory, List<Page> load, List<List<Page>> changes)
            throws Exception
    {
        try (BenchmarkWarehouse warehouse = new BenchmarkWarehouse(directory.resolve("warehouse"))) {
            List<BenchmarkEngine> engines = new ArrayList<>();
            for (String name : arguments.list("engines", "lookup,paimon")) {
                warehouse.createTable(name, arguments.tableOptions(Map.of("bucket", "1", "changelog-producer", "lookup")));
                engines.add(warehouse.open(name, name, directory.resolve("scratch-" + name), (long) arguments.number("write-memory-mb", 256) << 20, false));
            }
            // neither is always the first
            List<BenchmarkEngine> order = round % 2 == 0 ? engines : engines.reversed();
            for (BenchmarkEngine engine : order) {
                measure("load", engine, () -> engine.write(load));
            }
            for (List<Page> change : changes) {
                for (BenchmarkEngine engine : order) {
                    measure("update", engine, () -> engine.write(change));
                }
            }
            for (int scan = 0; scan < scans; scan++) {
                for (BenchmarkEngine engine : order) {
                    measure("scan", engine, engine::scan);
                }
            }
            check(warehouse, directory, engines);
            for (BenchmarkEngine engine : engines) {
                engine.close();
            }
        }
    }

    private void measure(String work, BenchmarkEngine engine, Measurements.Work call)
            throws Exception
    {
        Measurements times = measurements.computeIfAbsent(work, _ -> new LinkedHashMap<>())
                .computeIfAbsent(engine.name(), _ -> new Measurements());
        times.measure(call);
        // a long run tells what it has so far
        System.out.println(work + " " + engine.name() + ": " + times.all());
    }

    /**
     * All tables have the same rows, read by each engine itself and by Paimon, and their logs are of the same length.
     */
    private static void check(BenchmarkWarehouse warehouse, Path directory, List<BenchmarkEngine> engines)
            throws Exception
    {
        ScanResult expected = null;
        long changelogRows = -1;
        for (BenchmarkEngine engine : engines) {
            ScanResult result = engine.checksum();
            try (PaimonEngine paimon = warehouse.openWithPaimon(engine.name(), directory.resolve("check"))) {
                checkEqual("rows of " + engine.name() + " as Paimon reads them", result, paimon.checksum());
            }
            if (expected == null) {
                expected = result;
                changelogRows = engine.changelogRows();
            }
            checkEqual("rows of " + engine.name(), expected, result);
            checkEqual("changelog rows of " + engine.name(), changelogRows, engine.changelogRows());
        }
        System.out.println("checked: " + expected + ", changelog rows " + changelogRows);
    }

    private static void checkEqual(String what, Object expected, Object actual)
    {
        if (!expected.equals(actual)) {
            throw new IllegalStateException("Expected %s to be %s, but they are %s".formatted(what, expected, actual));
        }
    }

    private void print(int rounds)
    {
        System.out.println(format("%,d rows, %s commits of %,d updates, %s rounds", rows, commits, updates, rounds));
        System.out.println("work    engine    wall s    cpu s   rows/s (wall)");
        measurements.forEach((work, engines) -> {
            engines.forEach((engine, times) -> System.out.println(format(
                    Locale.ENGLISH,
                    "%-7s %-8s %7.2f  %7.2f  %,14.0f   %s",
                    work,
                    engine,
                    times.wall(),
                    times.cpu(),
                    (work.equals("update") ? updates : rows) / times.wall(),
                    times.all())));
            if (engines.size() == 2) {
                Measurements ours = engines.get("lookup");
                Measurements peer = engines.get("paimon");
                System.out.println(format(Locale.ENGLISH, "%-7s ratio    %7.2f  %7.2f", work, ours.wall() / peer.wall(), ours.cpu() / peer.cpu()));
            }
        });
    }
}
