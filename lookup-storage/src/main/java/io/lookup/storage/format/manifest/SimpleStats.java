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
package io.lookup.storage.format.manifest;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.row.BinaryRow;

import java.util.List;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * Column statistics of a file or of a manifest's partitions.
 *
 * @param minValues one value a statistics column, null where unknown
 * @param maxValues likewise
 * @param nullCounts one entry a statistics column, empty where unknown
 */
public record SimpleStats(BinaryRow minValues, BinaryRow maxValues, List<Optional<Long>> nullCounts)
{
    public static final SimpleStats EMPTY = new SimpleStats(BinaryRow.EMPTY, BinaryRow.EMPTY, ImmutableList.of());

    public SimpleStats
    {
        requireNonNull(minValues, "minValues is null");
        requireNonNull(maxValues, "maxValues is null");
        nullCounts = ImmutableList.copyOf(nullCounts);
    }
}
