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
package io.lookup.storage.write;

import com.google.common.collect.ImmutableList;
import io.airlift.log.Logger;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.format.bucket.HashIndexFiles;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.IndexManifestEntry;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BinaryRowEncoder;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DynamicBucketOptions;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.Page;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Assigns the rows of one sink to the buckets of a table whose buckets grow with its keys, and keeps the index of it.
 *
 * <p>A key must never come to two buckets. So each partition has one sink in a statement, which knows the whole index of the base
 * snapshot; and the commit fails if another statement changed the partition's index meanwhile. Not thread-safe.
 */
public final class DynamicBuckets
{
    private static final Logger log = Logger.get(DynamicBuckets.class);

    /**
     * The base snapshot's state.
     */
    public interface Base
    {
        /**
         * The entries of the partition's hash index, one a bucket.
         */
        List<IndexManifestEntry> index(BinaryRow partition);

        /**
         * The partition's buckets that have data files.
         */
        Set<Integer> buckets(BinaryRow partition);
    }

    private final String tableName;
    private final DynamicBucketOptions options;
    private final HashIndexFiles files;
    private final Base base;
    private final boolean replacesIndex;
    private final BinaryRowEncoder keyEncoder;
    private final int[] keyChannels;
    private final Map<BinaryRow, Partition> partitions = new HashMap<>();
    private final List<IndexManifestEntry> written = new ArrayList<>();

    // of the last row
    private BinaryRow lastPartition;
    private PartitionBuckets lastBuckets;

    private record Partition(Map<Integer, IndexManifestEntry> index, PartitionBuckets buckets) {}

    /**
     * @param replacesIndex whether the commit takes the base's index files away by itself, as an overwrite does
     */
    public DynamicBuckets(String tableName, TableSchema schema, HashIndexFiles files, Base base, boolean replacesIndex)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.options = DynamicBucketOptions.of(schema);
        this.files = requireNonNull(files, "files is null");
        this.base = requireNonNull(base, "base is null");
        this.replacesIndex = replacesIndex;
        this.keyEncoder = new BinaryRowEncoder(schema.trimmedPrimaryKeyFields().stream().map(DataField::type).collect(toImmutableList()));
        this.keyChannels = schema.trimmedPrimaryKeys().stream().mapToInt(schema::fieldIndex).toArray();
    }

    /**
     * @param page the table's columns in schema order
     */
    int assign(BinaryRow partition, Page page, int position)
    {
        if (!partition.equals(lastPartition)) {
            lastBuckets = partitions.computeIfAbsent(partition, this::load).buckets();
            lastPartition = partition;
        }
        return lastBuckets.assign(keyEncoder.hash(page, keyChannels, position));
    }

    private Partition load(BinaryRow partition)
    {
        PartitionBuckets buckets = new PartitionBuckets(options);
        Map<Integer, IndexManifestEntry> index = new HashMap<>();
        for (IndexManifestEntry entry : base.index(partition)) {
            index.put(entry.bucket(), entry);
            buckets.load(entry.bucket(), files.read(entry));
        }
        Set<Integer> unknown = base.buckets(partition).stream().filter(bucket -> !index.containsKey(bucket)).collect(toImmutableSet());
        if (!unknown.isEmpty()) {
            throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, format(
                    "Table %s has rows in buckets %s whose hash index is missing, so that their keys could come to other buckets; write the rows into a new table",
                    tableName,
                    unknown));
        }
        return new Partition(index, buckets);
    }

    long memoryUsage()
    {
        return partitions.values().stream().mapToLong(partition -> partition.buckets().memoryUsage()).sum();
    }

    /**
     * The message with what it does to the bucket's index.
     */
    CommitMessage withIndex(CommitMessage message)
            throws IOException
    {
        Partition partition = partitions.get(message.partition());
        int[] added = partition.buckets().added(message.bucket());
        IndexManifestEntry previous = partition.index().get(message.bucket());
        if (message.newFiles().isEmpty() || added.length == 0 && !replacesIndex) {
            return message;
        }
        int[] hashes = added;
        if (previous != null) {
            int[] known = files.read(previous);
            hashes = new int[Math.addExact(known.length, added.length)];
            System.arraycopy(known, 0, hashes, 0, known.length);
            System.arraycopy(added, 0, hashes, known.length, added.length);
        }
        IndexManifestEntry entry = files.write(message.partition(), message.bucket(), hashes);
        written.add(entry);
        ImmutableList.Builder<IndexManifestEntry> changes = ImmutableList.builder();
        changes.addAll(message.indexChanges());
        if (previous != null && !replacesIndex) {
            changes.add(previous.withKind(FileKind.DELETE));
        }
        changes.add(entry);
        return message.withIndexChanges(changes.build());
    }

    /**
     * Deletes every file that was written; never throws.
     */
    void abort()
    {
        for (IndexManifestEntry entry : written) {
            try {
                files.delete(entry);
            }
            catch (IOException | RuntimeException e) {
                // nothing refers to the file: orphan cleaning removes it
                log.warn(e, "Could not delete index file %s of table %s, which nothing refers to", entry.fileName(), tableName);
            }
        }
        written.clear();
    }
}
