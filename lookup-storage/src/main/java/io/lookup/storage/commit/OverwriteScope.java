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
package io.lookup.storage.commit;

import com.google.common.collect.ImmutableSet;
import io.lookup.storage.format.row.BinaryRow;

import java.util.Collection;
import java.util.Optional;
import java.util.Set;

import static java.util.Objects.requireNonNull;

/**
 * What an overwrite empties before it adds its own files.
 *
 * @param partitions empty optional: the whole table
 */
public record OverwriteScope(Optional<Set<BinaryRow>> partitions)
{
    public OverwriteScope
    {
        requireNonNull(partitions, "partitions is null");
        partitions = partitions.map(ImmutableSet::copyOf);
    }

    public static OverwriteScope wholeTable()
    {
        return new OverwriteScope(Optional.empty());
    }

    public static OverwriteScope partitions(Collection<BinaryRow> partitions)
    {
        return new OverwriteScope(Optional.of(ImmutableSet.copyOf(partitions)));
    }

    public boolean contains(BinaryRow partition)
    {
        return partitions.isEmpty() || partitions.get().contains(partition);
    }
}
