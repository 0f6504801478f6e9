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

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.security.AccessControlException;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.URI;
import java.util.Optional;

/**
 * Files of an HDFS cluster. What it is asked for beyond Hadoop's common interface: renames that say why they failed or that
 * replace in one step, and files whose every block is on the disks of its data nodes.
 */
final class HdfsFiles
{
    private static final String AUTHENTICATION = "hadoop.security.authentication";
    private static final int READ_ATTEMPTS = 3;

    private HdfsFiles() {}

    /**
     * @param user whom the cluster is told that this is; empty for Hadoop's own choice, {@code HADOOP_USER_NAME} or the process's user
     * @throws IOException if the configuration asks for another authentication than that
     */
    static FileSystem connect(URI uri, Configuration configuration, Optional<String> user)
            throws IOException
    {
        String authentication = configuration.get(AUTHENTICATION, "simple");
        if (!authentication.equalsIgnoreCase("simple")) {
            // without a login of its own it would be refused by each server with another message
            throw new IOException("%s is %s, but clusters are reached with simple authentication only".formatted(AUTHENTICATION, authentication));
        }
        if (user.isEmpty()) {
            return FileSystem.newInstance(uri, configuration);
        }
        try {
            return FileSystem.newInstance(uri, configuration, user.get());
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("Interrupted while connecting to " + uri).initCause(e);
        }
    }

    /**
     * A stream that replaces what is there. Each block is synced when it is complete; syncing the stream would do so for the last one only.
     */
    static FSDataOutputStream create(DistributedFileSystem fileSystem, Path path)
            throws IOException
    {
        return fileSystem.createFile(path)
                .overwrite(true)
                .recursive()
                .syncBlock()
                .build();
    }

    static boolean createExclusively(DistributedFileSystem fileSystem, Path path, byte[] content)
            throws IOException
    {
        Path temporary = write(fileSystem, path, content);
        try {
            fileSystem.rename(temporary, path, Rename.NONE);
            return true;
        }
        catch (IOException e) {
            return RemoteExclusiveFiles.resolveRename(fileSystem, temporary, path, content, e);
        }
    }

    /**
     * By a rename that replaces: creating a file anew would take the old one away first, and fail where two do so at once.
     */
    static void overwrite(DistributedFileSystem fileSystem, Path path, byte[] content)
            throws IOException
    {
        Path temporary = write(fileSystem, path, content);
        try {
            fileSystem.rename(temporary, path, Rename.OVERWRITE);
        }
        catch (IOException e) {
            RemoteExclusiveFiles.deleteTemporary(fileSystem, temporary, e);
            throw e;
        }
    }

    /**
     * Reads a file that others may replace. The blocks of one that was replaced after it was opened are taken away, and reading them
     * fails; the name has new ones then.
     */
    static byte[] readReplaceable(WholeRead read)
            throws IOException
    {
        for (int attempt = 1; ; attempt++) {
            try {
                return read.read();
            }
            catch (FileNotFoundException | InterruptedIOException | SocketException | AccessControlException e) {
                // Hadoop has tried again already, or nothing else would come of it
                throw e;
            }
            catch (IOException e) {
                if (attempt == READ_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    interface WholeRead
    {
        byte[] read()
                throws IOException;
    }

    private static Path write(DistributedFileSystem fileSystem, Path path, byte[] content)
            throws IOException
    {
        Path temporary = RemoteExclusiveFiles.temporary(path);
        try (FSDataOutputStream output = create(fileSystem, temporary)) {
            output.write(content);
        }
        catch (IOException e) {
            RemoteExclusiveFiles.deleteTemporary(fileSystem, temporary, e);
            throw e;
        }
        return temporary;
    }

    /**
     * @return false if the source is missing or the target exists
     */
    static boolean renameDirectory(DistributedFileSystem fileSystem, Path source, Path target)
            throws IOException
    {
        try {
            fileSystem.rename(source, target, Rename.NONE);
            return true;
        }
        catch (FileAlreadyExistsException _) {
            return false;
        }
        catch (FileNotFoundException e) {
            if (fileSystem.exists(source)) {
                // it is the target's parent that is missing
                throw e;
            }
            return false;
        }
    }
}
