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

import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;

/**
 * What the engine asks of a warehouse's file system. All paths are absolute and qualified. Implementations
 * are thread-safe, and set the context class loader that Hadoop needs.
 */
public interface FileIo
{
    /**
     * Opens a file of known length; on object stores this saves the HEAD request.
     *
     * @param length exact length in bytes, or -1 if unknown
     * @throws java.io.FileNotFoundException if there is no such file
     */
    FSDataInputStream open(Path path, long length)
            throws IOException;

    /**
     * Creates a new file with a name that nobody else uses; parents are made as needed. The file is complete
     * and durable once the stream is closed.
     */
    OutputStream create(Path path)
            throws IOException;

    /**
     * As {@link #create}, for one of several files of a directory: the file's name is durable once {@link #syncDirectory} was called too.
     */
    default OutputStream createUnsynced(Path path)
            throws IOException
    {
        return create(path);
    }

    /**
     * Makes a second file with the content of one that never changes, as {@link #create} makes one. Where the file system can, both share their bytes, and each lives until it is
     * deleted itself.
     *
     * @param length exact length of the file in bytes
     * @return bytes of the file, which are others than {@code length} if the file is damaged
     */
    default long duplicate(Path file, Path duplicate, long length)
            throws IOException
    {
        try (InputStream input = open(file, length); OutputStream output = create(duplicate)) {
            return input.transferTo(output);
        }
    }

    /**
     * Makes the names of the files in a directory durable, where that is not so from the beginning.
     */
    default void syncDirectory(Path directory)
            throws IOException
    {}

    /**
     * Whole content of a small file.
     *
     * @throws java.io.FileNotFoundException if there is no such file
     */
    byte[] readFully(Path path)
            throws IOException;

    /**
     * Publishes a small file so that it appears whole or not at all, and only if the name is free: of any
     * number of racing creators exactly one gets {@code true}. Their contents must differ: away from the local disk, equal content
     * is how a creator recognises its own file when the answer to its request was lost.
     *
     * @return false if the name was taken
     * @throws IOException if the outcome is unknown or the file could not be written
     */
    boolean createExclusively(Path path, byte[] content)
            throws IOException;

    /**
     * Writes a small file, replacing what is there. Readers may see the old or the new content.
     */
    void overwrite(Path path, byte[] content)
            throws IOException;

    /**
     * As {@link #overwrite}, of a file that readers can do without: after a crash it may be empty, or as it was before.
     */
    default void overwriteHint(Path path, byte[] content)
            throws IOException
    {
        overwrite(path, content);
    }

    boolean exists(Path path)
            throws IOException;

    /**
     * @throws java.io.FileNotFoundException if there is no such file
     */
    FileEntry status(Path path)
            throws IOException;

    /**
     * Direct children; empty if the directory does not exist.
     */
    List<FileEntry> list(Path directory)
            throws IOException;

    void createDirectories(Path directory)
            throws IOException;

    /**
     * Deletes a file; no error if it does not exist.
     */
    void deleteFile(Path path)
            throws IOException;

    void deleteRecursively(Path directory)
            throws IOException;

    /**
     * Renames a table's directory.
     *
     * @return false if the source is missing or the target exists
     */
    boolean renameDirectory(Path source, Path target)
            throws IOException;

    record FileEntry(Path path, long length, boolean directory, long modificationTimeMillis) {}
}
