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

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

import static java.lang.Integer.parseInt;

/**
 * Random keys, one after another and by one thread, in a file of sorted rows with BIGINT keys and values of 100 bytes, all of it in memory
 * when the clock starts: a local lookup file, Paimon's sort lookup store, RocksDB, and a binary search in a sorted array. What is found is
 * touched. Each figure is the median of five rounds, by processor time of the one thread.
 * <p>
 * Arguments: number of rows, directory, then optionally the stores to measure.
 */
public final class PointLookupBenchmark
{
    static final int VALUE_BYTES = 100;

    private static final int QUERIES = 1_000_000;
    private static final int ROUNDS = 5;
    private static final int WARM_UP_ROUNDS = 3;
    private static final int BATCH = 1_000;
    private static final long KEY_STEP = 3;
    private static final List<String> STORES = List.of("array", "ours", "ours-batch", "ours-lz4", "paimon", "rocksdb");

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private PointLookupBenchmark() {}

    public static void main(String[] arguments)
            throws IOException
    {
        if (arguments.length < 2) {
            System.err.println("Arguments: number of rows, directory, then optionally stores of " + STORES);
            System.exit(1);
        }
        int rows = parseInt(arguments[0]);
        Path directory = Files.createDirectories(Path.of(arguments[1]));
        List<String> stores = arguments.length > 2 ? List.of(arguments).subList(2, arguments.length) : STORES;
        System.out.printf(Locale.ENGLISH, "%,d rows, values of %d bytes, %,d lookups a round%n", rows, VALUE_BYTES, QUERIES);
        System.out.println("| store | load s | bytes | hits/s | misses/s | ns a hit |");
        System.out.println("|---|---|---|---|---|---|");
        for (String name : stores) {
            measure(name, rows, directory.resolve(name));
        }
    }

    private static void measure(String name, int rows, Path directory)
            throws IOException
    {
        long start = System.nanoTime();
        try (PointLookupStore store = PointLookupStore.create(name, directory)) {
            store.load(rows);
            double loadSeconds = (System.nanoTime() - start) / 1e9;
            double hits = lookupsPerSecond(store, queries(rows, 0, name.endsWith("batch")), true);
            double misses = lookupsPerSecond(store, queries(rows, 1, name.endsWith("batch")), false);
            if (store.touched == 0) {
                throw new IllegalStateException("no value was touched");
            }
            System.out.printf(Locale.ENGLISH, "| %s | %.1f | %,d | %,.0f | %,.0f | %.0f |%n", name, loadSeconds, store.bytes(), hits, misses, 1e9 / hits);
        }
    }

    static long key(long row)
    {
        return row * KEY_STEP;
    }

    /**
     * Printable bytes that compress as text does.
     */
    static void fillValue(long row, byte[] value)
    {
        SplittableRandom random = new SplittableRandom(row);
        for (int index = 0; index < value.length; index += 4) {
            int bits = random.nextInt();
            for (int part = 0; part < 4 && index + part < value.length; part++) {
                value[index + part] = (byte) ('a' + ((bits >>> (part * 8)) & 15));
            }
        }
    }

    /**
     * @param offset 0 for keys that are there
     */
    private static long[] queries(int rows, int offset, boolean sorted)
    {
        SplittableRandom random = new SplittableRandom(1);
        long[] queries = new long[QUERIES];
        for (int index = 0; index < QUERIES; index++) {
            queries[index] = key(random.nextInt(rows)) + offset;
        }
        if (sorted) {
            for (int index = 0; index < QUERIES; index += BATCH) {
                Arrays.sort(queries, index, index + BATCH);
                // a batch has distinct keys
                for (int next = index + 1; next < index + BATCH; next++) {
                    if (queries[next] <= queries[next - 1]) {
                        queries[next] = queries[next - 1] + KEY_STEP;
                    }
                }
            }
        }
        return queries;
    }

    private static double lookupsPerSecond(PointLookupStore store, long[] queries, boolean expectHits)
            throws IOException
    {
        store.prepare(queries, BATCH);
        List<Double> rates = new ArrayList<>();
        for (int round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
            long start = THREADS.getCurrentThreadCpuTime();
            long found = store.lookup();
            double seconds = (THREADS.getCurrentThreadCpuTime() - start) / 1e9;
            if (expectHits ? found < queries.length * 0.99 : found > queries.length * 0.01) {
                throw new IllegalStateException("%s keys of %s found".formatted(found, queries.length));
            }
            if (round >= WARM_UP_ROUNDS) {
                rates.add(queries.length / seconds);
            }
        }
        rates.sort(null);
        return rates.get(rates.size() / 2);
    }
}
