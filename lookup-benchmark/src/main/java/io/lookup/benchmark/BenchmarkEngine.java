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

import io.trino.spi.Page;

import java.util.List;

/**
 * A table of {@link BenchmarkRows} in one engine.
 */
interface BenchmarkEngine
        extends AutoCloseable
{
    String name();

    /**
     * One statement, committed with its compaction and changelog when the call returns.
     */
    void write(List<Page> pages)
            throws Exception;

    /**
     * Drops what the process keeps between statements: caches, open writers, local files.
     */
    default void forget()
            throws Exception {}

    /**
     * Waits for what goes on behind statements, which have ended.
     */
    default void settle()
            throws Exception {}

    /**
     * Reads all rows and touches every value.
     */
    default ScanResult scan()
            throws Exception
    {
        return scan(Selection.ALL);
    }

    /**
     * Reads the rows of the selection, with what the engine has to leave out others, and touches every value.
     */
    ScanResult scan(Selection selection)
            throws Exception;

    /**
     * Reads all rows and takes a checksum of all bytes that does not depend on their order.
     */
    ScanResult checksum()
            throws Exception;

    /**
     * Changelog rows of all snapshots.
     */
    long changelogRows()
            throws Exception;

    @Override
    void close()
            throws Exception;

    /**
     * @param columns indexes of the columns that are read, ascending
     * @param filterColumn one of them, whose value is a number
     * @param min least value of the wanted rows
     * @param max greatest value of the wanted rows
     */
    record Selection(List<Integer> columns, int filterColumn, long min, long max)
    {
        static final Selection ALL = new Selection(List.of(0, 1, 2, 3, 4, 5), 0, Long.MIN_VALUE, Long.MAX_VALUE);

        boolean isFiltered()
        {
            return min > Long.MIN_VALUE || max < Long.MAX_VALUE;
        }
    }

    /**
     * @param sum of what was touched; the same for the same rows
     */
    record ScanResult(long rows, long sum) {}
}
