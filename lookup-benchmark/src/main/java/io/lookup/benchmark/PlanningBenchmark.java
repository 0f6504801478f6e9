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

import io.lookup.storage.catalog.LookupCatalog;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.format.manifest.ManifestCache;
import io.lookup.storage.scan.ScanFilter;
import io.lookup.storage.scan.TableSplit;
import io.lookup.storage.table.StorageTable;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.predicate.ValueSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.options.Options;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.Split;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.IntegerType.INTEGER;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Plans scans of a table of a million files, of which there are the manifests only, here and in Apache Paimon: of the whole table, of a day, of the last
 * ten days, and of one key of each day. Prints milliseconds until the first split and until the last, for the first plan of the process (cold) and the median of the
 * others, and the most heap above what lived before that a plan took, garbage included. Fails if the two engines plan other files. Paimon caches manifests, and gives its splits all
 * at once.
 * <p>
 * The folder keeps the table. Arguments, all but the first optional: {@code directory=<local folder> partitions=1000 buckets=10 files=100 new=5
 * order=days,mixed engines=lookup,paimon plan=all,day,days,key plans=5 index=512 cache=64} (the last two in MB).
 */
public final class PlanningBenchmark
{
    private static final String DATABASE = "bench";

    private final BenchmarkArguments arguments;
    private final Path directory;
    private final int partitions;

    private PlanningBenchmark(BenchmarkArguments arguments)
    {
        this.arguments = requireNonNull(arguments, "arguments is null");
        this.directory = Path.of(arguments.text("directory").orElseThrow(() -> new IllegalArgumentException("Argument directory=<local folder> is missing")));
        this.partitions = arguments.number("partitions", 1_000);
    }

    public static void main(String[] arguments)
            throws Exception
    {
        new PlanningBenchmark(BenchmarkArguments.parse(arguments)).run();
    }

