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
import io.airlift.log.Logger;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.avro.AvroContainer;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.TableSchema;
import org.apache.avro.file.DataFileWriter;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;

import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.Iterables.getOnlyElement;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Reads and writes the manifest lists, manifests and index manifests of one table. All are Avro files, whose
 * fields are found by name, unknown ones ignored; what a damaged one can cost is bounded.
 * <p>
 * Failures are StorageExceptions that name the file: MISSING_FILE; CORRUPT_FILE for one that is truncated,
 * damaged, or of a version of the format that is not known; FILE_SYSTEM_ERROR for a store that cannot be reached.
 * Thread-safe.
 */
public final class ManifestStore
{
    private static final Logger log = Logger.get(ManifestStore.class);

    // what is larger fits in no array
    private static final long MAX_FILE_BYTES = Integer.MAX_VALUE - 64;

    private final FileIo fileIo;
    private final TablePaths paths;
    private final List<DataType> partitionTypes;
    private final ManifestSettings settings;
    private final ManifestCache cache;
    private final String uniqueName = UUID.randomUUID().toString();
    private final AtomicInteger nextManifest = new AtomicInteger();
    private final AtomicInteger nextList = new AtomicInteger();
    private final AtomicInteger nextIndexManifest = new AtomicInteger();

    public ManifestStore(FileIo fileIo, TablePaths paths, TableSchema schema)
    {
        this(fileIo, paths, schema, new ManifestCache(0));
    }

    /**
     * @param schema gives the partition columns and the options of manifests
     * @param cache may be shared by all tables
     */
    public ManifestStore(FileIo fileIo, TablePaths paths, TableSchema schema, ManifestCache cache)
    {
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.paths = requireNonNull(paths, "paths is null");
        this.partitionTypes = schema.partitionFields().stream().map(DataField::type).collect(toImmutableList());
        this.settings = ManifestSettings.of(schema);
        this.cache = requireNonNull(cache, "cache is null");
    }

    /**
     * @param size exact size of the file, if known
     */
    public List<ManifestFileMeta> readList(String fileName, OptionalLong size)
    {
        Path path = paths.manifest(fileName);
        return cache.get(path, () -> read(path, size.orElse(-1), new ManifestListCodec(), "manifest list"), ManifestCache::weigh);
    }

    /**
     * Passes the entries on in file order.
     *
     * @param size exact size of the file, -1 if unknown
     */
    public void readManifest(String fileName, long size, Consumer<ManifestEntry> consumer)
    {
        readManifest(fileName, size).forEach(consumer);
    }

    /**
     * Entries in file order.
     *
     * @param size exact size of the file, -1 if unknown
     */
    public List<ManifestEntry> readManifest(String fileName, long size)
    {
        Path path = paths.manifest(fileName);
        return cache.get(path, () -> read(path, size, new ManifestEntryCodec(), "manifest"), ManifestCache::weigh);
    }

    /**
     * Passes on entries in file order without keeping them: for manifests whose entries are too many to be held at once.
     *
     * @param size exact size of the file, -1 if unknown
     * @param filter says which buckets are wanted, before more than their names is decoded
     */
    public void scanManifest(String fileName, long size, BucketFilter filter, Consumer<ManifestEntry> consumer)
    {
        Path path = paths.manifest(fileName);
        Optional<List<ManifestEntry>> cached = cache.getIfPresent(path);
        if (cached.isPresent()) {
            for (ManifestEntry entry : cached.get()) {
                if (filter.test(entry.partition(), entry.bucket(), entry.totalBuckets())) {
                    consumer.accept(entry);
                }
            }
            return;
        }
        ManifestEntryCodec codec = new ManifestEntryCodec();
        scan(path, size, codec, codec.fileField(), values -> codec.matches(values, filter), consumer, "manifest");
    }

    public Path path(String fileName)
    {
        return paths.manifest(fileName);
    }

    /**
     * Where what is read of manifests is kept.
     */
    public ManifestCache cache()
    {
        return cache;
    }

    /**
     * All index files of a snapshot.
     */
    public List<IndexManifestEntry> readIndexManifest(String fileName)
    {
        Path path = paths.manifest(fileName);
        return cache.get(path, () -> read(path, -1, new IndexManifestCodec(), "index manifest"), ManifestCache::weigh);
    }

    /**
     * Writes all index files of a snapshot, which may be none.
     *
     * @return the name of the index manifest, which goes into the snapshot
     */
    public String writeIndexManifest(List<IndexManifestEntry> entries)
    {
        String fileName = "index-manifest-" + uniqueName + "-" + nextIndexManifest.getAndIncrement();
        writeFile(fileName, new IndexManifestCodec(), entries, "index manifest");
        cache.put(paths.manifest(fileName), entries, ManifestCache::weigh);
        return fileName;
    }

    /**
     * Writes entries in the order given (the DELETE of an upgraded file must come before its ADD), beginning a further
     * manifest at {@code manifest.target-file-size}; nothing for no entries.
     */
    public List<ManifestFileMeta> writeManifests(List<ManifestEntry> entries)
    {
        List<ManifestFileMeta> manifests = writeManifests(sink -> {
            for (ManifestEntry entry : entries) {
                sink.add(entry);
            }
        });
        if (manifests.size() == 1) {
            cache.put(paths.manifest(getOnlyElement(manifests).fileName()), entries, ManifestCache::weigh);
        }
        return manifests;
    }

