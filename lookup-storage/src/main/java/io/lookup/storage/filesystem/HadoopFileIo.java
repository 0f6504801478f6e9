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
package io.lookup.storage.filesystem;

import com.google.common.collect.ImmutableList;
import io.trino.spi.classloader.ThreadContextClassLoader;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FutureDataInputStreamBuilder;
import org.apache.hadoop.fs.Options.OpenFileOptions;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.util.functional.FutureIO;

import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import static java.util.Objects.requireNonNull;

/**
 * Files through Hadoop's file systems: {@code file:}, {@code s3a:}, {@code hdfs:} and whatever else the
 * configuration knows. One file system per scheme and authority lives as long as this object; Hadoop's own
 * cache, which is keyed by user and shared by the whole process, is not used.
 *
 * <p>On {@code file:} and {@code hdfs:} writes are synced to disk. On object stores a missing file may show only at the first read
 * when it was opened with a known length.
 */
public final class HadoopFileIo
        implements FileIo, Closeable
{
    private static final int MAX_SMALL_FILE_SIZE = 256 << 20;
    private static final URI LOCAL_URI = URI.create("file:///");
    private static final ClassLoader CLASS_LOADER = HadoopFileIo.class.getClassLoader();

    private final Configuration configuration;
    private final Optional<String> hdfsUser;
    private final Map<FileSystemKey, FileSystem> fileSystems = new ConcurrentHashMap<>();

    public HadoopFileIo(Configuration configuration)
    {
        this(configuration, Optional.empty());
    }

    /**
     * @param hdfsUser whose name HDFS is given; empty for Hadoop's own choice, {@code HADOOP_USER_NAME} or the process's user
     */
    public HadoopFileIo(Configuration configuration, Optional<String> hdfsUser)
    {
        requireNonNull(configuration, "configuration is null");
        this.hdfsUser = requireNonNull(hdfsUser, "hdfsUser is null");
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(CLASS_LOADER)) {
            this.configuration = new Configuration(configuration);
            this.configuration.setClassLoader(CLASS_LOADER);
        }
    }

    @Override
    public FSDataInputStream open(Path path, long length)
            throws IOException
    {
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(CLASS_LOADER)) {
            FileSystem fileSystem = fileSystem(path);
            if (isLocal(path)) {
                return openLocal(fileSystem, path);
            }
            FutureDataInputStreamBuilder builder = fileSystem.openFile(path)
                    .opt(OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY, "parquet, columnar, random");
            if (length >= 0) {
                builder.optLong(OpenFileOptions.FS_OPTION_OPENFILE_LENGTH, length);
            }
            return FutureIO.awaitFuture(builder.build());
        }
    }

    @Override
    public OutputStream create(Path path)
            throws IOException
    {
        if (isLocal(path)) {
            return LocalFiles.create(localPath(path));
        }
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(CLASS_LOADER)) {
            FileSystem fileSystem = fileSystem(path);
            // names are unique, so object stores may skip the check for an existing file
            FSDataOutputStream output = fileSystem instanceof DistributedFileSystem hdfs ? HdfsFiles.create(hdfs, path) : fileSystem.create(path, true);
            return new ClassLoaderSafeOutputStream(output, CLASS_LOADER);
        }
    }

    @Override
    public OutputStream createUnsynced(Path path)
            throws IOException
    {
        return isLocal(path) ? LocalFiles.createUnsynced(localPath(path)) : create(path);
    }

    @Override
    public long duplicate(Path file, Path duplicate, long length)
            throws IOException
    {
        if (isLocal(file) && isLocal(duplicate) && LocalFiles.linkDurably(localPath(file), localPath(duplicate))) {
            return Files.size(localPath(duplicate));
        }
        return FileIo.super.duplicate(file, duplicate, length);
    }

    @Override
    public void syncDirectory(Path directory)
            throws IOException
    {
        if (isLocal(directory)) {
            LocalFiles.syncDirectory(localPath(directory));
        }
    }

    @Override
    public byte[] readFully(Path path)
            throws IOException
    {
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(CLASS_LOADER)) {
            FileSystem fileSystem = fileSystem(path);
            if (isLocal(path)) {
                try (FSDataInputStream input = openLocal(fileSystem, path)) {
                    return readSmallFile(path, input);
                }
            }
            if (fileSystem instanceof DistributedFileSystem hdfs) {
                return HdfsFiles.readReplaceable(() -> readRemote(hdfs, path));
            }
            return readRemote(fileSystem, path);
        }
    }

    private static byte[] readRemote(FileSystem fileSystem, Path path)
            throws IOException
    {
        FutureDataInputStreamBuilder builder = fileSystem.openFile(path)
                .opt(OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY, "whole-file, sequential");
        try (FSDataInputStream input = FutureIO.awaitFuture(builder.build())) {
            return readSmallFile(path, input);
        }
    }

    private static FSDataInputStream openLocal(FileSystem fileSystem, Path path)
            throws IOException
    {
        return new FSDataInputStream(new LocalInputStream(fileSystem.open(path)));
    }

    private static byte[] readSmallFile(Path path, FSDataInputStream input)
            throws IOException
    {
        byte[] content = input.readNBytes(MAX_SMALL_FILE_SIZE);
        if (content.length == MAX_SMALL_FILE_SIZE) {
            throw new IOException("%s is larger than %s bytes, which no metadata file is".formatted(path, MAX_SMALL_FILE_SIZE));
        }
        return content;
    }

    @Override
    public boolean createExclusively(Path path, byte[] content)
            throws IOException
    {
        if (isLocal(path)) {
            return LocalFiles.createExclusively(localPath(path), content);
        }
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(CLASS_LOADER)) {
            FileSystem fileSystem = fileSystem(path);
            if (fileSystem instanceof DistributedFileSystem hdfs) {
                return HdfsFiles.createExclusively(hdfs, path, content);
            }
            if (scheme(path).equals("s3a")) {
                return RemoteExclusiveFiles.createConditionally(fileSystem, path, content);
            }
            return RemoteExclusiveFiles.createByRename(fileSystem, path, content);
        }
    }

    @Override
    public void overwrite(Path path, byte[] content)
            throws IOException
    {
        if (isLocal(path)) {
            LocalFiles.overwrite(localPath(path), content, true);
            return;
        }
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(CLASS_LOADER)) {
            FileSystem fileSystem = fileSystem(path);
            if (fileSystem instanceof DistributedFileSystem hdfs) {
                HdfsFiles.overwrite(hdfs, path, content);
                return;
            }
            try (OutputStream output = fileSystem.create(path, true)) {
                output.write(content);
            }
        }
    }

    @Override
    public void overwriteHint(Path path, byte[] content)
            throws IOException
    {
        if (isLocal(path)) {
            LocalFiles.overwrite(localPath(path), content, false);
            return;
        }
        overwrite(path, content);
    }

    @Override
    public boolean exists(Path path)
            throws IOException
    {
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(CLASS_LOADER)) {
            return fileSystem(path).exists(path);
        }
    }

    @Override
    public FileEntry status(Path path)
            throws IOException
    {
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(CLASS_LOADER)) {
            return toEntry(fileSystem(path).getFileStatus(path));
        }
    }

    @Override
    public List<FileEntry> list(Path directory)
            throws IOException
    {
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(CLASS_LOADER)) {
            ImmutableList.Builder<FileEntry> entries = ImmutableList.builder();
            for (FileStatus status : fileSystem(directory).listStatus(directory)) {
                entries.add(toEntry(status));
            }
            return entries.build();
        }
        catch (FileNotFoundException e) {
            return ImmutableList.of();
        }
    }

    @Override
    public void createDirectories(Path directory)
            throws IOException
    {
        if (isLocal(directory)) {
            LocalFiles.createDirectories(localPath(directory));
            return;
        }
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(CLASS_LOADER)) {
            if (!fileSystem(directory).mkdirs(directory)) {
                throw new IOException("Directory %s could not be created".formatted(directory));
            }
        }
    }

    @Override
    public void deleteFile(Path path)
            throws IOException
    {
        delete(path, false);
    }

    @Override
    public void deleteRecursively(Path directory)
            throws IOException
    {
        delete(directory, true);
    }

    private void delete(Path path, boolean recursive)
            throws IOException
    {
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(CLASS_LOADER)) {
            FileSystem fileSystem = fileSystem(path);
            if (!fileSystem.delete(path, recursive) && fileSystem.exists(path)) {
                throw new IOException("%s could not be deleted".formatted(path));
            }
        }
        catch (FileNotFoundException _) {
            // somebody else deleted it, or a part of it, meanwhile
        }
    }

    @Override
    public boolean renameDirectory(Path source, Path target)
            throws IOException
    {
        if (isLocal(source)) {
            return LocalFiles.renameDirectory(localPath(source), localPath(target));
        }
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(CLASS_LOADER)) {
            FileSystem fileSystem = fileSystem(source);
            if (fileSystem instanceof DistributedFileSystem hdfs) {
                return HdfsFiles.renameDirectory(hdfs, source, target);
            }
            // renaming onto an existing directory would move the source below it
            if (!fileSystem.exists(source) || fileSystem.exists(target)) {
                return false;
            }
            if (!fileSystem.rename(source, target)) {
                throw new IOException("%s could not be renamed to %s".formatted(source, target));
            }
            return true;
        }
    }

    @Override
    public void close()
            throws IOException
    {
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(CLASS_LOADER)) {
            IOException failure = null;
            for (FileSystem fileSystem : fileSystems.values()) {
                try {
                    fileSystem.close();
                }
                catch (IOException e) {
                    if (failure == null) {
                        failure = e;
                    }
                    else {
                        failure.addSuppressed(e);
                    }
                }
            }
            fileSystems.clear();
            if (failure != null) {
                throw failure;
            }
        }
    }

    private FileSystem fileSystem(Path path)
            throws IOException
    {
        URI uri = path.toUri();
        FileSystemKey key = new FileSystemKey(scheme(path), uri.getAuthority() == null ? "" : uri.getAuthority());
        FileSystem existing = fileSystems.get(key);
        if (existing != null) {
            return existing;
        }
        // creating one can fail and take long: not inside computeIfAbsent
        FileSystem created = switch (key.scheme()) {
            case "file" -> createLocal();
            case "hdfs" -> HdfsFiles.connect(uri, configuration, hdfsUser);
            default -> FileSystem.newInstance(uri, configuration);
        };
        FileSystem raced = fileSystems.putIfAbsent(key, created);
        if (raced != null) {
            created.close();
            return raced;
        }
        return created;
    }

    /**
     * The file system without checksum files: these break reads once another engine overwrites a file. It is not asked for
     * by configuration, since other file systems (S3A for its buffers) take the configured one to be the usual one.
     */
    private FileSystem createLocal()
            throws IOException
    {
        FileSystem fileSystem = new RawLocalFileSystem();
        fileSystem.initialize(LOCAL_URI, configuration);
        return fileSystem;
    }

    private static String scheme(Path path)
    {
        String scheme = path.toUri().getScheme();
        return scheme == null ? "file" : scheme;
    }

    private static boolean isLocal(Path path)
    {
        return scheme(path).equals("file");
    }

    private static java.nio.file.Path localPath(Path path)
    {
        return java.nio.file.Path.of(path.toUri().getPath());
    }

    private static FileEntry toEntry(FileStatus status)
    {
        return new FileEntry(status.getPath(), status.isDirectory() ? 0 : status.getLen(), status.isDirectory(), status.getModificationTime());
    }

    private record FileSystemKey(String scheme, String authority)
    {
        private FileSystemKey
        {
            requireNonNull(scheme, "scheme is null");
            requireNonNull(authority, "authority is null");
        }
    }
}
