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
package io.lookup.storage.lookup.local;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.lang.Math.toIntExact;
import static java.util.Objects.requireNonNull;

/**
 * Blocks, indexes and filters of lookup files in memory, bounded by their bytes. Thread-safe.
 */
final class BlockCache
{
    private static final int PINNED_SHARE = 16;

    private final Cache<Slot, Cached> cache;
    private final long maxPinnedBytes;

    BlockCache(long maxBytes)
    {
        maxPinnedBytes = maxBytes / PINNED_SHARE;
        cache = Caffeine.newBuilder()
                .maximumWeight(maxBytes)
                .weigher((Slot _, Cached value) -> toIntExact(Math.min(value.sizeInBytes(), Integer.MAX_VALUE)))
                // what is too much goes at once, by the thread that brought it
                .executor(Runnable::run)
                .removalListener((Slot slot, Cached value, RemovalCause _) -> slot.clear(value))
                .build();
    }

    /**
     * Tells that what the slot has is in use.
     */
    void touch(Slot slot)
    {
        Cached _ = cache.getIfPresent(slot);
    }

    /**
     * Threads that come at once may load the same; that costs less than to wait for each other.
     */
    Cached get(Slot slot, Loader loader)
            throws IOException
    {
        Cached value = cache.getIfPresent(slot);
        if (value == null) {
            value = loader.load();
            // in this order: when the cache lets the value go, even at once, the slot lets it go too
            slot.set(value);
            cache.put(slot, value);
        }
        return value;
    }

    /**
     * What one batch of probes may keep beside the cache.
     */
    long maxPinnedBytes()
    {
        return maxPinnedBytes;
    }

    void invalidate(List<Slot> slots)
    {
        cache.invalidateAll(slots);
    }

    /**
     * Bytes of what is in memory.
     */
    long sizeInBytes()
    {
        return cache.policy().eviction().orElseThrow().weightedSize().orElse(0);
    }

    interface Cached
    {
        long sizeInBytes();
    }

    interface Loader
    {
        Cached load()
                throws IOException;
    }

    /**
     * The places of one file. They refer to what the cache has of them, so that finding it again is one step and allocates nothing;
     * the cache has to be told now and then that it was used.
     */
    static final class Slots
    {
        private final AtomicReferenceArray<Cached> values;
        private final List<Slot> slots;

        Slots(int count)
        {
            this.values = new AtomicReferenceArray<>(count);
            this.slots = IntStream.range(0, count)
                    .mapToObj(index -> new Slot(values, index))
                    .collect(toImmutableList());
        }

        /**
         * @return null if it is not in memory, or perhaps not
         */
        Cached get(int index)
        {
            return values.get(index);
        }

        Slot slot(int index)
        {
            return slots.get(index);
        }

        List<Slot> all()
        {
            return slots;
        }
    }

    /**
     * A place in a file, as a key that exists once.
     */
    static final class Slot
    {
        private final AtomicReferenceArray<Cached> values;
        private final int index;

        private Slot(AtomicReferenceArray<Cached> values, int index)
        {
            this.values = requireNonNull(values, "values is null");
            this.index = index;
        }

        private void set(Cached value)
        {
            values.set(index, value);
        }

        private void clear(Cached expected)
        {
            values.compareAndSet(index, expected, null);
        }
    }
}
