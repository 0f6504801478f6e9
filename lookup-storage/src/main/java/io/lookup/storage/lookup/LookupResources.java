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

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

import static java.util.Objects.requireNonNull;

/**
 * What the lookups of one node share. Thread-safe.
 */
public final class LookupResources
{
    private static final int SPENT_ENTRIES = 10_000;

    private final LookupWayChooser chooser;
    // what was spent on looking into files without a copy, by their names, which no two files have
    private final Cache<String, Double> spentNanos = Caffeine.newBuilder().maximumSize(SPENT_ENTRIES).build();
    private final LookupWayStatistics statistics = new LookupWayStatistics();

    public LookupResources()
    {
        this(LookupWayChooser.BY_COST);
    }

    public LookupResources(LookupWayChooser chooser)
    {
        this.chooser = requireNonNull(chooser, "chooser is null");
    }

    LookupWayChooser chooser()
    {
        return chooser;
    }

    double spentNanos(String fileName)
    {
        Double nanos = spentNanos.getIfPresent(fileName);
        return nanos == null ? 0 : nanos;
    }

    void spend(String fileName, double nanos)
    {
        spentNanos.asMap().merge(fileName, nanos, Double::sum);
    }

    /**
     * What was spent is taken for a copy: if that one fails or is given up, as much has to be spent again before the next.
     */
    void forget(String fileName)
    {
        spentNanos.invalidate(fileName);
    }

    public LookupWayStatistics statistics()
    {
        return statistics;
    }
}
