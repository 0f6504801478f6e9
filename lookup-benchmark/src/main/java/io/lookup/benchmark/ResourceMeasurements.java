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
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import static java.lang.String.format;

/**
 * Times of one kind of work, and the most heap and local disk space that it took. The heap counts what lives and what is not yet
 * collected, above what lived before.
 */
final class ResourceMeasurements
{
    private static final long SAMPLE_MILLIS = 20;

    private final List<Double> millis = new ArrayList<>();
    private long heapBytes;
    private long diskBytes;

    /**
     * @param scratch local folder of the engine
     */
    void measure(Path scratch, Measurements.Work work)
            throws Exception
    {
        System.gc();
        long before = heap(false);
        ManagementFactory.getMemoryPoolMXBeans().forEach(MemoryPoolMXBean::resetPeakUsage);
        long start;
        try (DiskSampler sampler = new DiskSampler(scratch)) {
            start = System.nanoTime();
            work.run();
            millis.add((System.nanoTime() - start) / 1e6);
            diskBytes = Math.max(diskBytes, sampler.finish());
        }
        heapBytes = Math.max(heapBytes, heap(true) - before);
    }

    private static long heap(boolean peak)
    {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .mapToLong(pool -> (peak ? pool.getPeakUsage() : pool.getUsage()).getUsed())
                .sum();
    }

    /**
     * Median.
     */
    double millis()
    {
        List<Double> sorted = millis.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    long heapBytes()
    {
        return heapBytes;
    }

    long diskBytes()
    {
        return diskBytes;
    }

    String all()
    {
        return String.join(" ", millis.stream().map(value -> format(Locale.ENGLISH, "%.0f", value)).toList());
    }

    private static final class DiskSampler
            implements AutoCloseable
    {
        private final Path directory;
        private volatile boolean done;
        private volatile long most;

        private DiskSampler(Path directory)
        {
            this.directory = directory;
            Thread.ofPlatform().daemon().start(this::run);
        }

        private void run()
        {
            while (!done) {
                sample();
                try {
                    Thread.sleep(SAMPLE_MILLIS);
                }
                catch (InterruptedException _) {
                    return;
                }
            }
        }

        private synchronized void sample()
        {
            try (Stream<Path> files = Files.walk(directory)) {
                most = Math.max(most, files.mapToLong(DiskSampler::size).sum());
            }
            catch (IOException | UncheckedIOException _) {
                // files come and go
            }
        }

        private static long size(Path path)
        {
            try {
                return Files.isRegularFile(path) ? Files.size(path) : 0;
            }
            catch (NoSuchFileException _) {
                return 0;
            }
            catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private long finish()
        {
            sample();
            return most;
        }

        @Override
        public void close()
        {
            done = true;
        }
    }
}
