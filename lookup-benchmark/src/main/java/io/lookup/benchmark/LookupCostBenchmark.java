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
import com.google.common.collect.ImmutableMap;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
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
import java.nio.file.StandardOpenOption;
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
 * What old values cost: a table is loaded with the {@code lookup} changelog producer, then statements change a few of
 * its rows, in this engine and in Apache Paimon, in turns in one process, with the same rows, options and heap. Prints medians as a
 * Markdown table, with the heap and the local disk space used at most, and fails if the tables or their changelogs differ.
 * <p>
 * Arguments, all optional: {@code rows=1000000 changes=1000,100000 rounds=5 caches=cold|warm work=update|insert|load
 * engines=lookup,paimon merge-engine=deduplicate write-memory-mb=256 warm-up=2 directory=<local folder> results=<file that gets the table's rows>
 * option.<table option>=<value>}.
 * Cold means that the process keeps nothing from the statement before, neither in memory nor on local disk; what the
 * operating system caches it keeps. Warm means that all does stay, and that Paimon writes all with one streaming writer.
 */
public final class LookupCostBenchmark
{
    private static final String DATABASE = "bench";
    private static final String OPTION_PREFIX = "option.";
    private static final int WARM_UP_ROUNDS = 2;
    private static final List<String> HEADER = List.of(
            "| work | stored rows | changed rows | caches | engine | median ms | ms of each | heap, MB | local disk, MB | times faster |",
            "|---|---|---|---|---|---|---|---|---|---|");

    private final Map<String, String> arguments;
    private final int rows;
    private final boolean warm;
    private final String work;
    private final List<Logger> quiet = new ArrayList<>();
    private int version;
    // by changed rows, then by engine
    private final Map<Integer, Map<String, ResourceMeasurements>> measurements = new LinkedHashMap<>();

    private LookupCostBenchmark(Map<String, String> arguments)
    {
        this.arguments = ImmutableMap.copyOf(arguments);
        this.rows = number("rows", 1_000_000);
        this.warm = argument("caches", "cold").equals("warm");
        this.work = argument("work", "update");
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
        new LookupCostBenchmark(parsed.buildOrThrow()).run();
    }

    private String argument(String name, String defaultValue)
    {
        return arguments.getOrDefault(name, defaultValue);
    }

    private int number(String name, int defaultValue)
    {
        return Integer.parseInt(argument(name, Integer.toString(defaultValue)));
    }

    private void run()
            throws Exception
    {
        for (String name : List.of("org.apache.paimon", "org.apache.hadoop", "org.apache.parquet")) {
            Logger logger = Logger.getLogger(name);
            logger.setLevel(Level.SEVERE);
            quiet.add(logger);
        }
        Path directory = Files.createTempDirectory(Path.of(argument("directory", System.getProperty("java.io.tmpdir"))), "lookup-cost");
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
        Path warehouse = Files.createDirectory(directory.resolve("warehouse"));
        Options options = new Options();
        options.set("warehouse", warehouse.toString());
        options.set("cache-enabled", "false");
        // left to itself, Paimon looks for Hadoop's HDFS client
        try (Catalog catalog = CatalogFactory.createCatalog(CatalogContext.create(options, new Configuration(false)))) {
            int rounds = number("rounds", 5);
            if (work.equals("load")) {
                for (int round = 0; round < rounds; round++) {
                    List<Engine> engines = engines(directory, catalog, "load" + round);
                    for (Engine engine : inTurn(engines, round)) {
                        measure(rows, engine, BenchmarkRows.load(rows));
                    }
                    finish(catalog, directory, engines);
                    MoreFiles.deleteDirectoryContents(warehouse.resolve(DATABASE + ".db"), RecursiveDeleteOption.ALLOW_INSECURE);
                }
                return;
            }
            List<Engine> engines = engines(directory, catalog, "t");
            for (Engine engine : engines) {
                long start = System.nanoTime();
                engine.engine.write(BenchmarkRows.load(rows));
                System.out.println(format(Locale.ENGLISH, "%s: loaded in %.1f s", engine.name(), (System.nanoTime() - start) / 1e9));
            }
            for (String changes : Splitter.on(',').split(argument("changes", "1000"))) {
                int count = Integer.parseInt(changes);
                for (int round = -number("warm-up", WARM_UP_ROUNDS); round < rounds; round++) {
                    version++;
                    List<Page> pages = work.equals("insert") ? BenchmarkRows.inserts(rows + version * count, count, version) : BenchmarkRows.updates(rows, count, version);
                    List<Page> made = List.copyOf(pages);
                    for (Engine engine : inTurn(engines, round)) {
                        if (round < 0) {
                            engine.engine.write(made);
                        }
                        else {
                            measure(count, engine, made);
                        }
                    }
                }
            }
            finish(catalog, directory, engines);
        }
    }

    /**
     * Neither engine is always the first.
     */
    private static List<Engine> inTurn(List<Engine> engines, int round)
    {
        return round % 2 == 0 ? engines : engines.reversed();
    }

    private List<Engine> engines(Path directory, Catalog catalog, String suffix)
            throws IOException
    {
        List<Engine> engines = new ArrayList<>();
        for (String name : Splitter.on(',').split(argument("engines", "lookup,paimon"))) {
            String table = name + "_" + suffix;
            Path location = createTable(directory.resolve("warehouse"), table);
            Path scratch = Files.createDirectories(directory.resolve("scratch-" + table));
            BenchmarkEngine engine = switch (name) {
                case "lookup" -> new LookupEngine(location, scratch, (long) number("write-memory-mb", 256) << 20);
                case "paimon" -> new PaimonEngine(catalog, Identifier.create(DATABASE, table), scratch, warm);
                default -> throw new IllegalArgumentException("Unknown engine: " + name);
            };
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
        // a long run tells what it has so far
        System.out.println(format("%,d rows by %s: %s", count, engine.name(), measured.all()));
    }

    private Path createTable(Path warehouse, String name)
            throws IOException
    {
        ImmutableMap.Builder<String, String> options = ImmutableMap.builder();
        options.put("bucket", "1");
        options.put("changelog-producer", "lookup");
        options.put("merge-engine", argument("merge-engine", "deduplicate"));
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
     * All tables have the same rows, as Paimon reads them, and their logs are of the same length.
     */
    private static void finish(Catalog catalog, Path directory, List<Engine> engines)
            throws Exception
    {
        Object expected = null;
        for (Engine engine : engines) {
            engine.engine.close();
            try (PaimonEngine paimon = new PaimonEngine(catalog, Identifier.create(DATABASE, engine.table), directory.resolve("check"))) {
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
        if (arguments.containsKey("results")) {
            Path results = Path.of(arguments.get("results"));
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
