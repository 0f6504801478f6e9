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

import java.io.EOFException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.channels.FileChannel.MapMode.READ_ONLY;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.READ;

/**
 * The disk of this node. Files are read through mappings, which need no system call a block, and which unlike channels are not closed by the
 * interruption of a thread that reads.
 */
final class MappedDisk
        implements LocalDisk
{
    @Override
    public OutputStream create(Path path)
            throws IOException
    {
        // no channel: an interruption of the writer would close it in the middle of a block
        return new FileOutputStream(path.toFile());
    }

    // closed with the file
    @SuppressWarnings("MustBeClosedChecker")
    @Override
    public ReadableFile open(Path path)
            throws IOException
    {
        Arena arena = Arena.ofShared();
        try (FileChannel channel = FileChannel.open(path, READ)) {
            return new MappedFile(arena, channel.map(READ_ONLY, 0, channel.size(), arena));
        }
        catch (IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    @Override
    public void move(Path source, Path target)
            throws IOException
    {
        Files.move(source, target, ATOMIC_MOVE);
    }

    @Override
    public void delete(Path path)
            throws IOException
    {
        Files.deleteIfExists(path);
    }

    private record MappedFile(Arena arena, MemorySegment segment)
            implements ReadableFile
    {
        @Override
        public long size()
        {
            return segment.byteSize();
        }

        @Override
        public void read(long position, byte[] buffer)
                throws IOException
        {
            if (position < 0 || position > segment.byteSize() - buffer.length) {
                throw new EOFException("Bytes %s to %s are not in the file's %s bytes".formatted(position, position + buffer.length, segment.byteSize()));
            }
            try {
                MemorySegment.copy(segment, JAVA_BYTE, position, buffer, 0, buffer.length);
            }
            catch (InternalError e) {
                // what the machine says of a page that the disk does not give, or that somebody cut off
                throw new IOException("The mapped file cannot be read", e);
            }
        }

        @Override
        public void close()
        {
            arena.close();
        }
    }
}
