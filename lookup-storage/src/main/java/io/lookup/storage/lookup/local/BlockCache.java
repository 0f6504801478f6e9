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

import java.io.IOException;
import java.util.List;

import static java.lang.Math.toIntExact;

/**
 * Blocks, indexes and filters of lookup files in memory, bounded by their bytes. Thread-safe.
 */
final class BlockCache
{
    private final Cache<Slot, Cached> cache;

    BlockCache(long maxBytes)
    {
        cache = Caffeine.newBuilder()
                .maximumWeight(maxBytes)
                .weigher((Slot _, Cached value) -> toIntExact(Math.min(value.sizeInBytes(), Integer.MAX_VALUE)))
                // what is too much goes at once, by the thread that brought it
                .executor(Runnable::run)
                .build();
    }

    Cached getIfPresent(Slot slot)
    {
        return cache.getIfPresent(slot);
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
            cache.put(slot, value);
        }
        return value;
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
     * A place in a file, as a key that exists once: finding it again allocates nothing.
     */
    static final class Slot {}
}
