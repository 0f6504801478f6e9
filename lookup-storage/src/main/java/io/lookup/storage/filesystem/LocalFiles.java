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

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.UUID;

import static java.util.Objects.requireNonNull;

/**
 * Durable and exclusive writes on a local (POSIX) file system, which Hadoop's local file system does not offer.
 */
final class LocalFiles
{
    private LocalFiles() {}

    static OutputStream create(Path file)
            throws IOException
    {
        return create(file, true);
    }

    /**
     * A file whose name is durable once its directory is synced.
     */
    static OutputStream createUnsynced(Path file)
            throws IOException
    {
        return create(file, false);
    }

    private static OutputStream create(Path file, boolean syncsDirectory)
            throws IOException
    {
        createDirectories(file.getParent());
        return new DurableOutputStream(file, FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), syncsDirectory);
    }

    /**
     * A hard link to a complete file fails if the name is taken, also against other processes; neither an exclusive
     * create (a kill leaves half a file) nor a rename (it replaces) has both properties.
     */
    static boolean createExclusively(Path file, byte[] content)
            throws IOException
    {
        createDirectories(file.getParent());
        Path temporary = temporaryFile(file);
        try {
            write(temporary, content, true);
            if (!link(temporary, file)) {
                return false;
            }
            syncDirectory(file.getParent());
            return true;
        }
        finally {
            Files.deleteIfExists(temporary);
        }
    }

    private static boolean link(Path temporary, Path file)
            throws IOException
    {
        try {
            Files.createLink(file, temporary);
            return true;
        }
        catch (FileAlreadyExistsException e) {
            // a network file system can repeat a request that had succeeded: then the existing link is ours
            return isSameFile(file, temporary);
        }
        catch (UnsupportedOperationException e) {
            throw new IOException("The file system of %s has no hard links, which publishing needs".formatted(file), e);
        }
    }

    /**
     * A second name for a file.
     *
     * @return false if the file system has none
     */
    static boolean linkDurably(Path file, Path link)
            throws IOException
    {
        try {
            Files.createLink(link, file);
        }
        catch (FileAlreadyExistsException | NoSuchFileException e) {
            throw e;
        }
        catch (UnsupportedOperationException | FileSystemException e) {
            // one that has no links says so in many ways, and there is a limit to the names of a file
            return false;
        }
        syncDirectory(link.getParent());
        return true;
    }

    private static boolean isSameFile(Path first, Path second)
            throws IOException
    {
        try {
            return Files.isSameFile(first, second);
        }
        catch (NoSuchFileException e) {
            return false;
        }
    }

    /**
     * @param durable whether the content has to survive a crash
     */
    static void overwrite(Path file, byte[] content, boolean durable)
            throws IOException
    {
        createDirectories(file.getParent());
        Path temporary = temporaryFile(file);
        try {
            write(temporary, content, durable);
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
        finally {
            Files.deleteIfExists(temporary);
        }
    }

    static boolean renameDirectory(Path source, Path target)
            throws IOException
    {
        if (!Files.isDirectory(source) || Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        createDirectories(target.getParent());
        try {
            Files.move(source, target, StandardCopyOption.ATOMIC_MOVE);
        }
        catch (NoSuchFileException | FileAlreadyExistsException | DirectoryNotEmptyException e) {
            return false;
        }
        syncDirectory(target.getParent());
        if (!target.getParent().equals(source.getParent())) {
            syncDirectory(source.getParent());
        }
        return true;
    }

    static void createDirectories(Path directory)
            throws IOException
    {
        Deque<Path> missing = new ArrayDeque<>();
        for (Path current = directory; current != null && !Files.isDirectory(current); current = current.getParent()) {
            missing.push(current);
        }
        if (missing.isEmpty()) {
            return;
        }
        Files.createDirectories(directory);
        // a file is durable only if the names of all its directories are
        for (Path created : missing) {
            syncDirectory(created.getParent());
        }
    }

    private static Path temporaryFile(Path file)
    {
        return file.resolveSibling(".%s.%s.tmp".formatted(file.getFileName(), UUID.randomUUID()));
    }

    private static void write(Path file, byte[] content, boolean durable)
            throws IOException
    {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            writeAll(channel, ByteBuffer.wrap(content));
            if (durable) {
                channel.force(true);
            }
        }
    }

    private static void writeAll(FileChannel channel, ByteBuffer buffer)
            throws IOException
    {
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    static void syncDirectory(Path directory)
            throws IOException
    {
        if (directory == null) {
            return;
        }
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private static final class DurableOutputStream
            extends OutputStream
    {
        private static final int BUFFER_SIZE = 64 * 1024;

        private final Path file;
        private final FileChannel channel;
        private final boolean syncsDirectory;
        private final byte[] buffer = new byte[BUFFER_SIZE];
        private int buffered;
        private boolean closed;

        private DurableOutputStream(Path file, FileChannel channel, boolean syncsDirectory)
        {
            this.file = requireNonNull(file, "file is null");
            this.channel = requireNonNull(channel, "channel is null");
            this.syncsDirectory = syncsDirectory;
        }

        @Override
        public void write(int value)
                throws IOException
        {
            if (buffered == buffer.length) {
                flush();
            }
            buffer[buffered] = (byte) value;
            buffered++;
        }

        @Override
        public void write(byte[] bytes, int offset, int length)
                throws IOException
        {
            if (length > buffer.length - buffered) {
                flush();
            }
            if (length >= buffer.length) {
                writeAll(channel, ByteBuffer.wrap(bytes, offset, length));
                return;
            }
            System.arraycopy(bytes, offset, buffer, buffered, length);
            buffered += length;
        }

        @Override
        public void flush()
                throws IOException
        {
            writeAll(channel, ByteBuffer.wrap(buffer, 0, buffered));
            buffered = 0;
        }

        @Override
        public void close()
                throws IOException
        {
            if (closed) {
                return;
            }
            closed = true;
            try (channel) {
                flush();
                channel.force(true);
            }
            if (syncsDirectory) {
                syncDirectory(file.getParent());
            }
        }
    }
}
