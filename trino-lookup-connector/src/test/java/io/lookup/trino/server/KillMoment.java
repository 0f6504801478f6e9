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
package io.lookup.trino.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static com.google.common.base.Preconditions.checkState;

/**
 * When to kill a server that statements are running on.
 */
interface KillMoment
{
    /**
     * Returns when the moment has come.
     *
     * @param statementMillis what the last statement took
     */
    void await(long statementMillis)
            throws IOException, InterruptedException;

    String description();

    /**
     * @param part of the time that the last statement took, so that a slow machine makes the moment no earlier in a statement
     */
    static KillMoment within(double part)
    {
        return new KillMoment()
        {
            @Override
            public void await(long statementMillis)
                    throws InterruptedException
            {
                Thread.sleep(Math.round(statementMillis * part));
            }

            @Override
            public String description()
            {
                return "at %.0f %% of a statement".formatted(part * 100);
            }
        };
    }

    /**
     * @param folder of the table's snapshots on the local disk
     * @param delayMillis from the next snapshot to the moment
     */
    static KillMoment afterPublication(Path folder, int delayMillis)
    {
        return new KillMoment()
        {
            @Override
            public void await(long statementMillis)
                    throws IOException, InterruptedException
            {
                // a statement has just ended, so this is the APPEND of another, unless that was very fast
                Path next = folder.resolve("snapshot-" + (latest(folder) + 1));
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(600);
                while (!Files.exists(next)) {
                    checkState(System.nanoTime() < end, "%s did not appear", next);
                    Thread.onSpinWait();
                }
                Thread.sleep(delayMillis);
            }

            @Override
            public String description()
            {
                return "%s ms after a publication".formatted(delayMillis);
            }
        };
    }

    private static long latest(Path folder)
            throws IOException
    {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("snapshot-"))
                    .mapToLong(name -> Long.parseLong(name.substring("snapshot-".length())))
                    .max()
                    .orElse(0);
        }
    }
}
