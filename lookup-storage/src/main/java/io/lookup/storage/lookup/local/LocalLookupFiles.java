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

import io.airlift.log.Logger;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.deletion.DeletionVector;
import io.lookup.storage.format.parquet.DataFileListener;
import io.lookup.storage.lookup.FileLookup;
import io.lookup.storage.lookup.LookupStatistics;
import io.lookup.storage.lookup.local.LookupFileFormat.Directory;
import org.weakref.jmx.Managed;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import static io.airlift.concurrent.Threads.daemonThreadsNamed;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

/**
 * Copies of data files on this node's disk, made to be looked up, and what of them is in memory. They belong to the node, not to a
 * statement; since a data file never changes they need no invalidation, and they outlive a restart. Trouble with the local disk never fails a
 * statement: then there is no lookup file, or the data file is read in its place. Thread-safe.
 */
public final class LocalLookupFiles
        implements Closeable
{
    private static final Logger log = Logger.get(LocalLookupFiles.class);

    private static final long MAX_EXPIRY_PERIOD_MILLIS = 60_000;
    private static final long DEAD_FILE_GRACE_MILLIS = 60_000;

    private final LookupFileSettings settings;
    private final LookupStatistics statistics;
    private final LocalDisk disk;
    private final LongSupplier clock;
    private final DiskSpace space;
    private final BlockCache cache;
    private final RemoteTransfer transfer;
    private final Optional<LocalDirectory> directory;
    private final LookupFileBuilder builder;
    private final BackgroundCopies copies;
    private final Set<LocalLookupWriter> writers = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService expiry;
    private final AtomicBoolean warned = new AtomicBoolean();

    public LocalLookupFiles(LookupFileSettings settings, LookupStatistics statistics)
    {
        this(settings, statistics, new MappedDisk(), System::currentTimeMillis);
    }

    LocalLookupFiles(LookupFileSettings settings, LookupStatistics statistics, LocalDisk disk, LongSupplier clock)
    {
        this.settings = requireNonNull(settings, "settings is null");
        this.statistics = requireNonNull(statistics, "statistics is null");
        this.disk = requireNonNull(disk, "disk is null");
        this.clock = requireNonNull(clock, "clock is null");
        this.space = new DiskSpace(settings.maxDiskBytes());
        this.cache = new BlockCache(settings.maxMemoryBytes());
        this.transfer = new RemoteTransfer(this, disk, space, statistics);
        this.directory = openDirectory();
        this.builder = new LookupFileBuilder(this, directory, space, transfer, statistics);
        this.copies = new BackgroundCopies(settings.copyThreads(), builder, statistics, clock);
        this.expiry = Executors.newSingleThreadScheduledExecutor(daemonThreadsNamed("lookup-file-expiry"));
        long period = Math.clamp(settings.retentionMillis(), 1_000, MAX_EXPIRY_PERIOD_MILLIS);
        expiry.scheduleWithFixedDelay(this::expire, period, period, MILLISECONDS);
    }

    private Optional<LocalDirectory> openDirectory()
    {
        try {
            LocalDirectory opened = LocalDirectory.open(settings.directory(), disk);
            opened.scan().forEach(found -> {
                LocalFile file = new LocalFile(found.name(), found.path(), found.dataFile(), found.size(), disk);
                file.lastAccessMillis = found.lastAccessMillis();
                space.add(file, false).ifPresent(twin -> opened.delete(twin.path()));
            });
            // the bound may have been larger when they were written
            List<LocalFile> evicted = new ArrayList<>();
            space.reserve(0, evicted);
            evicted.forEach(file -> opened.delete(file.path()));
            return Optional.of(opened);
        }
        catch (IOException | RuntimeException e) {
            warn(e, "There are no lookup files in %s; keys are looked up in data files".formatted(settings.directory()));
            return Optional.empty();
        }
    }

    /**
     * A lookup in a lookup file that is there.
     *
     * @param deleted rows of the data file that are not to be found
     * @param fallback for the case that the lookup file turns out to be unreadable
     */
    public Optional<FileLookup> find(LookupFileId id, DeletionVector deleted, DataFileLookup fallback)
    {
        Optional<LocalFile> file = space.acquire(id.localName(), clock.getAsLong());
        return file.flatMap(local -> open(local, id, deleted, fallback));
    }

    /**
     * Whether there is a lookup file.
     */
    public boolean contains(LookupFileId id)
    {
        return space.contains(id.localName());
    }

    Optional<FileLookup> open(LocalFile local, LookupFileId id, DeletionVector deleted, DataFileLookup fallback)
    {
        try {
            local.checkIdentity(id.identity());
            if (local.rowCount() != id.file().rowCount()) {
                throw new CorruptLookupFileException("it has %s rows instead of %s".formatted(local.rowCount(), id.file().rowCount()));
            }
            Directory blocks = local.directory(cache);
            return Optional.of(new LocalFileLookup(local, blocks, cache, id, deleted, new LocalFileOwner(this, local, fallback), statistics));
        }
        catch (IOException | RuntimeException e) {
            giveUp(local, e);
            release(local);
            return Optional.empty();
        }
    }

    /**
     * A lookup in a lookup file that is there, or that is made now. Whoever asks for one that another thread is making waits for it; no
     * statement does so but in tests, see {@link #request}.
     *
     * @param remote where copies that other nodes have made are taken from; empty if they are not wanted
     * @param rows all rows of the data file in the layout, deleted ones too
     * @return empty if the local disk fails or has no room beside what is in use, or if the data file was dropped
     * @throws IOException if the data file cannot be read
     */
    public Optional<FileLookup> build(LookupFileId id, Optional<FileIo> remote, DataFileRows rows, DeletionVector deleted, DataFileLookup fallback)
            throws IOException
    {
        return builder.build(id, remote, rows, deleted, fallback);
    }

    /**
     * Has a lookup file made in the background, or taken over from beside the data file: that one is transferred as a whole, which can take
     * as long. Requests for one file are one. Never fails, nor does anything later.
     *
     * @param remote as {@link #build}
     * @param rows as {@link #build}; read at any later time, so that nothing of the statement must be needed for it
     * @return whether the file is going to be made, or is being made; false if too many wait, or if none is made in the background
     */
    public boolean request(LookupFileId id, Optional<FileIo> remote, DataFileRows rows)
    {
        return directory.isPresent() && copies.request(id, remote, rows);
    }

    /**
     * Whether {@link #request} has any made.
     */
    public boolean makesCopies()
    {
        return directory.isPresent() && copies.isEnabled();
    }

    /**
     * Waits until all has been made that was asked for before; for tests and measurements.
     */
    public void awaitCopies()
            throws InterruptedException
    {
        copies.await();
    }

    /**
     * A lookup file that is fed while its data file is written; empty if there is no local disk to write to.
     *
     * @param dataFile full path of the data file
     */
    public Optional<LocalLookupWriter> write(String dataFile, LookupLayout layout)
    {
        return directory.isEmpty() ? Optional.empty() : Optional.of(newWriter(dataFile, layout, OptionalLong.empty()));
    }

    /**
     * Writes the lookup files of data files that are going to be written.
     *
     * @param remote where copies of them are put for other nodes; empty if they are not wanted
     */
    public DataFileListener feed(LookupLayout layout, Optional<FileIo> remote)
    {
        return new LookupFileFeed(this, layout, remote);
    }

    /**
     * Puts a copy beside the data file.
     *
     * @param file with a reference, which is given back
     * @return its name, if there is one now
     */
    Optional<String> upload(LocalFile file, LookupLayout layout, FileIo remote)
    {
        try {
            return transfer.upload(file, layout, remote);
        }
        finally {
            release(file);
        }
    }

    LocalLookupWriter newWriter(String dataFile, LookupLayout layout, OptionalLong expectedRows)
    {
        Path temporary = directory.orElseThrow().newTemporary(LookupFileFormat.name(dataFile, LookupFileFormat.identity(dataFile, layout)));
        LocalLookupWriter writer = new LocalLookupWriter(this, disk, space, temporary, dataFile, layout, expectedRows, statistics);
        writers.add(writer);
        return writer;
    }

    /**
     * The data file is not part of the table any more, or never became: its lookup files go as soon as nobody uses them, and those that are
     * being made are given up.
     *
     * @param dataFile full path of the data file
     */
    public void drop(String dataFile)
    {
        copies.cancel(request -> request.dataFile().equals(dataFile));
        writers.stream()
                .filter(writer -> writer.dataFile().equals(dataFile))
                .forEach(LocalLookupWriter::cancel);
        dropFiles(file -> file.dataFile().equals(dataFile));
    }

    void dropFile(LocalFile file)
    {
        if (space.drop(file)) {
            delete(file);
        }
    }

    /**
     * Drops the lookup files of data files that a bucket does not have any more, if nobody has used them for a while.
     *
     * @param bucketDirectory full path of the bucket
     * @param liveFiles full paths of its data files
     */
    public void retain(String bucketDirectory, Set<String> liveFiles)
    {
        // what another statement has just written is not live yet
        long before = clock.getAsLong() - DEAD_FILE_GRACE_MILLIS;
        String prefix = bucketDirectory + "/";
        Predicate<String> isDead = dataFile -> dataFile.startsWith(prefix) && !liveFiles.contains(dataFile);
        copies.cancel(request -> request.timeMillis() < before && isDead.test(request.dataFile()));
        dropFiles(file -> file.lastAccessMillis < before && isDead.test(file.dataFile()));
    }

    void dropFiles(Predicate<LocalFile> predicate)
    {
        space.find(predicate).forEach(this::dropFile);
    }

    void giveUp(LocalFile file, Exception cause)
    {
        statistics.getFilesCorrupt().update(1);
        warn(cause, "Lookup file %s is given up; keys are looked up in the data file".formatted(file.path()));
        dropFile(file);
    }

    void release(LocalFile file)
    {
        if (space.release(file, clock.getAsLong())) {
            file.close(cache);
        }
    }

    /**
     * Ends a file that has left the books. Who still uses it can go on.
     */
    private void delete(LocalFile file)
    {
        directory.ifPresent(owner -> owner.delete(file.path()));
        if (!space.isInUse(file)) {
            file.close(cache);
        }
    }

    /**
     * Puts a file that has been written in its place.
     */
    LocalFile complete(Path temporary, String name, String dataFile, long size, boolean acquire)
            throws IOException
    {
        Path path = LocalDirectory.completed(temporary);
        LocalFile file = new LocalFile(name, path, dataFile, size, disk);
        file.lastAccessMillis = clock.getAsLong();
        file.references = acquire ? 1 : 0;
        disk.move(temporary, path);
        space.add(file, true).ifPresent(this::delete);
        return file;
    }

    void discard(Path temporary, BoundedOutput output)
    {
        try {
            output.close();
        }
        catch (IOException | RuntimeException e) {
            log.debug(e, "Could not close %s", temporary);
        }
        directory.orElseThrow().delete(temporary);
        space.unreserve(output.written());
    }

    void evicted(Collection<LocalFile> files)
    {
        files.forEach(this::delete);
        if (!files.isEmpty()) {
            statistics.getFilesEvicted().update(files.size());
        }
    }

    void ended(LocalLookupWriter writer)
    {
        writers.remove(writer);
    }

    void expire()
    {
        try {
            List<LocalFile> expired = space.expire(clock.getAsLong() - settings.retentionMillis());
            expired.forEach(this::delete);
            if (!expired.isEmpty()) {
                statistics.getFilesExpired().update(expired.size());
            }
        }
        catch (RuntimeException e) {
            log.warn(e, "Lookup files could not be expired");
        }
    }

    /**
     * Says it once as a warning: a disk that fails does so often.
     */
    void warn(Exception cause, String message)
    {
        if (warned.compareAndSet(false, true)) {
            log.warn("%s: %s. Further trouble with local lookup files is logged as debug", message, cause);
        }
        log.debug(cause, "%s", message);
    }

    LookupFileSettings settings()
    {
        return settings;
    }

    /**
     * Bytes on disk, those of files being written included.
     */
    @Managed
    public long getDiskBytes()
    {
        return space.usedBytes();
    }

    @Managed
    public int getFileCount()
    {
        return space.fileCount();
    }

    /**
     * Bytes of blocks, indexes and filters in memory.
     */
    @Managed
    public long getMemoryBytes()
    {
        return cache.sizeInBytes();
    }

    /**
     * Files that wait to be made in the background.
     */
    @Managed
    public int getCopiesQueued()
    {
        return copies.queued();
    }

    @Managed
    public int getCopiesRunning()
    {
        return copies.running();
    }

    /**
     * Leaves the files for the next owner of the directory. Lookups that are open must not be used any more.
     */
    @Override
    public void close()
            throws IOException
    {
        copies.close();
        expiry.shutdownNow();
        for (LocalFile file : space.find(file -> file.references == 0)) {
            // who comes next expires by this time
            try {
                Files.setLastModifiedTime(file.path(), FileTime.fromMillis(file.lastAccessMillis));
            }
            catch (IOException e) {
                log.debug(e, "Could not touch %s", file.path());
            }
            file.close(cache);
        }
        if (directory.isPresent()) {
            directory.get().close();
        }
    }
}
