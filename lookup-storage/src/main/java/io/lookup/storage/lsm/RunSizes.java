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
package io.lookup.storage.lsm;

/**
 * Ways to measure a run when runs are compared by size.
 */
public final class RunSizes
{
    private static final long TINY_RUN_BYTES = 1 << 20;
    // a run below the limit weighs as much as so many of its rows might in a large file, where the footer no longer counts
    private static final long TINY_RUN_BYTES_PER_ROW = 64;

    private RunSizes() {}

    public static long bytes(SortedRun run)
    {
        return run.totalSize();
    }

    /**
     * Bytes, except that runs below 1 MiB are measured by their rows: the size of a tiny file is mostly that of its
     * footer, and a writer's version string would decide what is merged.
     */
    public static long bytesOrRowsIfTiny(SortedRun run)
    {
        long bytes = run.totalSize();
        if (bytes >= TINY_RUN_BYTES) {
            return bytes;
        }
        return Math.min(run.rowCount() * TINY_RUN_BYTES_PER_ROW, TINY_RUN_BYTES);
    }
}
