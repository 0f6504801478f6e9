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
 * Chooses the way of looking up keys in a data file by what each is expected to cost, see {@link LookupCosts}.
 */
public final class LookupWayChooser
{
    public static final LookupWayChooser BY_COST = new LookupWayChooser(Optional.empty());

    private final Optional<LookupWay> forced;

    private LookupWayChooser(Optional<LookupWay> forced)
    {
        this.forced = requireNonNull(forced, "forced is null");
    }

    /**
     * Always this way, where a file allows it; for tests. A copy that is missing is then made at once.
     */
    public static LookupWayChooser always(LookupWay way)
    {
        return new LookupWayChooser(Optional.of(way));
    }

    /**
     * Among what is possible now: only a copy that is there is looked into.
     *
     * @param spannedRows rows from the first to the last of the keys, as far as that is known
     * @param keys how many keys are looked for in the file, spread evenly over those rows
     */
    public LookupWay choose(LookupCosts costs, long spannedRows, long keys, LocalCopy copy)
    {
        if (forced.isPresent()) {
            return forced.get();
        }
        if (copy == LocalCopy.PRESENT && costs.localNanos(keys) < costs.nanosWithoutCopy(spannedRows, keys)) {
            return LookupWay.LOCAL;
        }
        return costs.pagesNanos(spannedRows, keys) < costs.scanNanos() ? LookupWay.PAGES : LookupWay.SCAN;
    }

    /**
     * Whether to have a copy made for the lookups that may follow. Nobody knows what comes: to make a copy once as much was spent on doing
     * without one costs at most twice what the wise would have paid.
     *
     * @param spentNanos what looking into this file without a copy of it has cost, this time included, since a copy was asked for last
     */
    boolean paysCopy(LookupCosts costs, long spannedRows, long keys, LocalCopy copy, double spentNanos)
    {
        return forced.isEmpty()
                && copy == LocalCopy.ABSENT
                && spentNanos > costs.copyNanos()
                && costs.localNanos(keys) < costs.nanosWithoutCopy(spannedRows, keys);
    }

    /**
     * Whether a copy that is missing is made at once.
     */
    boolean waitsForCopies()
    {
        return forced.isPresent();
    }
}
