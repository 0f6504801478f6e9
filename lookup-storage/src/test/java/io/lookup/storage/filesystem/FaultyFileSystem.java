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

import io.lookup.storage.filesystem.FileFaults.Fault;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The local disk under the scheme {@code fault}, with faults where a test wants them. A rename fails if its target exists, as HDFS
 * does. {@code fault://<name>/path} follows the faults that were registered under the name; Hadoop finds the class by
 * {@link #PROPERTY}.
 */
public final class FaultyFileSystem
        extends RawLocalFileSystem
{
    public static final String SCHEME = "fault";
    public static final String PROPERTY = "fs." + SCHEME + ".impl";

    private static final Map<String, FileFaults> REGISTERED = new ConcurrentHashMap<>();

    // what an operation asks of the file system itself is a part of it
    private final ThreadLocal<Integer> depth = ThreadLocal.withInitial(() -> 0);

    public static void register(String name, FileFaults faults)
    {
        REGISTERED.put(name, faults);
    }

    public static URI uri(String name, java.nio.file.Path directory)
    {
        return URI.create(SCHEME + "://" + name + directory.toAbsolutePath());
    }

    private URI root;
    private FileFaults faults;

    @Override
    public void initialize(URI uri, org.apache.hadoop.conf.Configuration configuration)
            throws IOException
    {
        root = URI.create(SCHEME + "://" + uri.getAuthority());
        faults = REGISTERED.get(uri.getAuthority());
        super.initialize(uri, configuration);
    }

    @Override
    public URI getUri()
    {
        // asked before the object is initialized
        return root == null ? URI.create(SCHEME + ":///") : root;
    }

    @Override
    public String getScheme()
    {
        return SCHEME;
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize)
            throws IOException
    {
        return run("open", path, () -> {
            FSDataInputStream input = super.open(path, bufferSize);
            return new FSDataInputStream(new FaultyInputStream(faults, path, new FSDataInputStream(new LocalInputStream(input))));
        });
    }

    @Override
    public FSDataOutputStream create(Path path, boolean overwrite, int bufferSize, short replication, long blockSize, Progressable progress)
            throws IOException
    {
        return run("create", path, () -> {
            FSDataOutputStream output = super.create(path, overwrite, bufferSize, replication, blockSize, progress);
            return new FSDataOutputStream(new FaultyOutputStream(faults, path, output, pathToFile(path).toPath()), statistics);
        });
    }

    @Override
    public FSDataOutputStream create(Path path, FsPermission permission, boolean overwrite, int bufferSize, short replication, long blockSize, Progressable progress)
            throws IOException
    {
        return create(path, overwrite, bufferSize, replication, blockSize, progress);
    }

    @Override
    public boolean rename(Path source, Path target)
            throws IOException
    {
        return run("rename", source, () -> {
            if (pathToFile(source).isDirectory()) {
                return !pathToFile(target).exists() && super.rename(source, target);
            }
            try {
                Files.createLink(pathToFile(target).toPath(), pathToFile(source).toPath());
            }
            catch (FileAlreadyExistsException | java.nio.file.FileAlreadyExistsException e) {
                return false;
            }
            Files.delete(pathToFile(source).toPath());
            return true;
        });
    }

    @Override
    public boolean delete(Path path, boolean recursive)
            throws IOException
    {
        return run("delete", path, () -> super.delete(path, recursive));
    }

    @Override
    public FileStatus[] listStatus(Path path)
            throws IOException
    {
        return run("list", path, () -> super.listStatus(path));
    }

    @Override
    public FileStatus getFileStatus(Path path)
            throws IOException
    {
        return run("status", path, () -> super.getFileStatus(path));
    }

    @Override
    public boolean exists(Path path)
            throws IOException
    {
        return run("status", path, () -> super.exists(path));
    }

    @Override
    public boolean mkdirs(Path path)
            throws IOException
    {
        return run("mkdirs", path, () -> super.mkdirs(path));
    }

    private <T> T run(String name, Path path, FileFaults.Action<T> action)
            throws IOException
    {
        int outer = depth.get();
        depth.set(outer + 1);
        try {
            return outer > 0 ? action.run() : faults.run(name, path, action);
        }
        finally {
            depth.set(outer);
        }
    }

    static IOException truncated(String name, Path path)
    {
        return FileFaults.failure(Fault.TRUNCATE, name, path);
    }
}
