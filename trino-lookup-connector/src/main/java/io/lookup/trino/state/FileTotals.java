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
package io.lookup.trino.state;

import io.lookup.storage.format.PartitionPaths;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.ManifestEntry;

import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.ToIntFunction;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.airlift.slice.Slices.utf8Slice;
import static io.trino.spi.type.Timestamps.MICROSECONDS_PER_MILLISECOND;
import static java.util.Objects.requireNonNull;

/**
 * Rows of {@code "t$partitions"} and {@code "t$buckets"}: what the live files of one partition or bucket add up to.
 *
 * @param bucket not looked at for partitions
 * @param recordCount stored records, of which a key can have several
 * @param lastUpdateMillis when the newest file was made, by its writer's clock and zone; empty if no file tells
 */
record FileTotals(String partition, int bucket, long recordCount, long fileSize, long fileCount, OptionalLong lastUpdateMillis)
{
    FileTotals
    {
        requireNonNull(partition, "partition is null");
        requireNonNull(lastUpdateMillis, "lastUpdateMillis is null");
    }

    static List<FileTotals> byPartition(Iterator<ManifestEntry> files, PartitionPaths partitions)
    {
        return group(files, ManifestEntry::partition, partition -> new FileTotals(partitions.display(partition), 0, 0, 0, 0, OptionalLong.empty()), _ -> 0);
    }

    static List<FileTotals> byBucket(Iterator<ManifestEntry> files, PartitionPaths partitions)
    {
        return group(files, BucketId::of, id -> new FileTotals(partitions.braces(id.partition()), id.bucket(), 0, 0, 0, OptionalLong.empty()), FileTotals::bucket);
    }

    private static <K> List<FileTotals> group(Iterator<ManifestEntry> files, Function<ManifestEntry, K> key, Function<K, FileTotals> empty, ToIntFunction<FileTotals> bucket)
    {
        Map<K, FileTotals> totals = new LinkedHashMap<>();
        files.forEachRemaining(entry -> totals.compute(key.apply(entry), (group, total) -> (total == null ? empty.apply(group) : total).plus(entry.file())));
        return totals.values().stream()
                .sorted(Comparator.comparing(FileTotals::partition).thenComparingInt(bucket))
                .collect(toImmutableList());
    }

    private FileTotals plus(DataFileMeta file)
    {
        OptionalLong lastUpdate = lastUpdateMillis;
        if (file.creationTimeMillis().isPresent() && (lastUpdate.isEmpty() || lastUpdate.getAsLong() < file.creationTimeMillis().getAsLong())) {
            lastUpdate = file.creationTimeMillis();
        }
        return new FileTotals(partition, bucket, recordCount + file.rowCount(), fileSize + file.fileSize(), fileCount + 1, lastUpdate);
    }

    /**
     * @return the native value of a column, or null
     */
    Object value(String column)
    {
        return switch (column) {
            case "partition" -> utf8Slice(partition);
            case "bucket" -> (long) bucket;
            case "record_count" -> recordCount;
            case "file_size_in_bytes" -> fileSize;
            case "file_count" -> fileCount;
            case "last_update_time" -> lastUpdateMillis.isPresent() ? lastUpdateMillis.getAsLong() * MICROSECONDS_PER_MILLISECOND : null;
            // a catalog of files keeps no such things
            case "created_at", "created_by", "updated_by", "options" -> null;
            default -> throw new IllegalArgumentException("Unknown column " + column);
        };
    }
}
