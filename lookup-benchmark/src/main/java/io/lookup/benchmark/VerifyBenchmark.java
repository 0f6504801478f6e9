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

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.maintenance.VerificationSplit;
import io.lookup.storage.scan.ChangeSplit;
import io.lookup.storage.scan.TableSplit;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.table.StorageTable;
import io.trino.spi.Page;
import io.trino.spi.predicate.TupleDomain;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * What verifying a changelog costs: that of all snapshots of a table after a load and some update commits, beside a scan of
 * the table, and beside reading alone what the verification compares. One thread, in turns in one process. Prints medians,
 * and the heap used at most; fails if the log is not exact.
 * <p>
 * The folder keeps the table, so that a second run has no need to write it. Arguments, all but the first optional:
 * {@code directory=<local folder> rows=2000000 updates=10000 commits=20 rounds=5 work=scan,read,verify
 * option.<table option>=<value>}.
 */
public final class VerifyBenchmark
{
    private static final int WARM_UP_ROUNDS = 2;

    private final BenchmarkArguments arguments;
    private final Path directory;
    private final Map<String, Measurements> times = new LinkedHashMap<>();
    private final Map<String, ResourceMeasurements> resources = new LinkedHashMap<>();
    private final Map<String, Long> rows = new LinkedHashMap<>();

    private VerifyBenchmark(BenchmarkArguments arguments)
    {
        this.arguments = requireNonNull(arguments, "arguments is null");
        this.directory = Path.of(arguments.text("directory").orElseThrow(() -> new IllegalArgumentException("Argument directory=<local folder> is missing")));
    }

    public static void main(String[] arguments)
            throws Exception
    {
        new VerifyBenchmark(BenchmarkArguments.parse(arguments)).run();
    }

    private void run()
            throws Exception
    {
        int tableRows = arguments.number("rows", 2_000_000);
        int updates = arguments.number("updates", 10_000);
        int commits = arguments.number("commits", 20);
        String name = "verify_%s_%s_%s".formatted(tableRows, updates, commits);
        Path scratch = Files.createDirectories(directory.resolve("scratch"));
        try (BenchmarkWarehouse warehouse = new BenchmarkWarehouse(directory.resolve("warehouse"))) {
            boolean written = Files.exists(warehouse.location(name));
            if (!written) {
                warehouse.createTable(name, arguments.tableOptions(Map.of("bucket", "4", "changelog-producer", "lookup")));
            }
            try (LookupEngine engine = new LookupEngine(warehouse.location(name), scratch, 256L << 20)) {
                if (!written) {
                    engine.write(BenchmarkRows.load(tableRows));
                    for (int version = 1; version <= commits; version++) {
                        engine.write(BenchmarkRows.updates(tableRows, updates, version));
                    }
                }
                StorageTable table = engine.open();
                List<VerificationSplit> all = ImmutableList.copyOf(table.verificationPlanner().plan(table.snapshots().latestId().orElseThrow()));
                for (int round = -WARM_UP_ROUNDS; round < arguments.number("rounds", 5); round++) {
                    for (String work : arguments.list("work", "scan,read,verify")) {
                        measure(work, round >= 0, scratch, () -> switch (work) {
                            case "scan" -> engine.scan().rows();
                            case "read" -> read(table, all);
                            case "verify" -> verify(table, all);
                            default -> throw new IllegalArgumentException("Unknown work: " + work);
                        });
                    }
                }
            }
        }
        print();
    }

    private void measure(String work, boolean measured, Path scratch, RowCount count)
            throws Exception
    {
        if (!measured) {
            count.run();
            return;
        }
        resources.computeIfAbsent(work, _ -> new ResourceMeasurements()).measure(scratch, () ->
                times.computeIfAbsent(work, _ -> new Measurements()).measure(() -> rows.put(work, count.run())));
    }

    /**
     * All that the splits name, unmerged but for the states.
     */
    private static long read(StorageTable table, List<VerificationSplit> splits)
            throws IOException
    {
        List<DataField> columns = table.schema().fields();
        long rows = 0;
        for (VerificationSplit split : splits) {
            for (TableSplit state : split.before()) {
                rows += drain(table.splitReaders().openSorted(state, columns));
            }
            for (VerificationSplit.Step step : split.steps()) {
                for (ChangeSplit changes : step.changes()) {
                    rows += drain(table.changeReader().open(changes, columns, TupleDomain.all(), true));
                }
                for (ChangeSplit written : step.written()) {
                    rows += drain(table.changeReader().open(written, columns, TupleDomain.all(), true));
                }
            }
            for (TableSplit state : split.after()) {
                rows += drain(table.splitReaders().openSorted(state, columns));
            }
        }
        return rows;
    }

    /**
     * @return 0: it reads as many rows as reading alone does
     */
    private static long verify(StorageTable table, List<VerificationSplit> splits)
            throws IOException
    {
        long contradictions = 0;
        for (VerificationSplit split : splits) {
            contradictions += drain(table.verify(split));
        }
        if (contradictions > 0) {
            throw new IllegalStateException("The changelog is not exact: %s contradictions".formatted(contradictions));
        }
        return 0;
    }

    private static long drain(PageStream stream)
            throws IOException
    {
        long rows = 0;
        try (PageStream pages = stream) {
            for (Page page = pages.nextPage(); page != null; page = pages.nextPage()) {
                rows += page.getPositionCount();
            }
        }
        return rows;
    }

    private void print()
    {
        rows.computeIfPresent("verify", (_, none) -> rows.getOrDefault("read", none));
        times.forEach((work, measured) -> System.out.println(format(
                Locale.ENGLISH,
                "%-7s %,12d rows  %7.3f s wall %7.3f s cpu  %,12.0f rows/s  heap %,.0f MB  %.2f scans, %.2f times reading  %s",
                work,
                rows.get(work),
                measured.wall(),
                measured.cpu(),
                rows.get(work) / measured.wall(),
                resources.get(work).heapBytes() / 1e6,
                measured.cpu() / times.getOrDefault("scan", measured).cpu(),
                measured.cpu() / times.getOrDefault("read", measured).cpu(),
                measured.all())));
    }

    private interface RowCount
    {
        long run()
                throws Exception;
    }
}
