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
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class TestLookupWayChooser
{
    private static final LookupWayChooser CHOOSER = LookupWayChooser.BY_COST;

    @Test
    void testNeighbouringKeys()
    {
        // as many keys cost a scan where they are spread, and a few pages where they lie beside each other
        assertThat(CHOOSER.choose(3_000_000, 3_000_000, 20_000, LocalCopy.IMPOSSIBLE, 0)).isEqualTo(LookupWay.SCAN);
        assertThat(CHOOSER.choose(3_000_000, 6_000, 3_000, LocalCopy.IMPOSSIBLE, 0)).isEqualTo(LookupWay.PAGES);
        assertThat(LookupWayChooser.nanosWithoutCopy(3_000_000, 6_000, 3_000)).isLessThan(LookupWayChooser.nanosWithoutCopy(3_000_000, 3_000_000, 3_000) / 3);
    }

    @Test
    void testFewKeysReadPages()
    {
        assertThat(CHOOSER.choose(10_000_000, 10_000_000, 1, LocalCopy.IMPOSSIBLE, 0)).isEqualTo(LookupWay.PAGES);
        assertThat(CHOOSER.choose(10_000_000, 10_000_000, 1_000, LocalCopy.IMPOSSIBLE, 0)).isEqualTo(LookupWay.PAGES);
        assertThat(CHOOSER.choose(1_000_000, 1_000_000, 100, LocalCopy.IMPOSSIBLE, 0)).isEqualTo(LookupWay.PAGES);
    }

    @Test
    void testManyKeysScan()
    {
        assertThat(CHOOSER.choose(10_000_000, 10_000_000, 1_000_000, LocalCopy.IMPOSSIBLE, 0)).isEqualTo(LookupWay.SCAN);
        assertThat(CHOOSER.choose(2_000_000, 2_000_000, 100_000, LocalCopy.IMPOSSIBLE, 0)).isEqualTo(LookupWay.SCAN);
        assertThat(CHOOSER.choose(1_000_000, 1_000_000, 1_000_000, LocalCopy.IMPOSSIBLE, 0)).isEqualTo(LookupWay.SCAN);
    }

    @Test
    void testSmallFileIsScanned()
    {
        assertThat(CHOOSER.choose(100, 100, 50, LocalCopy.IMPOSSIBLE, 0)).isEqualTo(LookupWay.SCAN);
        assertThat(CHOOSER.choose(1_000, 1_000, 1, LocalCopy.IMPOSSIBLE, 0)).isEqualTo(LookupWay.PAGES);
    }

    @Test
    void testCostGrowsWithKeys()
    {
        for (long rows : new long[] {1, 1_000, 1_000_000, 1_000_000_000}) {
            double last = 0;
            for (long keys = 1; keys <= rows * 10; keys *= 7) {
                double nanos = LookupWayChooser.pagesNanos(rows, rows, keys);
                assertThat(nanos).isGreaterThan(last);
                last = nanos;
            }
            // once pages are chosen no longer, more keys do not bring them back
            assertThat(CHOOSER.choose(rows, rows, rows, LocalCopy.IMPOSSIBLE, 0)).isEqualTo(LookupWay.SCAN);
        }
    }

    @Test
    void testCopyThatIsThere()
    {
        assertThat(CHOOSER.choose(10_000_000, 10_000_000, 1_000, LocalCopy.PRESENT, 0)).isEqualTo(LookupWay.LOCAL);
        // a scan reads what nearly all blocks of the copy have
        assertThat(CHOOSER.choose(1_000_000, 1_000_000, 1_000_000, LocalCopy.PRESENT, 0)).isEqualTo(LookupWay.SCAN);
    }

    @Test
    void testCopyIsMadeOnceItWouldHavePaid()
    {
        long rows = 1_000_000;
        double spent = 0;
        int lookups = 0;
        while (CHOOSER.choose(rows, rows, 1_000, LocalCopy.ABSENT, spent) != LookupWay.LOCAL) {
            spent += LookupWayChooser.nanosWithoutCopy(rows, rows, 1_000);
            lookups++;
        }
        assertThat(lookups).isBetween(1, 20);
        assertThat(spent).isLessThan(rows * LookupWayChooser.COPY_NANOS_PER_ROW);
        assertThat(CHOOSER.choose(rows, rows, 1_000, LocalCopy.IMPOSSIBLE, spent * 100)).isEqualTo(LookupWay.PAGES);
    }

    @Test
    void testForcedWay()
    {
        assertThat(LookupWayChooser.always(LookupWay.PAGES).choose(100, 100, 100, LocalCopy.IMPOSSIBLE, 0)).isEqualTo(LookupWay.PAGES);
        assertThat(LookupWayChooser.always(LookupWay.SCAN).choose(10_000_000, 10_000_000, 1, LocalCopy.IMPOSSIBLE, 0)).isEqualTo(LookupWay.SCAN);
    }
}
