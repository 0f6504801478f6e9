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
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.CreateFileOptionKeys;
import org.apache.hadoop.fs.Path;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Arrays;
import java.util.UUID;

/**
 * Exclusive creation on stores other than the local disk.
 */
final class RemoteExclusiveFiles
{
    private RemoteExclusiveFiles() {}

    /**
     * One conditional PUT. The option is demanded rather than asked for, so that a file system which does not know
     * it refuses instead of overwriting.
     */
    @SuppressWarnings("unchecked") // the door of FileSystem has no type arguments
    static boolean createConditionally(FileSystem fileSystem, Path path, byte[] content)
            throws IOException
    {
        FSDataOutputStreamBuilder<? extends FSDataOutputStream, ?> builder = fileSystem.createFile(path);
        builder.recursive();
        builder.overwrite(false);
        builder.must(CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE, true);
        try (FSDataOutputStream output = builder.build()) {
            try {
                output.write(content);
            }
            catch (IOException | RuntimeException e) {
                // closing would publish what was written so far, under a name that then is taken for ever
                output.abort();
                throw e;
            }
        }
        catch (IOException e) {
            // Several failures mean several things: the name was taken; our own PUT had succeeded, its answer was lost and
            // the retry met it; or nothing was written. What lies there now tells them apart.
            return resolve(fileSystem, path, content, e);
        }
        return true;
    }

    /**
     * A complete temporary file, then a rename that fails if the target exists, as of any Hadoop file system that is not known better. The target is
     * not looked for before: that would cost a request, and hide from {@link WarehouseProbe} a store whose renames replace.
     */
    static boolean createByRename(FileSystem fileSystem, Path path, byte[] content)
            throws IOException
    {
        Path temporary = temporary(path);
        try (FSDataOutputStream output = fileSystem.create(temporary, false)) {
            output.write(content);
            if (output.hasCapability("hsync")) {
                output.hsync();
            }
        }
        catch (IOException e) {
            deleteTemporary(fileSystem, temporary, e);
            throw e;
        }
        try {
            if (!fileSystem.rename(temporary, path)) {
                throw new IOException("%s could not be renamed to %s".formatted(temporary, path));
            }
            return true;
        }
        catch (IOException e) {
            return resolveRename(fileSystem, temporary, path, content, e);
        }
    }

    static Path temporary(Path path)
    {
        return new Path(path.getParent(), ".%s.%s.tmp".formatted(path.getName(), UUID.randomUUID()));
    }

    /**
     * What became of a rename that failed. Taking the temporary file away comes first: a rename whose answer did not come may still
     * be on its way, and without the file it does nothing any more. So what is seen afterwards stays true.
     */
    static boolean resolveRename(FileSystem fileSystem, Path temporary, Path path, byte[] content, IOException failure)
            throws IOException
    {
        deleteTemporary(fileSystem, temporary, failure);
        return resolve(fileSystem, path, content, failure);
    }

    /**
     * One that stays is invisible to readers, and found by who removes orphan files.
     */
    static void deleteTemporary(FileSystem fileSystem, Path temporary, IOException failure)
    {
        try {
            fileSystem.delete(temporary, false);
        }
        catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    private static boolean resolve(FileSystem fileSystem, Path path, byte[] content, IOException failure)
            throws IOException
    {
        if (failure instanceof FileAlreadyExistsException) {
            return false;
        }
        byte[] existing;
        try {
            existing = read(fileSystem, path, content.length + 1);
        }
        catch (FileNotFoundException e) {
            failure.addSuppressed(e);
            throw failure;
        }
        catch (IOException e) {
            failure.addSuppressed(e);
            throw new IOException("It is unknown whether %s was created".formatted(path), failure);
        }
        return Arrays.equals(existing, content);
    }

    private static byte[] read(FileSystem fileSystem, Path path, int limit)
            throws IOException
    {
        try (FSDataInputStream input = fileSystem.open(path)) {
            return input.readNBytes(limit);
        }
    }
}
