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
package io.lookup.storage.write;

import io.lookup.storage.format.keyvalue.EncodedKeys;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.merge.KeyGroups;
import io.lookup.storage.merge.MergeOrder;
import io.trino.spi.Page;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static it.unimi.dsi.fastutil.Arrays.quickSort;
import static java.util.Objects.requireNonNull;

/**
 * Rows of one bucket as they arrive, and their order by key and then by merge order. Rows are addressed by page and
 * position; only two longs a row are sorted. Not thread-safe.
 */
final class RowBuffer
{
    // the two longs of a row, and as many while they are sorted
    private static final int BYTES_PER_ROW = 4 * Long.BYTES;

    private final int[] keyChannels;
    private final KeyEncoder keyEncoder;
    private final MergeOrder mergeOrder;

    private final List<Page> pages = new ArrayList<>();
    private final List<EncodedKeys> keys = new ArrayList<>();
    // mean of each page
    private long[] rowBytes = new long[64];
    private long pageBytes;
    private int rowCount;

    RowBuffer(KeyValueLayout layout, KeyEncoder keyEncoder)
    {
        this.keyChannels = layout.keyChannelArray();
        this.keyEncoder = requireNonNull(keyEncoder, "keyEncoder is null");
        this.mergeOrder = new MergeOrder(layout);
    }

    /**
     * The rows of a page are put in order here, while they are in the processor's cache: later the rows of all pages are copied in the order of
     * their keys, which then goes through each page from its start to its end.
     */
    void add(Page page)
    {
        EncodedKeys pageKeys = keyEncoder.encode(page, keyChannels);
        if (!isSorted(pageKeys)) {
            int[] order = order(pageKeys);
            page = page.copyPositions(order, 0, order.length);
            pageKeys = pageKeys.copyPositions(order);
        }
        pages.add(page);
        keys.add(pageKeys);
        if (pages.size() > rowBytes.length) {
            rowBytes = Arrays.copyOf(rowBytes, rowBytes.length * 2);
        }
        rowBytes[pages.size() - 1] = page.getSizeInBytes() / Math.max(page.getPositionCount(), 1);
        pageBytes += page.getRetainedSizeInBytes() + pageKeys.sizeInBytes();
        rowCount += page.getPositionCount();
    }

    private static boolean isSorted(EncodedKeys keys)
    {
        for (int position = 1; position < keys.count(); position++) {
            if (Long.compareUnsigned(keys.prefix(position - 1), keys.prefix(position)) > 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * By the keys' prefixes, equal ones as they came.
     */
    private static int[] order(EncodedKeys keys)
    {
        long[] prefixes = new long[keys.count()];
        long[] positions = new long[keys.count()];
        for (int position = 0; position < prefixes.length; position++) {
            prefixes[position] = keys.prefix(position);
            positions[position] = position;
        }
        RadixSort.sort(prefixes, positions);
        int[] order = new int[positions.length];
        for (int index = 0; index < order.length; index++) {
            order[index] = (int) positions[index];
        }
        return order;
    }

    int rowCount()
    {
        return rowCount;
    }

    /**
     * Bytes held now and while sorting.
     */
    long memoryUsage()
    {
        return pageBytes + (long) rowCount * BYTES_PER_ROW;
    }

    void clear()
    {
        pages.clear();
        keys.clear();
        pageBytes = 0;
        rowCount = 0;
    }

    SortedRows sort()
    {
        long[] prefixes = new long[rowCount];
        long[] addresses = new long[rowCount];
        int row = 0;
        boolean sorted = true;
        for (int pageIndex = 0; pageIndex < pages.size(); pageIndex++) {
            EncodedKeys pageKeys = keys.get(pageIndex);
            for (int position = 0; position < pageKeys.count(); position++) {
                prefixes[row] = pageKeys.prefix(position);
                addresses[row] = ((long) pageIndex << Integer.SIZE) | position;
                if (sorted && row > 0) {
                    sorted = compare(prefixes, addresses, row - 1, row) <= 0;
                }
                row++;
            }
        }
        if (!sorted) {
            RadixSort.sort(prefixes, addresses);
            sortEqualPrefixes(prefixes, addresses);
        }
        return new SortedRows(addresses);
    }

    private void sortEqualPrefixes(long[] prefixes, long[] addresses)
    {
        int start = 0;
        while (start < addresses.length) {
            int end = start + 1;
            boolean sorted = true;
            while (end < addresses.length && prefixes[end] == prefixes[start]) {
                sorted = sorted && compare(prefixes, addresses, end - 1, end) <= 0;
                end++;
            }
            if (!sorted) {
                quickSort(
                        start,
                        end,
                        (left, right) -> compare(prefixes, addresses, left, right),
                        (left, right) -> {
                            // the prefixes are equal
                            long address = addresses[left];
                            addresses[left] = addresses[right];
                            addresses[right] = address;
                        });
            }
            start = end;
        }
    }

    private int compare(long[] prefixes, long[] addresses, int left, int right)
    {
        int result = Long.compareUnsigned(prefixes[left], prefixes[right]);
        if (result != 0) {
            return result;
        }
        long leftAddress = addresses[left];
        long rightAddress = addresses[right];
        result = compareKeys(leftAddress, rightAddress);
        if (result != 0) {
            return result;
        }
        result = mergeOrder.compare(page(leftAddress), position(leftAddress), page(rightAddress), position(rightAddress));
        if (result != 0) {
            return result;
        }
        return Long.compare(leftAddress, rightAddress);
    }

    private int compareKeys(long leftAddress, long rightAddress)
    {
        return keys.get(pageIndex(leftAddress)).compare(position(leftAddress), keys.get(pageIndex(rightAddress)), position(rightAddress));
    }

    private Page page(long address)
    {
        return pages.get(pageIndex(address));
    }

    private static int pageIndex(long address)
    {
        return (int) (address >>> Integer.SIZE);
    }

    private static int position(long address)
    {
        return (int) address;
    }

    /**
     * The buffer's rows in order, handed out as groups of one key each.
     */
    final class SortedRows
    {
        private final long[] addresses;
        private int next;

        private SortedRows(long[] addresses)
        {
            this.addresses = requireNonNull(addresses, "addresses is null");
        }

        /**
         * @param maxBytes the size of rows after which no further key is added
         * @return false if no rows are left, the groups then being empty
         */
        boolean nextBatch(KeyGroups groups, int maxGroups, long maxBytes)
        {
            groups.clear();
            long bytes = 0;
            while (next < addresses.length && groups.groupCount() < maxGroups && bytes < maxBytes) {
                long first = addresses[next];
                EncodedKeys firstKeys = keys.get(pageIndex(first));
                groups.beginGroup(firstKeys, position(first));
                do {
                    long address = addresses[next];
                    groups.addRow(page(address), position(address), 0);
                    bytes += rowBytes[pageIndex(address)];
                    next++;
                }
                while (next < addresses.length && compareKeys(first, addresses[next]) == 0);
            }
            return groups.groupCount() > 0;
        }
    }
}