    /**
     * A list may be empty. Its name and size go into the snapshot.
     */
    public WrittenList writeList(List<ManifestFileMeta> manifests)
    {
        String fileName = "manifest-list-" + uniqueName + "-" + nextList.getAndIncrement();
        long size = writeFile(fileName, new ManifestListCodec(), manifests, "manifest list");
        cache.put(paths.manifest(fileName), manifests, ManifestCache::weigh);
        return new WrittenList(fileName, size);
    }

    /**
     * @return size in bytes
     */
    private <T> long writeFile(String fileName, AvroFileCodec<T> codec, List<T> objects, String description)
    {
        Path path = paths.manifest(fileName);
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        try {
            try (DataFileWriter<T> writer = ManifestWriter.open(codec, settings.codec(), content)) {
                for (T object : objects) {
                    writer.append(object);
                }
            }
            try (OutputStream output = fileIo.createUnsynced(path)) {
                content.writeTo(output);
            }
        }
        catch (IOException e) {
            delete(fileName);
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "Could not write %s %s".formatted(description, path), e);
        }
        return content.size();
    }

    /**
     * Makes all that was written durable; to be called before a snapshot refers to it.
     */
    public void sync()
    {
        try {
            fileIo.syncDirectory(paths.manifestDirectory());
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, format("Directory %s could not be synced: %s", paths.manifestDirectory(), e.getMessage()), e);
        }
    }

    /**
     * Deletes a manifest or list that no snapshot refers to, as after a failed commit. Failures are only logged, since
     * such a file does no harm.
     */
    public void delete(String fileName)
    {
        try {
            fileIo.deleteFile(paths.manifest(fileName));
        }
        catch (IOException e) {
            log.warn(e, "Could not delete unused manifest file %s", paths.manifest(fileName));
        }
    }

    List<ManifestFileMeta> writeManifests(EntrySource source)
    {
        ManifestWriter writer = new ManifestWriter(
                name -> fileIo.createUnsynced(paths.manifest(name)),
                () -> "manifest-" + uniqueName + "-" + nextManifest.getAndIncrement(),
                partitionTypes,
                settings);
        boolean finished = false;
        try {
            source.writeTo(writer);
            List<ManifestFileMeta> manifests = writer.finish();
            finished = true;
            return manifests;
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "Could not write a manifest to " + paths.manifestDirectory(), e);
        }
        finally {
            if (!finished) {
                writer.abort().forEach(this::delete);
            }
        }
    }

    ManifestSettings settings()
    {
        return settings;
    }

    List<DataType> partitionTypes()
    {
        return partitionTypes;
    }

    private <T> List<T> read(Path path, long size, AvroFileCodec<T> codec, String description)
    {
        ImmutableList.Builder<T> objects = ImmutableList.builder();
        scan(path, size, codec, -1, _ -> true, objects::add, description);
        return objects.build();
    }

    private <T> void scan(Path path, long size, AvroFileCodec<T> codec, int askBefore, Predicate<Object[]> wanted, Consumer<T> consumer, String description)
    {
        byte[] content = readContent(path, size, description);
        try {
            AvroContainer.read(content, codec.schema(), askBefore, wanted, values -> {
                int version = AvroFileCodec.<Integer>required(values, 0, codec.schema());
                if (version != codec.version()) {
                    throw new IOException(format("version %s of the format is not supported, only %s is", version, codec.version()));
                }
                consumer.accept(codec.decode(values));
            });
        }
        catch (StorageException e) {
            // by the consumer
            throw e;
        }
        catch (IOException | RuntimeException e) {
            throw corrupt(description, path, e);
        }
    }

    private static StorageException corrupt(String description, Path path, Exception cause)
    {
        return new StorageException(
                StorageErrorCode.CORRUPT_FILE,
                format("The %s %s cannot be read: %s. Restore the file, or roll the table back to a snapshot that does not need it", description, path, cause.getMessage()),
                cause);
    }

    private byte[] readContent(Path path, long size, String description)
    {
        byte[] content;
        try {
            if (size < 0) {
                return fileIo.readFully(path);
            }
            try (FSDataInputStream input = fileIo.open(path, size)) {
                content = input.readNBytes((int) Math.min(size, MAX_FILE_BYTES));
            }
        }
        catch (FileNotFoundException | NoSuchFileException e) {
            throw new StorageException(
                    StorageErrorCode.MISSING_FILE,
                    format("The %s %s does not exist. Its snapshot may have expired while it was read; otherwise restore the file", description, path),
                    e);
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, format("Could not read %s %s", description, path), e);
        }
        if (content.length != size) {
            throw new StorageException(
                    StorageErrorCode.CORRUPT_FILE,
                    format("The %s %s is truncated: it has %s bytes of %s. Restore the file, or roll the table back to a snapshot that does not need it", description, path, content.length, size));
        }
        return content;
    }

    /**
     * @param size in bytes
     */
    public record WrittenList(String fileName, long size)
    {
        public WrittenList
        {
            requireNonNull(fileName, "fileName is null");
        }
    }

    /**
     * Which buckets are wanted. Must be thread-safe.
     */
    public interface BucketFilter
    {
        /**
         * @param totalBuckets buckets of the partition when the file was written
         */
        boolean test(BinaryRow partition, int bucket, int totalBuckets);
    }

    interface EntrySource
    {
        void writeTo(ManifestWriter writer)
                throws IOException;
    }
}