    private void run()
            throws Exception
    {
        Path warehouse = Files.createDirectories(directory.resolve("warehouse"));
        // quiets the libraries
        try (BenchmarkWarehouse _ = new BenchmarkWarehouse(warehouse); HadoopFileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of()))) {
            LookupCatalog catalog = new LookupCatalog(fileIo, LookupCatalog.warehousePath(warehouse.toString()));
            if (!catalog.schemaExists(DATABASE)) {
                catalog.createSchema(DATABASE);
            }
            for (String order : arguments.list("order", "days,mixed")) {
                String table = "files_%s_%s_%s_%s".formatted(order, partitions, arguments.number("buckets", 10), arguments.number("files", 100));
                if (!Files.exists(warehouse.resolve(DATABASE + ".db").resolve(table))) {
                    new ManyFiles(partitions, arguments.number("buckets", 10), arguments.number("files", 100), arguments.number("new", 5))
                            .create(catalog, DATABASE, table, order.equals("days"));
                }
                Map<String, List<Long>> counts = new LinkedHashMap<>();
                for (String engine : arguments.list("engines", "lookup,paimon")) {
                    Planner planner = engine.equals("lookup") ? lookup(fileIo, catalog, table) : paimon(warehouse, table);
                    for (String plan : arguments.list("plan", "all,day,days,key")) {
                        counts.computeIfAbsent(plan, _ -> new ArrayList<>()).add(measure(order, engine, plan, planner));
                    }
                }
                counts.forEach((plan, files) -> {
                    if (files.stream().distinct().count() > 1) {
                        throw new IllegalStateException("Files of plan %s differ: %s".formatted(plan, files));
                    }
                });
            }
        }
    }

    private long measure(String order, String engine, String name, Planner planner)
            throws Exception
    {
        List<Plan> plans = new ArrayList<>();
        long heap = 0;
        for (int run = 0; run <= arguments.number("plans", 5); run++) {
            System.gc();
            long before = heapBytes(false);
            ManagementFactory.getMemoryPoolMXBeans().forEach(MemoryPoolMXBean::resetPeakUsage);
            plans.add(planner.plan(name));
            heap = Math.max(heap, heapBytes(true) - before);
        }
        Plan cold = plans.removeFirst();
        System.gc();
        System.out.println(format(
                Locale.ENGLISH,
                "%-6s %-7s %-5s first split %8.1f ms (cold %8.1f)  last split %8.1f ms (cold %8.1f)  %,8d splits %,10d files  heap %,6d MB, kept %,4d MB",
                order,
                engine,
                name,
                median(plans.stream().map(Plan::firstMillis).toList()),
                cold.firstMillis(),
                median(plans.stream().map(Plan::lastMillis).toList()),
                cold.lastMillis(),
                cold.splits(),
                cold.files(),
                heap >> 20,
                planner.keptBytes() >> 20));
        return cold.files();
    }

    private static double median(List<Double> values)
    {
        List<Double> sorted = values.stream().sorted().toList();
        return sorted.get(sorted.size() / 2);
    }

    private static long heapBytes(boolean peak)
    {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .mapToLong(pool -> (peak ? pool.getPeakUsage() : pool.getUsage()).getUsed())
                .sum();
    }

    private record Plan(double firstMillis, double lastMillis, long splits, long files) {}

    private interface Planner
    {
        Plan plan(String name)
                throws Exception;

        default long keptBytes()
        {
            return 0;
        }
    }

    private Planner lookup(HadoopFileIo fileIo, LookupCatalog catalog, String table)
    {
        ManifestCache cache = new ManifestCache((long) arguments.number("cache", 64) << 20, (long) arguments.number("index", 512) << 20);
        return new Planner()
        {
            @Override
            public Plan plan(String name)
                    throws IOException
            {
                long start = System.nanoTime();
                StorageTable opened = LookupEngine.open(fileIo, cache, catalog.tablePath(DATABASE, table));
                Iterator<TableSplit> splits = opened.scanPlanner().plan(opened.snapshots().latest().orElseThrow(), ScanFilter.of(predicate(name)));
                long first = 0;
                long count = 0;
                long files = 0;
                while (splits.hasNext()) {
                    files += splits.next().files().count();
                    first = count == 0 ? System.nanoTime() : first;
                    count++;
                }
                return new Plan((first - start) / 1e6, (System.nanoTime() - start) / 1e6, count, files);
            }

            @Override
            public long keptBytes()
            {
                return cache.getIndexBytes() + cache.getMemoryBytes();
            }
        };
    }

    private TupleDomain<Integer> predicate(String name)
    {
        return switch (name) {
            case "all" -> TupleDomain.all();
            case "day" -> TupleDomain.withColumnDomains(Map.of(0, Domain.singleValue(INTEGER, partitions / 2L)));
            case "days" -> TupleDomain.withColumnDomains(Map.of(0, Domain.create(ValueSet.ofRanges(Range.greaterThanOrEqual(INTEGER, partitions - 10L)), false)));
            case "key" -> TupleDomain.withColumnDomains(Map.of(1, Domain.singleValue(BIGINT, 3 * ManyFiles.ROWS_PER_FILE / 2)));
            default -> throw new IllegalArgumentException("Unknown plan: " + name);
        };
    }

    private Planner paimon(Path warehouse, String table)
    {
        Options options = new Options();
        options.set("warehouse", warehouse.toString());
        // as much as the other engine may keep
        options.set("cache.manifest.small-file-memory", arguments.number("index", 512) + "mb");
        options.set("cache.manifest.max-memory", arguments.number("index", 512) + "mb");
        options.set("cache.manifest.small-file-threshold", "64mb");
        Catalog catalog = CatalogFactory.createCatalog(CatalogContext.create(options, new Configuration(false)));
        return name -> {
            long start = System.nanoTime();
            Table opened = catalog.getTable(Identifier.create(DATABASE, table));
            ReadBuilder builder = opened.newReadBuilder();
            PredicateBuilder predicates = new PredicateBuilder(opened.rowType());
            Predicate predicate = switch (name) {
                case "all" -> null;
                case "day" -> predicates.equal(0, partitions / 2);
                case "days" -> predicates.greaterOrEqual(0, partitions - 10);
                case "key" -> predicates.equal(1, 3 * ManyFiles.ROWS_PER_FILE / 2);
                default -> throw new IllegalArgumentException("Unknown plan: " + name);
            };
            if (predicate != null) {
                builder.withFilter(predicate);
            }
            List<Split> splits = builder.newScan().plan().splits();
            double millis = (System.nanoTime() - start) / 1e6;
            long files = splits.stream().mapToLong(split -> ((DataSplit) split).dataFiles().size()).sum();
            return new Plan(millis, millis, splits.size(), files);
        };
    }
}
