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
package io.lookup.storage.scan;

import com.google.common.collect.ImmutableSet;
import io.trino.spi.predicate.TupleDomain;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

import static java.util.Objects.requireNonNull;

/**
 * What a scan may leave out. Partition columns and buckets are filtered exactly; the rest of the predicate only
 * skips files and parts of files, so that the caller filters the rows.
 *
 * @param predicate by field id, over the types of the schema that is read
 * @param buckets empty optional: all
 * @param keyOrder whether the rows of a bucket must ascend by key over its splits, which can cost a merge that the rows do not need
 * @param minLevel lowest level to read; a scan of some levels shows rows that are not the newest of their key
 */
public record ScanFilter(
        TupleDomain<Integer> predicate,
        Optional<Set<Integer>> buckets,
        boolean keyOrder,
        OptionalInt minLevel,
        OptionalInt maxLevel)
{
    public static final ScanFilter ALL = of(TupleDomain.all());

    public ScanFilter
    {
        requireNonNull(predicate, "predicate is null");
        buckets = buckets.map(ImmutableSet::copyOf);
        requireNonNull(minLevel, "minLevel is null");
        requireNonNull(maxLevel, "maxLevel is null");
    }

    public static ScanFilter of(TupleDomain<Integer> predicate)
    {
        return new ScanFilter(predicate, Optional.empty(), false, OptionalInt.empty(), OptionalInt.empty());
    }

    public ScanFilter withBuckets(Set<Integer> buckets)
    {
        return new ScanFilter(predicate, Optional.of(buckets), keyOrder, minLevel, maxLevel);
    }

    public ScanFilter withLevels(OptionalInt minLevel, OptionalInt maxLevel)
    {
        return new ScanFilter(predicate, buckets, keyOrder, minLevel, maxLevel);
    }

    public ScanFilter inKeyOrder()
    {
        return new ScanFilter(predicate, buckets, true, minLevel, maxLevel);
    }
}
