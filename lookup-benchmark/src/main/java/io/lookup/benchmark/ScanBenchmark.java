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
import io.lookup.benchmark.BenchmarkEngine.ScanResult;
import io.lookup.storage.catalog.LookupCatalog;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import org.apache.hadoop.conf.Configuration;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.options.Options;

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
    private static final String DATABASE = "bench";
    private static final String OPTION_PREFIX = "option.";

    private final Map<String, String> arguments;
    private final Path directory;
    private final List<Logger> quiet = new ArrayList<>();

    private ScanBenchmark(Map<String, String> arguments)
    {
        this.arguments = ImmutableMap.copyOf(arguments);
        this.directory = Path.of(arguments.get("directory"));
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
        new ScanBenchmark(parsed.buildOrThrow()).run();
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
        Path warehouse = Files.createDirectories(directory.resolve("warehouse"));
        Options options = new Options();
        options.set("warehouse", warehouse.toString());
        options.set("cache-enabled", "false");
        try (Catalog catalog = CatalogFactory.createCatalog(CatalogContext.create(options, new Configuration(false)))) {
            List<BenchmarkEngine> engines = new ArrayList<>();
            for (String name : arguments.getOrDefault("engines", "lookup,paimon").split(",")) {
                engines.add(open(catalog, warehouse, name));
            }
            for (String scan : arguments.getOrDefault("scan", "all,column,keys,values").split(",")) {
                compare(scan, engines);
            }
            for (BenchmarkEngine engine : engines) {
                engine.close();
            }
        }
    }

    private BenchmarkEngine open(Catalog catalog, Path warehouse, String name)
            throws Exception
    {
        int rows = number("rows", 2_000_000);
        int updates = number("updates", 100_000);
        int commits = number("commits", 6);
        String table = "%s_%s_%s_%s".formatted(name, rows, updates, commits);
        try (HadoopFileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of()))) {
            LookupCatalog tables = new LookupCatalog(fileIo, LookupCatalog.warehousePath(warehouse.toString()));
            if (!tables.schemaExists(DATABASE)) {
                tables.createSchema(DATABASE);
            }
            Path location = Path.of(tables.tablePath(DATABASE, table).toUri().getPath());
            boolean written = Files.exists(location);
            if (!written) {
                tables.createTable(DATABASE, table, BenchmarkRows.COLUMNS, List.of(), List.of("id"), tableOptions(), Optional.empty());
            }
            BenchmarkEngine engine = switch (name) {
                case "lookup" -> new LookupEngine(location, directory.resolve("spill"), 256L << 20);
                case "paimon" -> new PaimonEngine(catalog, Identifier.create(DATABASE, table), directory.resolve("scratch"));
                default -> throw new IllegalArgumentException("Unknown engine: " + name);
            };
            if (!written) {
                engine.write(BenchmarkRows.load(rows));
                for (int version = 1; version <= commits; version++) {
                    engine.write(BenchmarkRows.updates(rows, updates, version));
                }
            }
            return engine;
        }
    }

    private Map<String, String> tableOptions()
    {
        ImmutableMap.Builder<String, String> options = ImmutableMap.builder();
        options.put("bucket", "2");
        options.put("changelog-producer", "lookup");
        arguments.forEach((key, value) -> {
            if (key.startsWith(OPTION_PREFIX)) {
                options.put(key.substring(OPTION_PREFIX.length()), value);
            }
        });
        return options.buildKeepingLast();
    }

    private void compare(String scan, List<BenchmarkEngine> engines)
            throws Exception
    {
        BenchmarkEngine.Selection selection = selection(scan);
        Map<String, Measurements> measurements = new LinkedHashMap<>();
        Map<String, ScanResult> results = new LinkedHashMap<>();
        int scans = number("scans", 7);
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
        long rows = number("rows", 2_000_000);
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
