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

import com.sun.management.OperatingSystemMXBean;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

import static java.lang.String.format;

/**
 * Times of one kind of work in one engine, by the clock and by the processors (garbage collection and compilation
 * included): on a busy machine the latter say more.
 */
final class Measurements
{
    private static final OperatingSystemMXBean SYSTEM = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final List<Double> wallSeconds = new ArrayList<>();
    private final List<Double> cpuSeconds = new ArrayList<>();

    void measure(Work work)
            throws Exception
    {
        System.gc();
        long cpuStart = SYSTEM.getProcessCpuTime();
        long start = System.nanoTime();
        work.run();
        wallSeconds.add((System.nanoTime() - start) / 1e9);
        cpuSeconds.add((SYSTEM.getProcessCpuTime() - cpuStart) / 1e9);
    }

    /**
     * Median of the measurements.
     */
    double wall()
    {
        return median(wallSeconds);
    }

    double cpu()
    {
        return median(cpuSeconds);
    }

    String all()
    {
        return format(Locale.ENGLISH, "wall %s cpu %s", texts(wallSeconds), texts(cpuSeconds));
    }

    private static List<String> texts(List<Double> seconds)
    {
        return seconds.stream().map(value -> format(Locale.ENGLISH, "%.2f", value)).toList();
    }

    private static double median(List<Double> values)
    {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    interface Work
    {
        void run()
                throws Exception;
    }
}
