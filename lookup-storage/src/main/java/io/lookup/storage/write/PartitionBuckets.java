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

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.DynamicBucketOptions;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Which bucket of one partition the hash of a key belongs to: where it was put first, for ever. Keys with one hash share a bucket.
 *
 * <p>A new hash goes to the bucket with the smallest number that has room, else to a new one, else to the one with the fewest
 * hashes. With several initial buckets, hashes fall into as many groups, and bucket {@code b} takes those of group
 * {@code b % initialBuckets}. Not thread-safe.
 */
final class PartitionBuckets
{
    private static final int INITIAL_CAPACITY = 1 << 10;

    private final DynamicBucketOptions options;
    private final Map<Integer, Bucket> buckets = new HashMap<>();
    private final Bucket[] openBuckets;

    // open addressing: a place without a bucket is free
    private int[] hashes = new int[INITIAL_CAPACITY];
    private char[] places = new char[INITIAL_CAPACITY];
    private int count;

    PartitionBuckets(DynamicBucketOptions options)
    {
        this.options = requireNonNull(options, "options is null");
        this.openBuckets = new Bucket[options.initialBuckets()];
    }

    /**
     * What an index file says. All of them have to be told before the first {@link #assign}.
     */
    void load(int bucket, int[] bucketHashes)
    {
        Bucket loaded = buckets.computeIfAbsent(bucket, Bucket::new);
        loaded.count += bucketHashes.length;
        for (int hash : bucketHashes) {
            put(hash, bucket);
        }
    }

    int assign(int hash)
    {
        int known = find(hash);
        if (known >= 0) {
            return known;
        }
        int group = Math.abs(hash % options.initialBuckets());
        Bucket bucket = openBuckets[group];
        if (bucket == null || bucket.count >= options.targetRowCount()) {
            bucket = choose(group);
            openBuckets[group] = bucket;
        }
        bucket.add(hash);
        put(hash, bucket.number);
        return bucket.number;
    }

    /**
     * The hashes that came to a bucket since it was loaded.
     */
    int[] added(int bucket)
    {
        Bucket found = buckets.get(bucket);
        return found == null ? new int[0] : Arrays.copyOf(found.added, found.addedCount);
    }

    long memoryUsage()
    {
        return (long) hashes.length * (Integer.BYTES + Character.BYTES) + buckets.values().stream().mapToLong(bucket -> (long) bucket.added.length * Integer.BYTES).sum();
    }

    private Bucket choose(int group)
    {
        Bucket fewest = null;
        Bucket fewestOfAll = null;
        Bucket withRoom = null;
        for (Bucket bucket : buckets.values()) {
            fewestOfAll = fewer(fewestOfAll, bucket);
            if (bucket.number % options.initialBuckets() == group) {
                fewest = fewer(fewest, bucket);
                if (bucket.count < options.targetRowCount() && (withRoom == null || bucket.number < withRoom.number)) {
                    withRoom = bucket;
                }
            }
        }
        if (withRoom != null) {
            return withRoom;
        }
        for (int number = group; number < options.maxBuckets(); number += options.initialBuckets()) {
            if (!buckets.containsKey(number)) {
                return buckets.computeIfAbsent(number, Bucket::new);
            }
        }
        if (options.maxBuckets() == DynamicBucketOptions.BUCKET_LIMIT) {
            throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, format(
                    "A partition has %s buckets, which is the most that there can be; raise 'dynamic-bucket.target-row-num', which is %s",
                    buckets.size(),
                    options.targetRowCount()));
        }
        return fewest == null ? fewestOfAll : fewest;
    }

    private static Bucket fewer(Bucket first, Bucket second)
    {
        if (first == null || second.count < first.count || second.count == first.count && second.number < first.number) {
            return second;
        }
        return first;
    }

    private int find(int hash)
    {
        for (int place = place(hash); places[place] != 0; place = (place + 1) & (hashes.length - 1)) {
            if (hashes[place] == hash) {
                return places[place] - 1;
            }
        }
        return -1;
    }

    private void put(int hash, int bucket)
    {
        if (count >= hashes.length / 4 * 3) {
            grow();
        }
        int place = place(hash);
        while (places[place] != 0) {
            if (hashes[place] == hash) {
                return;
            }
            place = (place + 1) & (hashes.length - 1);
        }
        hashes[place] = hash;
        places[place] = (char) (bucket + 1);
        count++;
    }

    private void grow()
    {
        int[] oldHashes = hashes;
        char[] oldPlaces = places;
        hashes = new int[Math.multiplyExact(oldHashes.length, 2)];
        places = new char[hashes.length];
        count = 0;
        for (int place = 0; place < oldHashes.length; place++) {
            if (oldPlaces[place] != 0) {
                put(oldHashes[place], oldPlaces[place] - 1);
            }
        }
    }

    private int place(int hash)
    {
        // hashes of one group share their remainders
        return (hash * 0x9E3779B9 >>> 7) & (hashes.length - 1);
    }

    private static final class Bucket
    {
        private final int number;
        private long count;
        private int[] added = new int[0];
        private int addedCount;

        private Bucket(int number)
        {
            this.number = number;
        }

        private void add(int hash)
        {
            if (addedCount == added.length) {
                added = Arrays.copyOf(added, Math.max(16, addedCount * 2));
            }
            added[addedCount] = hash;
            addedCount++;
            count++;
        }
    }
}
