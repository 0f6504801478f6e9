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

/**
 * Sorts pairs of numbers by the first one as an unsigned number, those with equal ones staying in their order: byte by byte from the lowest, where the
 * time grows with the number of pairs alone. Bytes that are the same in all numbers cost nothing, as the upper ones of most keys are.
 */
final class RadixSort
{
    private static final int DIGITS = Long.BYTES;
    private static final int VALUES = 1 << Byte.SIZE;

    private RadixSort() {}

    /**
     * Sorts in place. Needs room for as many pairs again.
     */
    static void sort(long[] keys, long[] values)
    {
        int count = keys.length;
        int[][] ends = new int[DIGITS][VALUES];
        for (long key : keys) {
            for (int digit = 0; digit < DIGITS; digit++) {
                ends[digit][digit(key, digit)]++;
            }
        }
        long[] fromKeys = keys;
        long[] fromValues = values;
        long[] toKeys = null;
        long[] toValues = null;
        for (int digit = 0; digit < DIGITS; digit++) {
            int[] starts = ends[digit];
            if (count == 0 || starts[digit(keys[0], digit)] == count) {
                continue;
            }
            if (toKeys == null) {
                toKeys = new long[count];
                toValues = new long[count];
            }
            int start = 0;
            for (int value = 0; value < VALUES; value++) {
                int size = starts[value];
                starts[value] = start;
                start += size;
            }
            for (int index = 0; index < count; index++) {
                long key = fromKeys[index];
                int target = starts[digit(key, digit)]++;
                toKeys[target] = key;
                toValues[target] = fromValues[index];
            }
            long[] swap = fromKeys;
            fromKeys = toKeys;
            toKeys = swap;
            swap = fromValues;
            fromValues = toValues;
            toValues = swap;
        }
        if (fromKeys != keys) {
            System.arraycopy(fromKeys, 0, keys, 0, count);
            System.arraycopy(fromValues, 0, values, 0, count);
        }
    }

    private static int digit(long key, int digit)
    {
        return (int) (key >>> digit * Byte.SIZE) & 0xFF;
    }
}
