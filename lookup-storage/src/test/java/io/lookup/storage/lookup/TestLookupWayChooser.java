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
import io.lookup.storage.lookup.LookupFileReader.LocalCopy;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

final class TestLookupWayChooser
{
    private static final LookupWayChooser CHOOSER = LookupWayChooser.BY_COST;

    @Test
    void testNeighbouringKeys()
    {
        // as many keys cost a scan where they are spread, and a few pages where they lie beside each other
        assertThat(CHOOSER.choose(six(3_000_000), 3_000_000, 20_000, LocalCopy.IMPOSSIBLE)).isEqualTo(LookupWay.SCAN);
        assertThat(CHOOSER.choose(six(3_000_000), 6_000, 3_000, LocalCopy.IMPOSSIBLE)).isEqualTo(LookupWay.PAGES);
        assertThat(six(3_000_000).nanosWithoutCopy(6_000, 3_000)).isLessThan(six(3_000_000).nanosWithoutCopy(3_000_000, 3_000) / 3);
    }

    @Test
    void testFewKeysReadPages()
    {
        assertThat(CHOOSER.choose(six(10_000_000), 10_000_000, 1, LocalCopy.IMPOSSIBLE)).isEqualTo(LookupWay.PAGES);
        assertThat(CHOOSER.choose(six(10_000_000), 10_000_000, 1_000, LocalCopy.IMPOSSIBLE)).isEqualTo(LookupWay.PAGES);
        assertThat(CHOOSER.choose(six(1_000_000), 1_000_000, 100, LocalCopy.IMPOSSIBLE)).isEqualTo(LookupWay.PAGES);
    }

    @Test
    void testManyKeysScan()
    {
        assertThat(CHOOSER.choose(six(10_000_000), 10_000_000, 1_000_000, LocalCopy.IMPOSSIBLE)).isEqualTo(LookupWay.SCAN);
        assertThat(CHOOSER.choose(six(2_000_000), 2_000_000, 100_000, LocalCopy.IMPOSSIBLE)).isEqualTo(LookupWay.SCAN);
        assertThat(CHOOSER.choose(six(1_000_000), 1_000_000, 1_000_000, LocalCopy.IMPOSSIBLE)).isEqualTo(LookupWay.SCAN);
    }

    @Test
    void testSmallFileIsScanned()
    {
        assertThat(CHOOSER.choose(six(100), 100, 50, LocalCopy.IMPOSSIBLE)).isEqualTo(LookupWay.SCAN);
        assertThat(CHOOSER.choose(six(1_000), 1_000, 1, LocalCopy.IMPOSSIBLE)).isEqualTo(LookupWay.PAGES);
    }

    @Test
    void testCostGrowsWithKeys()
    {
        for (long rows : new long[] {1, 1_000, 1_000_000, 1_000_000_000}) {
            double last = 0;
            for (long keys = 1; keys <= rows * 10; keys *= 7) {
                double nanos = six(rows).pagesNanos(rows, keys);
                assertThat(nanos).isGreaterThan(last);
                last = nanos;
            }
            // once pages are chosen no longer, more keys do not bring them back
            assertThat(CHOOSER.choose(six(rows), rows, rows, LocalCopy.IMPOSSIBLE)).isEqualTo(LookupWay.SCAN);
        }
    }

    @Test
    void testCopyThatIsThere()
    {
        assertThat(CHOOSER.choose(six(10_000_000), 10_000_000, 1_000, LocalCopy.PRESENT)).isEqualTo(LookupWay.LOCAL);
        // a scan reads what nearly all blocks of the copy have
        assertThat(CHOOSER.choose(six(1_000_000), 1_000_000, 1_000_000, LocalCopy.PRESENT)).isEqualTo(LookupWay.SCAN);
    }

    @Test
    void testCopyIsMadeOnceItWouldHavePaid()
    {
        LookupCosts costs = six(1_000_000);
        double spent = 0;
        int lookups = 0;
        do {
            // one that is to be made is no way yet
            assertThat(CHOOSER.choose(costs, costs.rows(), 1_000, LocalCopy.ABSENT)).isEqualTo(LookupWay.PAGES);
            spent += costs.nanosWithoutCopy(costs.rows(), 1_000);
            lookups++;
        }
        while (!CHOOSER.paysCopy(costs, costs.rows(), 1_000, LocalCopy.ABSENT, spent));
        assertThat(lookups).isBetween(2, 20);
        assertThat(spent - costs.nanosWithoutCopy(costs.rows(), 1_000)).isLessThanOrEqualTo(costs.copyNanos());
        assertThat(CHOOSER.paysCopy(costs, costs.rows(), 1_000, LocalCopy.IMPOSSIBLE, spent * 100)).isFalse();
        assertThat(CHOOSER.paysCopy(costs, costs.rows(), 1_000, LocalCopy.PRESENT, spent * 100)).isFalse();
        // who looks up so much would not look into it
        assertThat(CHOOSER.paysCopy(costs, costs.rows(), 1_000_000, LocalCopy.ABSENT, spent * 100)).isFalse();
    }

    @Test
    void testWiderRowsCostMore()
    {
        LookupCosts narrow = new LookupCosts(1_000_000, 2, 8);
        LookupCosts six = six(1_000_000);
        LookupCosts lineitem = new LookupCosts(1_000_000, 16, 56);
        LookupCosts text = new LookupCosts(1_000_000, 2, 160);
        assertThat(six.copyNanos() / narrow.copyNanos()).isBetween(1.3, 2.5);
        assertThat(lineitem.copyNanos() / six.copyNanos()).isBetween(1.2, 2.0);
        assertThat(text.copyNanos() / narrow.copyNanos()).isBetween(2.0, 5.0);
        for (LookupCosts costs : List.of(narrow, six, lineitem, text)) {
            assertThat(costs.copyNanos()).isGreaterThan(2 * costs.scanNanos());
            assertThat(costs.pagesNanos(1_000_000, 1)).isLessThan(costs.scanNanos() / 10);
        }
        // of 16 columns only the two of the key are read
        DataFileMeta file = LookupFiles.ofIntegers(1, false).file("file", 5, LookupFiles.Row.row(1, 1), LookupFiles.Row.row(9, 9), 50);
        assertThat(LookupCosts.of(file, 16, 16)).isEqualTo(new LookupCosts(50, 16, 2));
        assertThat(LookupCosts.of(file, 2, 16)).isEqualTo(new LookupCosts(50, 2, 0.25));
    }

    @Test
    void testForcedWay()
    {
        assertThat(LookupWayChooser.always(LookupWay.PAGES).choose(six(100), 100, 100, LocalCopy.IMPOSSIBLE)).isEqualTo(LookupWay.PAGES);
        assertThat(LookupWayChooser.always(LookupWay.SCAN).choose(six(10_000_000), 10_000_000, 1, LocalCopy.IMPOSSIBLE)).isEqualTo(LookupWay.SCAN);
        assertThat(LookupWayChooser.always(LookupWay.LOCAL).choose(six(100), 100, 1, LocalCopy.ABSENT)).isEqualTo(LookupWay.LOCAL);
        assertThat(LookupWayChooser.always(LookupWay.LOCAL).waitsForCopies()).isTrue();
        assertThat(CHOOSER.waitsForCopies()).isFalse();
        assertThat(LookupWayChooser.always(LookupWay.PAGES).paysCopy(six(1_000_000), 1_000_000, 1_000, LocalCopy.ABSENT, 1e12)).isFalse();
    }

    /**
     * Six columns, 48 bytes.
     */
    private static LookupCosts six(long rows)
    {
        return new LookupCosts(rows, 6, 48);
    }
}
