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
package io.lookup.storage.format.parquet;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.trino.parquet.ParquetDataSource;
import io.trino.parquet.metadata.ParquetMetadata;
import io.trino.parquet.reader.MetadataReader;
import org.apache.hadoop.fs.Path;
import org.weakref.jmx.Managed;

import java.io.IOException;
import java.util.Optional;

import static com.google.common.base.Preconditions.checkArgument;
import static java.lang.Math.toIntExact;

/**
 * Footers and page indexes of files by path. Files of the format never change under their name. Bounded by the memory that
 * the entries take, by estimate. Thread-safe.
 */
public final class FooterCache
{
    /** Parsed footers take a multiple of their bytes in the file: objects and boxes for every column chunk. */
    private static final int MEMORY_FACTOR = 8;
    private static final int ENTRY_BYTES = 1_024;

    private final Cache<Object, Entry> entries;

    public FooterCache(long maximumBytes)
    {
        checkArgument(maximumBytes >= 0, "maximumBytes is negative");
        this.entries = Caffeine.newBuilder()
                .maximumWeight(maximumBytes)
                .weigher((Object key, Entry entry) -> toIntExact(Math.min(Integer.MAX_VALUE, ENTRY_BYTES + entry.memoryBytes())))
                .recordStats()
                .build();
    }

    ParquetMetadata get(Path path, ParquetDataSource source)
            throws IOException
    {
        return get(path, () -> load(source), CachedFooter.class).metadata();
    }

    /**
     * @param key says the file, the part of it and what of it is kept
     */
    <T extends Entry> T get(Object key, Loader<T> loader, Class<T> type)
            throws IOException
    {
        Entry entry = entries.getIfPresent(key);
        if (entry == null) {
            // two readers may both load an entry, which costs less than a lock around a remote read
            entry = loader.load();
            entries.put(key, entry);
        }
        return type.cast(entry);
    }

    @Managed
    public long getHitCount()
    {
        return entries.stats().hitCount();
    }

    @Managed
    public long getMissCount()
    {
        return entries.stats().missCount();
    }

    /**
     * Estimated memory of what is kept now.
     */
    @Managed
    public long getMemoryBytes()
    {
        entries.cleanUp();
        return entries.policy().eviction().orElseThrow().weightedSize().orElseThrow();
    }

    private static CachedFooter load(ParquetDataSource source)
            throws IOException
    {
        ParquetMetadata metadata = MetadataReader.readFooter(source, Optional.empty());
        HadoopParquetDataSource.checkRanges(metadata, source);
        // the footer's length stands eight bytes before the end
        long footerBytes = source.readTail(8).getInt(0);
        return new CachedFooter(metadata, MEMORY_FACTOR * footerBytes);
    }

    interface Loader<T>
    {
        T load()
                throws IOException;
    }

    interface Entry
    {
        long memoryBytes();
    }

    private record CachedFooter(ParquetMetadata metadata, long memoryBytes)
            implements Entry {}
}
