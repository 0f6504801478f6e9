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

import com.google.common.collect.ImmutableMap;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.lookup.benchmark.BenchmarkEngine.ScanResult;
import io.lookup.storage.catalog.LookupCatalog;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.trino.spi.Page;
import org.apache.hadoop.conf.Configuration;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.options.Options;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;

import static java.lang.String.format;

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
    private static final String DATABASE = "bench";
    private static final String OPTION_PREFIX = "option.";

    private final Map<String, String> arguments;
    private final int rows;
    private final int updates;
    private final int commits;
    private final int scans;
    private final List<Logger> quiet = new ArrayList<>();
    // by work, then by engine
    private final Map<String, Map<String, Measurements>> measurements = new LinkedHashMap<>();

    private EngineBenchmark(Map<String, String> arguments)
    {
        this.arguments = ImmutableMap.copyOf(arguments);
        this.rows = number("rows", 2_000_000);
        this.updates = number("updates", 100_000);
        this.commits = number("commits", 6);
        this.scans = number("scans", 5);
    }

    public static void main(String[] arguments)
            throws Exception
    {
        ImmutableMap.Builder<String, String> parsed = ImmutableMap.builder();
        for (String argument : arguments) {
            int separator = argument.indexOf('=');
            if (separator < 0) {
                throw new IllegalArgumentException("Argument '%s' is not of the form name=value".formatted(argument));
            }
            parsed.put(argument.substring(0, separator), argument.substring(separator + 1));
        }
        new EngineBenchmark(parsed.buildOrThrow()).run();
    }

    private int number(String name, int defaultValue)
    {
        return Integer.parseInt(arguments.getOrDefault(name, Integer.toString(defaultValue)));
    }

    private void run()
            throws Exception
    {
        for (String name : List.of("org.apache.paimon", "org.apache.hadoop", "org.apache.parquet")) {
            Logger logger = Logger.getLogger(name);
            logger.setLevel(Level.SEVERE);
            quiet.add(logger);
        }
        List<Page> load = List.copyOf(BenchmarkRows.load(rows));
        List<List<Page>> changes = new ArrayList<>();
        for (int version = 1; version <= commits; version++) {
            changes.add(List.copyOf(BenchmarkRows.updates(rows, updates, version)));
        }
        int rounds = number("rounds", 3);
        for (int round = 0; round < rounds; round++) {
            Path directory = Files.createTempDirectory(Path.of(arguments.getOrDefault("directory", System.getProperty("java.io.tmpdir"))), "engine-benchmark");
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
        Path warehouse = Files.createDirectory(directory.resolve("warehouse"));
        Options options = new Options();
        options.set("warehouse", warehouse.toString());
        options.set("cache-enabled", "false");
        // left to itself, Paimon looks for Hadoop's HDFS client
        try (Catalog catalog = CatalogFactory.createCatalog(CatalogContext.create(options, new Configuration(false)))) {
            List<BenchmarkEngine> engines = new ArrayList<>();
            for (String name : arguments.getOrDefault("engines", "lookup,paimon").split(",")) {
                Path location = createTable(warehouse, name);
                engines.add(switch (name) {
                    case "lookup" -> new LookupEngine(location, directory.resolve("spill"), (long) number("write-memory-mb", 256) << 20);
                    case "paimon" -> new PaimonEngine(catalog, Identifier.create(DATABASE, name), directory.resolve("scratch"));
                    default -> throw new IllegalArgumentException("Unknown engine: " + name);
                });
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
            check(catalog, directory, engines);
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

    private Path createTable(Path warehouse, String name)
            throws IOException
    {
        ImmutableMap.Builder<String, String> options = ImmutableMap.builder();
        options.put("bucket", "1");
        options.put("changelog-producer", "lookup");
        arguments.forEach((key, value) -> {
            if (key.startsWith(OPTION_PREFIX)) {
                options.put(key.substring(OPTION_PREFIX.length()), value);
            }
        });
        try (HadoopFileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of()))) {
            LookupCatalog catalog = new LookupCatalog(fileIo, LookupCatalog.warehousePath(warehouse.toString()));
            if (!catalog.schemaExists(DATABASE)) {
                catalog.createSchema(DATABASE);
            }
            catalog.createTable(DATABASE, name, BenchmarkRows.COLUMNS, List.of(), List.of("id"), options.buildKeepingLast(), Optional.empty());
            return Path.of(catalog.tablePath(DATABASE, name).toUri().getPath());
        }
    }

    /**
     * All tables have the same rows, read by each engine itself and by Paimon, and their logs are of the same length.
     */
    private static void check(Catalog catalog, Path directory, List<BenchmarkEngine> engines)
            throws Exception
    {
        ScanResult expected = null;
        long changelogRows = -1;
        for (BenchmarkEngine engine : engines) {
            ScanResult result = engine.checksum();
            try (PaimonEngine paimon = new PaimonEngine(catalog, Identifier.create(DATABASE, engine.name()), directory.resolve("check"))) {
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
