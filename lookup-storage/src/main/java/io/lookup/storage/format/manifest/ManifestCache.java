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

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.row.BinaryRow;
import org.apache.hadoop.fs.Path;
import org.weakref.jmx.Managed;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * Decoded manifests and manifest lists of all tables, by path. Such files never change and their names are unique
 * for all time, so nothing is ever invalidated; what does not fit is dropped. Thread-safe.
 */
public final class ManifestCache
{
    private static final int LIST_OVERHEAD = 200;
    private static final int ENTRY_OVERHEAD = 700;
    private static final int OBJECT_OVERHEAD = 56;

    private final Cache<String, Content> contents;
    private final long maxIndexBytes;
    private final Map<String, Index> indexes = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * @param maxBytes estimated memory of what is kept; 0 keeps nothing
     */
    public ManifestCache(long maxBytes)
    {
        this(maxBytes, maxBytes);
    }

    /**
     * @param maxBytes estimated memory of the manifests that are kept; 0 keeps none
     * @param maxIndexBytes estimated memory of the indexes of large tables that are kept beside
     */
    public ManifestCache(long maxBytes, long maxIndexBytes)
    {
        this.maxIndexBytes = maxIndexBytes;
        this.contents = Caffeine.newBuilder()
                .maximumWeight(maxBytes)
                .weigher((String path, Content content) -> (int) Math.min(Integer.MAX_VALUE, content.bytes() + path.length()))
                // evicts in the calling thread, which makes the bound strict
                .executor(Runnable::run)
                .recordStats()
                .build();
    }

    @SuppressWarnings("unchecked")
    <T> Optional<List<T>> getIfPresent(Path path)
    {
        return Optional.ofNullable(contents.getIfPresent(path.toString())).map(content -> (List<T>) content.objects());
    }

    @SuppressWarnings("unchecked")
    <T> List<T> get(Path path, Supplier<List<T>> loader, ToLongFunction<T> weigher)
    {
        return (List<T>) contents.get(path.toString(), _ -> {
            List<T> objects = ImmutableList.copyOf(loader.get());
            return new Content(objects, LIST_OVERHEAD + objects.stream().mapToLong(weigher).sum());
        }).objects();
    }

    /**
     * Keeps what was just written: the next reader is the statement that wrote it.
     */
    <T> void put(Path path, List<T> objects, ToLongFunction<T> weigher)
    {
        List<T> copy = ImmutableList.copyOf(objects);
        contents.put(path.toString(), new Content(copy, LIST_OVERHEAD + copy.stream().mapToLong(weigher).sum()));
    }

    /**
     * What was made of all manifests of a snapshot.
     *
     * @param key path of the snapshot's list of delta manifests, which no other snapshot has
     */
    public <T> Optional<T> index(String key, Class<T> type)
    {
        synchronized (indexes) {
            return Optional.ofNullable(indexes.get(key)).map(index -> type.cast(index.value()));
        }
    }

    /**
     * Keeps an index, and gives up those that were least used for it; one that is too large is not kept.
     */
    public void putIndex(String key, Object value, long bytes)
    {
        synchronized (indexes) {
            indexes.remove(key);
            if (bytes > maxIndexBytes) {
                return;
            }
            long kept = getIndexBytes();
            Iterator<Index> eldest = indexes.values().iterator();
            while (kept + bytes > maxIndexBytes) {
                kept -= eldest.next().bytes();
                eldest.remove();
            }
            indexes.put(key, new Index(value, bytes));
        }
    }

    /**
     * Gives up an index that another one stands for.
     */
    public void removeIndex(String key)
    {
        synchronized (indexes) {
            indexes.remove(key);
        }
    }

    public long maxIndexBytes()
    {
        return maxIndexBytes;
    }

    /**
     * Estimated memory of the indexes that are kept now.
     */
    @Managed
    public long getIndexBytes()
    {
        synchronized (indexes) {
            return indexes.values().stream().mapToLong(Index::bytes).sum();
        }
    }

    @Managed
    public long getHitCount()
    {
        return contents.stats().hitCount();
    }

    @Managed
    public long getMissCount()
    {
        return contents.stats().missCount();
    }

    /**
     * Estimated memory of the manifests that are kept now.
     */
    @Managed
    public long getMemoryBytes()
    {
        contents.cleanUp();
        return contents.policy().eviction().orElseThrow().weightedSize().orElseThrow();
    }

    static long weigh(ManifestFileMeta manifest)
    {
        return ENTRY_OVERHEAD + manifest.fileName().length() + weigh(manifest.partitionStats());
    }

    static long weigh(ManifestEntry entry)
    {
        DataFileMeta file = entry.file();
        return ENTRY_OVERHEAD
                + file.fileName().length()
                + weigh(file.minKey())
                + weigh(file.maxKey())
                + weigh(file.keyStats())
                + weigh(file.valueStats())
                + file.embeddedIndex().map(index -> (long) index.length()).orElse(0L)
                + file.externalPath().map(path -> (long) path.length()).orElse(0L);
    }

    static long weigh(IndexManifestEntry entry)
    {
        return ENTRY_OVERHEAD
                + weigh(entry.partition())
                + entry.deletionVectors().stream().mapToLong(range -> 2L * OBJECT_OVERHEAD + range.dataFileName().length()).sum();
    }

    private static long weigh(SimpleStats stats)
    {
        return OBJECT_OVERHEAD + weigh(stats.minValues()) + weigh(stats.maxValues()) + (long) OBJECT_OVERHEAD * stats.nullCounts().size();
    }

    private static long weigh(BinaryRow row)
    {
        return 2 * OBJECT_OVERHEAD + row.bytes().length();
    }

    private record Index(Object value, long bytes) {}

    private record Content(List<?> objects, long bytes) {}
}
