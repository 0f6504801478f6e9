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

import io.lookup.storage.format.manifest.DataFileMeta;

import static com.google.common.base.Preconditions.checkArgument;

/**
 * What it costs to look up keys in a data file, in nanoseconds of processor time on one core; only the proportions matter. A row costs by
 * its columns, each of which is decoded and written by itself, and by its bytes in the file, which stand for what is decompressed
 * and copied. The factors are from {@code LookupWayBenchmark}, which measures rows of 2 to 40 columns and 8 to 160 bytes: they were fitted by hand
 * and meet most of its figures within a half (a scan of many columns with few values is thought twice too dear), brought to the speed of a machine that scans rows of six columns and 48 bytes in 150 ns.
 *
 * @param rows rows of the file
 * @param columns columns of a row that a lookup reads
 * @param rowBytes bytes of these columns in a row of the file, compressed
 */
public record LookupCosts(long rows, int columns, double rowBytes)
{
    /**
     * Rows of a page of our own files; files of other writers have larger ones, or none that can be read alone.
     */
    private static final int PAGE_ROWS = 1_000;
    /**
     * Opening a data file, with its footer in memory.
     */
    private static final double FILE_NANOS = 1_000_000;

    /**
     * Reading a row in a scan, and comparing its key.
     */
    private static final double SCAN_NANOS_PER_ROW = 50;
    private static final double SCAN_NANOS_PER_COLUMN = 3;
    private static final double SCAN_NANOS_PER_BYTE = 1.5;

    /**
     * A page that is read for one of its rows costs nearly what it costs in a scan: most of that is decompression.
     */
    private static final double PAGES_SHARE_OF_SCAN = 0.75;
    /**
     * Finding the pages of a key, and taking its values out of them.
     */
    private static final double PAGES_NANOS_PER_KEY = 10_000;
    /**
     * Reading a page's place in each column's index.
     */
    private static final double PAGES_NANOS_PER_PAGE_OF_FILE = 2_000;

    /**
     * Reading a block of a copy and finding a key in it.
     */
    private static final double LOCAL_NANOS_PER_KEY = 2_000;
    private static final double LOCAL_NANOS_PER_FILE = 100_000;

    /**
     * Writing a row into a copy, beside the scan: its key, its values, and compressing the block.
     */
    private static final double WRITE_NANOS_PER_ROW = 120;
    private static final double WRITE_NANOS_PER_COLUMN = 17;
    private static final double WRITE_NANOS_PER_BYTE = 2.3;

    public LookupCosts
    {
        checkArgument(rows >= 0, "rows is negative");
        checkArgument(columns > 0, "columns is not positive");
        checkArgument(rowBytes >= 0, "rowBytes is negative");
    }

    /**
     * @param columns how many columns of the file are read
     * @param allColumns how many it has, of which all are taken to be of one size
     */
    static LookupCosts of(DataFileMeta file, int columns, int allColumns)
    {
        return new LookupCosts(file.rowCount(), columns, (double) file.fileSize() / Math.max(1, file.rowCount()) * columns / allColumns);
    }

    /**
     * The cheaper of pages and scan, see {@link #pagesNanos}.
     */
    double nanosWithoutCopy(long spannedRows, long keys)
    {
        return Math.min(pagesNanos(spannedRows, keys), scanNanos());
    }

    double localNanos(long keys)
    {
        return LOCAL_NANOS_PER_FILE + keys * LOCAL_NANOS_PER_KEY;
    }

    double scanNanos()
    {
        return FILE_NANOS + rows * scanNanosPerRow();
    }

    /**
     * @param spannedRows rows from the first to the last of the keys
     * @param keys spread evenly over those rows
     */
    double pagesNanos(long spannedRows, long keys)
    {
        double pages = Math.max(1, spannedRows / (double) PAGE_ROWS);
        // keys that fall into one page share it
        double touched = pages * (1 - Math.exp(-keys / pages));
        return FILE_NANOS
                + touched * Math.min(rows, PAGE_ROWS) * scanNanosPerRow() * PAGES_SHARE_OF_SCAN
                + keys * PAGES_NANOS_PER_KEY
                + Math.max(1, rows / (double) PAGE_ROWS) * PAGES_NANOS_PER_PAGE_OF_FILE;
    }

    /**
     * Making a copy: a scan, and writing the rows.
     */
    double copyNanos()
    {
        return scanNanos() + rows * (WRITE_NANOS_PER_ROW + columns * WRITE_NANOS_PER_COLUMN + rowBytes * WRITE_NANOS_PER_BYTE);
    }

    private double scanNanosPerRow()
    {
        return SCAN_NANOS_PER_ROW + columns * SCAN_NANOS_PER_COLUMN + rowBytes * SCAN_NANOS_PER_BYTE;
    }
}
