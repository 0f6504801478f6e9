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
package io.lookup.storage.snapshot;

import com.github.luben.zstd.Zstd;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.format.MetadataInput;
import io.lookup.storage.format.MetadataOutput;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.DataFileMetaCodec;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.ManifestEntry.Identity;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static java.lang.Math.toIntExact;
import static java.util.Objects.requireNonNull;

/**
 * Many files, bucket by bucket, in a tenth of the memory that their entries take: those of a bucket are packed together, and become
 * entries again when somebody asks for the bucket. Immutable.
 */
final class PackedFiles
{
    private static final int VERSION = 1;
    private static final int ZSTD_LEVEL = 1;
    static final int MIXED_BUCKET_COUNTS = Integer.MIN_VALUE;
    // of a bucket beside the packed bytes: two map entries, its name, lists and numbers
    private static final int BUCKET_OVERHEAD = 400;
    private static final int CHUNK_OVERHEAD = 64;

    private final Map<BucketId, PackedBucket> buckets;
    private final long sizeInBytes;
    private final long rowCount;

    private PackedFiles(Map<BucketId, PackedBucket> buckets)
    {
        this.buckets = ImmutableMap.copyOf(buckets);
        this.sizeInBytes = buckets.values().stream().mapToLong(PackedBucket::sizeInBytes).sum();
        this.rowCount = buckets.values().stream().mapToLong(bucket -> bucket.totals().rowCount()).sum();
    }

    Map<BucketId, PackedBucket> buckets()
    {
        return buckets;
    }

    /**
     * Estimated memory.
     */
    long sizeInBytes()
    {
        return sizeInBytes;
    }

    /**
     * Physical rows of all files.
     */
    long rowCount()
    {
        return rowCount;
    }

    /**
     * The files after some were deleted and added, as a snapshot's delta tells it.
     */
    PackedFiles with(List<ManifestEntry> changes)
    {
        Map<BucketId, List<ManifestEntry>> changed = new LinkedHashMap<>();
        changes.forEach(entry -> changed.computeIfAbsent(BucketId.of(entry), _ -> new ArrayList<>()).add(entry));
        Map<BucketId, PackedBucket> next = new LinkedHashMap<>(buckets);
        changed.forEach((id, entries) -> {
            Set<Identity> deleted = new HashSet<>();
            entries.stream().filter(entry -> entry.kind() == FileKind.DELETE).map(ManifestEntry::identity).forEach(deleted::add);
            BucketBuilder builder = new BucketBuilder();
            PackedBucket old = buckets.get(id);
            if (old != null) {
                old.entries(id).stream().filter(entry -> !deleted.contains(entry.identity())).forEach(builder::add);
            }
            entries.stream().filter(entry -> entry.kind() == FileKind.ADD && !deleted.contains(entry.identity())).forEach(builder::add);
            if (builder.totals.fileCount() == 0) {
                next.remove(id);
                return;
            }
            next.put(id, builder.build());
        });
        return new PackedFiles(next);
    }

    /**
     * @param rowCount physical rows
     * @param deleteRowCount rows that are retractions, as far as files tell
     * @param totalBuckets number of buckets for which all files were written, or {@link #MIXED_BUCKET_COUNTS}
     */
    record FileTotals(long fileCount, long rowCount, long deleteRowCount, long sizeInBytes, int totalBuckets)
    {
        static final FileTotals NONE = new FileTotals(0, 0, 0, 0, 0);

        boolean hasMixedBucketCounts()
        {
            return totalBuckets == MIXED_BUCKET_COUNTS;
        }

        FileTotals with(ManifestEntry entry)
        {
            return new FileTotals(
                    fileCount + 1,
                    rowCount + entry.file().rowCount(),
                    deleteRowCount + entry.file().deleteRowCount().orElse(0),
                    sizeInBytes + entry.file().fileSize(),
                    fileCount == 0 || totalBuckets == entry.totalBuckets() ? entry.totalBuckets() : MIXED_BUCKET_COUNTS);
        }
    }

    private record Chunk(byte[] packed, int unpackedLength) {}

    static final class PackedBucket
    {
        private final List<Chunk> chunks;
        private final FileTotals totals;

        private PackedBucket(List<Chunk> chunks, FileTotals totals)
        {
            this.chunks = ImmutableList.copyOf(chunks);
            this.totals = requireNonNull(totals, "totals is null");
        }

        FileTotals totals()
        {
            return totals;
        }

        List<ManifestEntry> entries(BucketId id)
        {
            ImmutableList.Builder<ManifestEntry> entries = ImmutableList.builderWithExpectedSize(toIntExact(totals.fileCount()));
            for (Chunk chunk : chunks) {
                MetadataInput input = new MetadataInput(VERSION, Zstd.decompress(chunk.packed(), chunk.unpackedLength()));
                while (input.hasNext()) {
                    entries.add(new ManifestEntry(FileKind.ADD, id.partition(), id.bucket(), input.readInt(), DataFileMetaCodec.read(input)));
                }
            }
            return entries.build();
        }

        private long sizeInBytes()
        {
            return BUCKET_OVERHEAD + chunks.stream().mapToLong(chunk -> CHUNK_OVERHEAD + chunk.packed().length).sum();
        }
    }

    /**
     * Takes entries of any order. What is not packed yet is bounded. Thread-safe.
     */
    static final class Builder
    {
        private final long maxPendingBytes;
        private final Map<BucketId, BucketBuilder> buckets = new LinkedHashMap<>();
        private long pendingBytes;

        /**
         * @param maxPendingBytes how much may wait for being packed, so that the files of a bucket are packed together
         */
        Builder(long maxPendingBytes)
        {
            this.maxPendingBytes = maxPendingBytes;
        }

        synchronized void add(List<ManifestEntry> entries)
        {
            for (ManifestEntry entry : entries) {
                BucketBuilder bucket = buckets.computeIfAbsent(BucketId.of(entry), _ -> new BucketBuilder());
                pendingBytes += bucket.add(entry);
                if (pendingBytes > maxPendingBytes) {
                    buckets.values().forEach(BucketBuilder::pack);
                    pendingBytes = 0;
                }
            }
        }

        synchronized PackedFiles build()
        {
            Map<BucketId, PackedBucket> packed = new LinkedHashMap<>();
            buckets.forEach((id, bucket) -> packed.put(id, bucket.build()));
            return new PackedFiles(packed);
        }
    }

    private static final class BucketBuilder
    {
        private final List<Chunk> chunks = new ArrayList<>(1);
        private MetadataOutput pending;
        private FileTotals totals = FileTotals.NONE;

        /**
         * @return bytes that are waiting because of it
         */
        int add(ManifestEntry entry)
        {
            if (pending == null) {
                pending = new MetadataOutput(VERSION);
            }
            int before = pending.size();
            pending.writeInt(entry.totalBuckets());
            DataFileMetaCodec.write(pending, entry.file());
            totals = totals.with(entry);
            return pending.size() - before;
        }

        void pack()
        {
            if (pending != null) {
                byte[] bytes = pending.toBytes();
                chunks.add(new Chunk(Zstd.compress(bytes, ZSTD_LEVEL), bytes.length));
                pending = null;
            }
        }

        PackedBucket build()
        {
            pack();
            return new PackedBucket(chunks, totals);
        }
    }
}
