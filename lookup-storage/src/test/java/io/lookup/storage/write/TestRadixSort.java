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

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

final class TestRadixSort
{
    @Test
    void testUnsignedAndStable()
    {
        Random random = new Random(1);
        for (int round = 0; round < 200; round++) {
            int count = random.nextInt(3_000);
            long mask = -1L >>> random.nextInt(64) << random.nextInt(64);
            long[] keys = random.longs(count).map(key -> key & mask).toArray();
            long[] values = LongStream.range(0, count).toArray();
            long[] unsorted = keys.clone();
            List<Integer> expected = IntStream.range(0, count)
                    .boxed()
                    .sorted(Comparator.comparing(index -> unsorted[index], Long::compareUnsigned))
                    .toList();
            RadixSort.sort(keys, values);
            assertThat(values).containsExactly(expected.stream().mapToLong(index -> index).toArray());
            assertThat(keys).containsExactly(expected.stream().mapToLong(index -> unsorted[index]).toArray());
        }
    }

    @Test
    void testEqualKeysStay()
    {
        long[] keys = new long[1_000];
        Arrays.fill(keys, -3);
        long[] values = LongStream.range(0, 1_000).toArray();
        RadixSort.sort(keys, values);
        assertThat(values).isSorted();
        assertThat(keys).containsOnly(-3);
    }
}
