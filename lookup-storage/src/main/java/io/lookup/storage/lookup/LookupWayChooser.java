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
package io.lookup.storage.lookup;

import io.lookup.storage.lookup.LookupFileReader.LocalCopy;

import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * Chooses the way of looking up keys in a data file by what each is expected to cost. The constants are processor time on one core
 * as {@code LookupCostBenchmark} and {@code FileLayoutBenchmark} give it for rows of six columns and 100 bytes; only their
 * proportions matter.
 */
public final class LookupWayChooser
{
    public static final LookupWayChooser BY_COST = new LookupWayChooser(Optional.empty());

    /**
     * Rows of a page of our own files; files of other writers have larger ones, or none that can be read alone.
     */
    static final int PAGE_ROWS = 1_000;
    /**
     * Opening a data file, with its footer in memory.
     */
    static final double FILE_NANOS = 1_000_000;
    /**
     * Reading a row in a scan, all columns, and comparing its key.
     */
    static final double SCAN_NANOS_PER_ROW = 150;
    /**
     * A page that is read for one of its rows costs nearly what it costs in a scan: most of that is decompression.
     */
    static final double PAGES_NANOS_PER_ROW = 110;
    /**
     * Finding the pages of a key, and taking its values out of them.
     */
    static final double PAGES_NANOS_PER_KEY = 20_000;
    /**
     * Reading a page's place in each column's index.
     */
    static final double PAGES_NANOS_PER_PAGE_OF_FILE = 2_000;

    /**
     * Reading a block of a copy and finding a key in it.
     */
    static final double LOCAL_NANOS_PER_KEY = 2_000;
    static final double LOCAL_NANOS_PER_FILE = 100_000;
    /**
     * Making a copy: a scan, and writing the rows.
     */
    static final double COPY_NANOS_PER_ROW = 400;

    private final Optional<LookupWay> forced;

    private LookupWayChooser(Optional<LookupWay> forced)
    {
        this.forced = requireNonNull(forced, "forced is null");
    }

    /**
     * Always this way, where a file allows it; for tests.
     */
    public static LookupWayChooser always(LookupWay way)
    {
        return new LookupWayChooser(Optional.of(way));
    }

    /**
     * @param rows rows of the file
     * @param spannedRows rows from the first to the last of the keys, as far as that is known
     * @param keys how many keys are looked for in it, spread evenly over those rows
     * @param spentNanos what looking into this file without a copy of it has cost so far, see {@link #nanosWithoutCopy}
     */
    public LookupWay choose(long rows, long spannedRows, long keys, LocalCopy copy, double spentNanos)
    {
        if (forced.isPresent()) {
            return forced.get();
        }
        double withoutCopy = nanosWithoutCopy(rows, spannedRows, keys);
        // nobody knows what comes: to make a copy once as much was spent on doing without one costs at most twice what the wise would have paid
        boolean paysCopy = copy == LocalCopy.ABSENT && spentNanos + withoutCopy > rows * COPY_NANOS_PER_ROW;
        if ((copy == LocalCopy.PRESENT || paysCopy) && localNanos(keys) < withoutCopy) {
            return LookupWay.LOCAL;
        }
        return pagesNanos(rows, spannedRows, keys) < scanNanos(rows) ? LookupWay.PAGES : LookupWay.SCAN;
    }

    static double nanosWithoutCopy(long rows, long spannedRows, long keys)
    {
        return Math.min(pagesNanos(rows, spannedRows, keys), scanNanos(rows));
    }

    static double localNanos(long keys)
    {
        return LOCAL_NANOS_PER_FILE + keys * LOCAL_NANOS_PER_KEY;
    }

    static double scanNanos(long rows)
    {
        return FILE_NANOS + rows * SCAN_NANOS_PER_ROW;
    }

    static double pagesNanos(long rows, long spannedRows, long keys)
    {
        double pages = Math.max(1, spannedRows / (double) PAGE_ROWS);
        // keys that fall into one page share it
        double touched = pages * (1 - Math.exp(-keys / pages));
        return FILE_NANOS
                + touched * Math.min(rows, PAGE_ROWS) * PAGES_NANOS_PER_ROW
                + keys * PAGES_NANOS_PER_KEY
                + Math.max(1, rows / (double) PAGE_ROWS) * PAGES_NANOS_PER_PAGE_OF_FILE;
    }
}
