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
package io.lookup.benchmark;

import io.lookup.storage.lookup.local.LookupCompression;
import org.apache.paimon.compression.CompressOptions;
import org.apache.paimon.io.cache.CacheManager;
import org.apache.paimon.lookup.sort.SortLookupStoreFactory;
import org.apache.paimon.lookup.sort.SortLookupStoreReader;
import org.apache.paimon.lookup.sort.SortLookupStoreWriter;
import org.apache.paimon.memory.MemorySlice;
import org.apache.paimon.options.MemorySize;
import org.apache.paimon.utils.BloomFilter;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.CompressionType;
import org.rocksdb.EnvOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileWriter;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Something that finds values by keys.
 */
abstract class PointLookupStore
        implements Closeable
{
    static final long CACHE_BYTES = 4L << 30;
    static final int PAIMON_BLOCK_BYTES = 64 << 10;
    private static final double FALSE_POSITIVE_RATE = 0.01;

    long bytes;
    // what values began with, so that none of the work can be left out
    long touched;

    static PointLookupStore create(String name, Path directory)
            throws IOException
    {
        if (Files.exists(directory)) {
            try (Stream<Path> paths = Files.walk(directory)) {
                paths.sorted((left, right) -> right.compareTo(left)).forEach(PointLookupStore::delete);
            }
        }
        Files.createDirectories(directory);
        return switch (name) {
            case "array" -> new SortedArray();
            case "ours", "ours-batch" -> new LocalLookupStore(directory, LookupCompression.NONE, name.endsWith("batch"));
            case "ours-lz4" -> new LocalLookupStore(directory, LookupCompression.LZ4, false);
            case "paimon" -> new PaimonStore(directory);
            case "rocksdb" -> new RocksStore(directory);
            default -> throw new IllegalArgumentException("No store " + name);
        };
    }

    private static void delete(Path path)
    {
        try {
            Files.delete(path);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    abstract void load(int rows)
            throws IOException;

    /**
     * Brings the keys into the form that the store takes; not part of the time.
     */
    abstract void prepare(long[] queries, int batch);

    /**
     * @return the number of keys that were found
     */
    abstract long lookup()
            throws IOException;

    long bytes()
    {
        return bytes;
    }

    /**
     * What unsigned comparison orders like the numbers.
     */
    static byte[] keyBytes(long key)
    {
        return ByteBuffer.allocate(Long.BYTES).putLong(key ^ Long.MIN_VALUE).array();
    }

    static byte[][] keyBytes(long[] keys)
    {
        return Arrays.stream(keys).mapToObj(PointLookupStore::keyBytes).toArray(byte[][]::new);
    }

    /**
     * Keys in one array, values in another, nothing around them.
     */
    private static final class SortedArray
            extends PointLookupStore
    {
        private long[] keys;
        private byte[] values;
        private long[] queries;

        @Override
        void load(int rows)
        {
            keys = new long[rows];
            values = new byte[Math.multiplyExact(rows, PointLookupBenchmark.VALUE_BYTES)];
            byte[] value = new byte[PointLookupBenchmark.VALUE_BYTES];
            for (int row = 0; row < rows; row++) {
                keys[row] = PointLookupBenchmark.key(row);
                PointLookupBenchmark.fillValue(row, value);
                System.arraycopy(value, 0, values, row * value.length, value.length);
            }
            bytes = (long) rows * (Long.BYTES + value.length);
        }

        @Override
        void prepare(long[] queries, int batch)
        {
            this.queries = queries;
        }

        @Override
        long lookup()
        {
            long found = 0;
            for (long query : queries) {
                int index = Arrays.binarySearch(keys, query);
                if (index >= 0) {
                    found++;
                    touched += values[index * PointLookupBenchmark.VALUE_BYTES];
                }
            }
            return found;
        }

        @Override
        public void close() {}
    }

    private static final class PaimonStore
            extends PointLookupStore
    {
        private final Path file;
        private final SortLookupStoreFactory factory;
        private SortLookupStoreReader reader;
        private byte[][] queries;

        PaimonStore(Path directory)
        {
            file = directory.resolve("store");
            factory = new SortLookupStoreFactory(MemorySlice::compareTo, new CacheManager(MemorySize.ofBytes(CACHE_BYTES)), PAIMON_BLOCK_BYTES, CompressOptions.defaultOptions());
        }

        @Override
        void load(int rows)
                throws IOException
        {
            SortLookupStoreWriter writer = factory.createWriter(file.toFile(), BloomFilter.builder(rows, FALSE_POSITIVE_RATE));
            for (int row = 0; row < rows; row++) {
                byte[] value = new byte[PointLookupBenchmark.VALUE_BYTES];
                PointLookupBenchmark.fillValue(row, value);
                writer.put(keyBytes(PointLookupBenchmark.key(row)), value);
            }
            writer.close();
            bytes = Files.size(file);
            reader = factory.createReader(file.toFile());
        }

        @Override
        void prepare(long[] queries, int batch)
        {
            this.queries = keyBytes(queries);
        }

        @Override
        long lookup()
                throws IOException
        {
            long found = 0;
            for (byte[] query : queries) {
                byte[] value = reader.lookup(query);
                if (value != null) {
                    found++;
                    touched += value[0];
                }
            }
            return found;
        }

        @Override
        public void close()
                throws IOException
        {
            reader.close();
        }
    }

    private static final class RocksStore
            extends PointLookupStore
    {
        private final Path directory;
        private final Options options;
        private RocksDB database;
        private byte[][] queries;

        RocksStore(Path directory)
        {
            this.directory = directory;
            RocksDB.loadLibrary();
            options = new Options()
                    .setCreateIfMissing(true)
                    .setCompressionType(CompressionType.NO_COMPRESSION)
                    .setTableFormatConfig(new BlockBasedTableConfig()
                            .setBlockCache(new LRUCache(CACHE_BYTES))
                            .setBlockSize(4 << 10)
                            .setFilterPolicy(new org.rocksdb.BloomFilter(12)));
        }

        @Override
        void load(int rows)
                throws IOException
        {
            Path file = directory.resolve("load.sst");
            try (EnvOptions environment = new EnvOptions(); SstFileWriter writer = new SstFileWriter(environment, options); IngestExternalFileOptions ingestion = new IngestExternalFileOptions().setMoveFiles(true)) {
                writer.open(file.toString());
                byte[] value = new byte[PointLookupBenchmark.VALUE_BYTES];
                for (int row = 0; row < rows; row++) {
                    PointLookupBenchmark.fillValue(row, value);
                    writer.put(keyBytes(PointLookupBenchmark.key(row)), value);
                }
                writer.finish();
                bytes = Files.size(file);
                database = RocksDB.open(options, directory.resolve("database").toString());
                database.ingestExternalFile(List.of(file.toString()), ingestion);
            }
            catch (RocksDBException e) {
                throw new IOException(e);
            }
        }

        @Override
        void prepare(long[] queries, int batch)
        {
            this.queries = keyBytes(queries);
        }

        @Override
        long lookup()
                throws IOException
        {
            long found = 0;
            byte[] value = new byte[PointLookupBenchmark.VALUE_BYTES];
            try {
                for (byte[] query : queries) {
                    if (database.get(query, value) != RocksDB.NOT_FOUND) {
                        found++;
                        touched += value[0];
                    }
                }
            }
            catch (RocksDBException e) {
                throw new IOException(e);
            }
            return found;
        }

        @Override
        public void close()
        {
            database.close();
            options.close();
        }
    }
}
