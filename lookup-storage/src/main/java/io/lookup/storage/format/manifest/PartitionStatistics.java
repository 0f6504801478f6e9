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
import io.lookup.storage.format.row.BinaryRowDecoder;
import io.lookup.storage.format.row.BinaryRowEncoder;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TypeRoot;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * Collects the bounds of partition values: exact, null where all values are null. Not thread-safe.
 */
final class PartitionStatistics
{
    private final List<DataType> types;
    private final BinaryRowDecoder decoder;
    private final Object[] min;
    private final Object[] max;
    private final long[] nullCounts;
    private BinaryRow last;
    private long lastCount;

    PartitionStatistics(List<DataType> types)
    {
        // as varchar, chars keep their blanks on the way in and out; the stored form is the same
        this.types = types.stream().map(PartitionStatistics::charAsVarchar).collect(toImmutableList());
        this.decoder = new BinaryRowDecoder(this.types);
        this.min = new Object[types.size()];
        this.max = new Object[types.size()];
        this.nullCounts = new long[types.size()];
    }

    void add(BinaryRow partition)
    {
        if (partition.equals(last)) {
            lastCount++;
            return;
        }
        flush();
        last = partition;
        lastCount = 1;
    }

    private void flush()
    {
        if (last == null) {
            return;
        }
        for (int field = 0; field < min.length; field++) {
            Object value = decoder.value(last, field);
            if (value == null) {
                nullCounts[field] += lastCount;
                continue;
            }
            if (min[field] == null || compare(types.get(field), value, min[field]) < 0) {
                min[field] = value;
            }
            if (max[field] == null || compare(types.get(field), value, max[field]) > 0) {
                max[field] = value;
            }
        }
        last = null;
    }

    SimpleStats build()
    {
        flush();
        if (min.length == 0) {
            return SimpleStats.EMPTY;
        }
        BinaryRowEncoder encoder = new BinaryRowEncoder(types);
        ImmutableList.Builder<Optional<Long>> counts = ImmutableList.builder();
        for (long nullCount : nullCounts) {
            counts.add(Optional.of(nullCount));
        }
        return new SimpleStats(encoder.encodeValues(Arrays.asList(min)), encoder.encodeValues(Arrays.asList(max)), counts.build());
    }

    /**
     * Whether a manifest with these statistics may have an entry of one of the partitions.
     */
    static boolean mayContain(List<DataType> partitionTypes, SimpleStats stats, Collection<BinaryRow> partitions)
    {
        if (partitionTypes.isEmpty() || stats.minValues().arity() != partitionTypes.size() || stats.maxValues().arity() != partitionTypes.size()) {
            return !partitions.isEmpty();
        }
        List<DataType> types = partitionTypes.stream().map(PartitionStatistics::charAsVarchar).collect(toImmutableList());
        BinaryRowDecoder decoder = new BinaryRowDecoder(types);
        return partitions.stream().anyMatch(partition -> {
            for (int field = 0; field < types.size(); field++) {
                if (!mayContain(types.get(field), decoder, stats, field, decoder.value(partition, field))) {
                    return false;
                }
            }
            return true;
        });
    }

    private static boolean mayContain(DataType type, BinaryRowDecoder decoder, SimpleStats stats, int field, Object value)
    {
        Optional<Long> nullCount = field < stats.nullCounts().size() ? stats.nullCounts().get(field) : Optional.empty();
        if (value == null) {
            return nullCount.isEmpty() || nullCount.get() > 0;
        }
        Object min = decoder.value(stats.minValues(), field);
        Object max = decoder.value(stats.maxValues(), field);
        if (min == null || max == null) {
            // nothing but nulls, unless the bounds are unknown
            return nullCount.isEmpty() || nullCount.get() == 0;
        }
        return compare(type, min, value) <= 0 && compare(type, value, max) <= 0;
    }

    @SuppressWarnings("unchecked")
    private static int compare(DataType type, Object left, Object right)
    {
        if (type.root() == TypeRoot.FLOAT) {
            return Float.compare(Float.intBitsToFloat((int) (long) left), Float.intBitsToFloat((int) (long) right));
        }
        return ((Comparable<Object>) left).compareTo(right);
    }

    private static DataType charAsVarchar(DataType type)
    {
        return type.root() == TypeRoot.CHAR ? new ScalarType(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH, 0, type.nullable()) : type;
    }
}
