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

import com.google.common.collect.ImmutableList;
import io.airlift.log.Logger;
import io.lookup.storage.lookup.local.LookupFileFormat.Footer;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;
import static java.util.Objects.requireNonNull;

/**
 * A folder of lookup files that belongs to one owner at a time. The root has folders {@code 0}, {@code 1}, … and for each a file {@code 0.lock},
 * whose lock says whether the folder has an owner; the system lets the lock go when the process ends, however it ends. An owner takes the
 * first folder that is free, with the files that its last owner left, and takes over the files of other folders that are free.
 */
final class LocalDirectory
        implements Closeable
{
    private static final Logger log = Logger.get(LocalDirectory.class);

    private static final String SUFFIX = ".lookup";
    private static final String TEMPORARY_SUFFIX = ".tmp";
    private static final String LOCK_SUFFIX = ".lock";
    private static final int MAX_OWNERS = 1_000;

    private final Path path;
    private final FileChannel lockChannel;
    private final LocalDisk disk;

    private LocalDirectory(Path path, FileChannel lockChannel, LocalDisk disk)
    {
        this.path = requireNonNull(path, "path is null");
        this.lockChannel = requireNonNull(lockChannel, "lockChannel is null");
        this.disk = requireNonNull(disk, "disk is null");
    }

    static LocalDirectory open(Path root, LocalDisk disk)
            throws IOException
    {
        Files.createDirectories(root);
        for (int number = 0; number < MAX_OWNERS; number++) {
            Optional<FileChannel> lock = tryLock(root, number);
            if (lock.isPresent()) {
                try {
                    Path path = Files.createDirectories(root.resolve(String.valueOf(number)));
                    LocalDirectory directory = new LocalDirectory(path, lock.get(), disk);
                    directory.takeOver(root, number);
                    return directory;
                }
                catch (IOException | RuntimeException e) {
                    lock.get().close();
                    throw e;
                }
            }
        }
        throw new IOException("All of the %s folders for lookup files in %s are in use".formatted(MAX_OWNERS, root));
    }

    private static Optional<FileChannel> tryLock(Path root, int number)
            throws IOException
    {
        // the lock file stays for ever: who removes one lets two owners lock files of the same name
        FileChannel channel = FileChannel.open(root.resolve(number + LOCK_SUFFIX), CREATE, WRITE);
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                return Optional.of(channel);
            }
        }
        catch (OverlappingFileLockException _) {
            // an owner in this process
        }
        catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
        channel.close();
        return Optional.empty();
    }

    /**
     * Moves the files of owners that are gone here.
     */
    private void takeOver(Path root, int own)
    {
        try {
            for (Path other : list(root)) {
                String name = other.getFileName().toString();
                if (!name.matches("[0-9]{1,3}") || name.equals(String.valueOf(own)) || !Files.isDirectory(other)) {
                    continue;
                }
                Optional<FileChannel> lock = tryLock(root, Integer.parseInt(name));
                if (lock.isPresent()) {
                    try (FileChannel _ = lock.get()) {
                        for (Path file : list(other)) {
                            disk.move(file, path.resolve(file.getFileName()));
                        }
                        disk.delete(other);
                    }
                }
            }
        }
        catch (IOException | RuntimeException e) {
            log.warn(e, "Lookup files that an earlier server left in %s could not be taken over", root);
        }
    }

    private static List<Path> list(Path directory)
            throws IOException
    {
        try (Stream<Path> files = Files.list(directory)) {
            return files.collect(toImmutableList());
        }
    }

    /**
     * The complete files, least recently used first. What is not complete is deleted, as is anything else.
     */
    List<Found> scan()
            throws IOException
    {
        ImmutableList.Builder<Found> found = ImmutableList.builder();
        for (Path file : list(path)) {
            Optional<Found> complete = file.toString().endsWith(SUFFIX) ? check(file) : Optional.empty();
            if (complete.isPresent()) {
                found.add(complete.get());
            }
            else {
                delete(file);
            }
        }
        return found.build().stream()
                .sorted(Comparator.comparing(Found::lastAccessMillis))
                .collect(toImmutableList());
    }

    private Optional<Found> check(Path file)
    {
        try (LocalDisk.ReadableFile readable = disk.open(file)) {
            String identity = Footer.read(readable).readIdentity(readable);
            Optional<String> dataFile = LookupFileFormat.dataFile(identity);
            return dataFile.map(data -> new Found(LookupFileFormat.name(data, identity), file, data, readable.size(), lastAccessMillis(file)));
        }
        catch (IOException | RuntimeException e) {
            log.info("Lookup file %s is removed: %s", file, e.getMessage());
            return Optional.empty();
        }
    }

    private static long lastAccessMillis(Path file)
    {
        try {
            return Files.getLastModifiedTime(file).toMillis();
        }
        catch (IOException _) {
            return 0;
        }
    }

    /**
     * A path that nobody uses, nor has used, for a file that is being written: the path of a file that is given up must not be that of its
     * successor.
     */
    Path newTemporary(String name)
    {
        return path.resolve("%s.%016x%s".formatted(name, ThreadLocalRandom.current().nextLong(), TEMPORARY_SUFFIX));
    }

    /**
     * Where a file goes that is complete.
     */
    static Path completed(Path temporary)
    {
        String name = temporary.getFileName().toString();
        return temporary.resolveSibling(name.substring(0, name.length() - TEMPORARY_SUFFIX.length()) + SUFFIX);
    }

    /**
     * Never throws.
     */
    void delete(Path file)
    {
        try {
            disk.delete(file);
        }
        catch (IOException | RuntimeException e) {
            log.debug(e, "Could not delete %s", file);
        }
    }

    @Override
    public void close()
            throws IOException
    {
        lockChannel.close();
    }

    /**
     * @param name what the file is known by
     * @param dataFile what it was made of
     */
    record Found(String name, Path path, String dataFile, long size, long lastAccessMillis) {}
}
