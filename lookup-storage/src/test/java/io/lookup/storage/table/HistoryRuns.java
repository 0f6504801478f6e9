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
package io.lookup.storage.table;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

/**
 * Runs histories from {@code lookup.first-seed} on, as many as a test has, or as {@code lookup.histories} says. With
 * {@code lookup.history-log}, a file that gets one line a history (test, seed, verdict, options), a run goes on behind the last seed of its test
 * in that file, so that runs add up.
 */
final class HistoryRuns
{
    private static final boolean THOROUGH = Boolean.getBoolean("lookup.thorough");
    private static final long FIRST_SEED = Long.getLong("lookup.first-seed", 1);
    private static final Optional<Path> LOG = Optional.ofNullable(System.getProperty("lookup.history-log")).filter(file -> !file.isEmpty()).map(Path::of);
    private static final int MAX_FAILURES = 10;

    private final String name;
    private final int buildHistories;
    private final int histories;

    /**
     * @param name of the test, in the log
     * @param share how many of 1,000 thorough histories this test has
     */
    HistoryRuns(String name, int histories, int share)
    {
        this.name = name;
        this.buildHistories = histories;
        this.histories = Optional.ofNullable(Integer.getInteger("lookup.histories"))
                .map(count -> (count * share + 999) / 1000)
                .orElse(THOROUGH ? share : histories);
    }

    record History(Map<String, String> options, Body body) {}

    @FunctionalInterface
    interface Body
    {
        void run()
                throws Exception;
    }

    /**
     * Whether these are as many histories as the build runs, from the beginning on.
     */
    boolean isRepresentative()
    {
        return histories >= buildHistories && FIRST_SEED == 1 && LOG.isEmpty();
    }

    /**
     * @return what failed, with its seed
     */
    List<String> run(LongFunction<History> generator)
    {
        List<String> failures = new ArrayList<>();
        long first = Math.max(FIRST_SEED, LOG.map(this::lastSeed).orElse(0L) + 1);
        for (long seed = first; seed < first + histories; seed++) {
            History history = generator.apply(seed);
            long start = System.nanoTime();
            try {
                history.body().run();
                log(seed, "agree, %s ms".formatted((System.nanoTime() - start) / 1_000_000), history.options());
            }
            catch (AssertionError | Exception e) {
                failures.add("%s, seed %s, %s: %s".formatted(name, seed, history.options(), e));
                log(seed, "DIFFER " + e.toString().replaceAll("\\s+", " "), history.options());
                if (failures.size() == 1) {
                    e.printStackTrace();
                }
                if (failures.size() >= MAX_FAILURES && LOG.isEmpty()) {
                    break;
                }
            }
        }
        return failures;
    }

    private long lastSeed(Path log)
    {
        if (!Files.exists(log)) {
            return 0;
        }
        try {
            return Files.readAllLines(log).stream()
                    .map(line -> line.split("\t", 3))
                    .filter(parts -> parts.length == 3 && parts[0].equals(name))
                    .mapToLong(parts -> Long.parseLong(parts[1]))
                    .max()
                    .orElse(0);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void log(long seed, String verdict, Map<String, String> options)
    {
        if (LOG.isEmpty()) {
            return;
        }
        try {
            Files.writeString(LOG.get(), "%s\t%s\t%s\t%s\n".formatted(name, seed, verdict, options), CREATE, APPEND);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
