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
package io.lookup.storage.damage;

import com.sun.management.ThreadMXBean;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static java.lang.String.format;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many executions of one parser, each with the random numbers of its seed. Each must end soon and take bounded memory. {@code lookup.damage.executions} says how
 * many all runs have together, {@code lookup.damage.seconds} after how long a run ends in any case, {@code lookup.damage.first-seed} where they begin.
 */
public final class DamageRun
{
    private static final int EXECUTIONS = Integer.getInteger("lookup.damage.executions", Boolean.getBoolean("lookup.thorough") ? 2_000_000 : 6_000);
    private static final long FIRST_SEED = Long.getLong("lookup.damage.first-seed", 1);
    private static final long MAX_RUN_NANOS = TimeUnit.SECONDS.toNanos(Long.getLong("lookup.damage.seconds", TimeUnit.DAYS.toSeconds(1)));
    // of this thread's own work: others may keep the machine busy
    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long MAX_ORC_NANOS = TimeUnit.SECONDS.toNanos(120);
    private static final int MAX_FAILURES = 20;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final String name;
    private final int executions;
    private final long maxAllocated;
    private String subject = "";

    /**
     * @param share how many times more others are executed
     */
    public DamageRun(String name, int share, long maxAllocated)
    {
        this.name = name;
        this.executions = Math.max(1, EXECUTIONS / share);
        this.maxAllocated = maxAllocated;
    }

    public interface Execution
    {
        /**
         * @return what came of it, for the statistics
         */
        String run(Random random)
                throws Exception;
    }

    /**
     * What is damaged now, for errors.
     */
    void subject(Object subject)
    {
        this.subject = subject.toString();
    }

    /**
     * @return how often each outcome was
     * @throws AssertionError with the seeds of executions that failed, one an origin
     */
    public Map<String, Integer> run(Execution execution)
    {
        long end = System.nanoTime() + MAX_RUN_NANOS;
        Map<String, Integer> outcomes = new TreeMap<>();
        Map<String, String> failures = new TreeMap<>();
        int executed = 0;
        while (executed < executions && failures.size() < MAX_FAILURES && System.nanoTime() < end) {
            long seed = FIRST_SEED + executed;
            executed++;
            try {
                outcomes.merge(execute(execution, new Random(seed * 0x9E3779B97F4A7C15L)), 1, Integer::sum);
            }
            catch (Throwable e) {
                StringWriter trace = new StringWriter();
                e.printStackTrace(new PrintWriter(trace));
                failures.putIfAbsent(origin(e), format("-Dlookup.damage.first-seed=%s -Dlookup.damage.executions=1: %s: %s", seed, subject, trace));
            }
        }
        System.out.printf("damage: %s: %s executions from seed %s: %s%n", name, executed, FIRST_SEED, outcomes);
        assertThat(failures.values()).as(name).isEmpty();
        return outcomes;
    }

    private String execute(Execution execution, Random random)
            throws Exception
    {
        long start = THREADS.getCurrentThreadCpuTime();
        long allocated = THREADS.getCurrentThreadAllocatedBytes();
        String outcome = execution.run(random);
        assertThat(THREADS.getCurrentThreadCpuTime() - start).as("nanoseconds").isLessThan(subject.endsWith(".orc") ? MAX_ORC_NANOS : MAX_NANOS);
        assertThat(THREADS.getCurrentThreadAllocatedBytes() - allocated).as("bytes allocated").isLessThan(maxAllocated);
        return outcome;
    }

    /**
     * Failures with the same origin are one.
     */
    private static String origin(Throwable failure)
    {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getClass().getName() + Stream.of(cause.getStackTrace())
                .map(StackTraceElement::toString)
                .filter(frame -> frame.contains("io.lookup") && !frame.contains("DamageRun"))
                .findFirst()
                .orElse("");
    }
}
