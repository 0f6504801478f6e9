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
import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.lookup.LookupStatistics;
import io.lookup.storage.lookup.local.LocalDisk.ReadableFile;
import io.lookup.storage.lookup.local.LookupFileFormat.Footer;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

import static java.util.Objects.requireNonNull;

/**
 * Lookup files on their way between nodes, over the folders of the data files. A copy differs from the lookup file in what it says that it was
 * made of, see {@link LookupFileFormat#remoteIdentity}. One that cannot be put there or had from there is no error: each node can make the
 * file itself. Thread-safe.
 */
final class RemoteTransfer
{
    private static final Logger log = Logger.get(RemoteTransfer.class);

    private static final int BUFFER_BYTES = 1 << 18;

    private final LocalLookupFiles owner;
    private final LocalDisk disk;
    private final DiskSpace space;
    private final LookupStatistics statistics;
    private final AtomicBoolean warned = new AtomicBoolean();

    RemoteTransfer(LocalLookupFiles owner, LocalDisk disk, DiskSpace space, LookupStatistics statistics)
    {
        this.owner = requireNonNull(owner, "owner is null");
        this.disk = requireNonNull(disk, "disk is null");
        this.space = requireNonNull(space, "space is null");
        this.statistics = requireNonNull(statistics, "statistics is null");
    }

    /**
     * Puts a copy of a lookup file beside its data file.
     *
     * @param file to which the caller has a reference
     * @return the name of the copy; empty if there is none
     */
    Optional<String> upload(LocalFile file, LookupLayout layout, FileIo fileIo)
    {
        String name = LookupFileFormat.remoteName(file.dataFile(), layout);
        Path target = beside(file.dataFile(), name);
        try {
            long bytes;
            try (ReadableFile source = disk.open(file.path()); OutputStream output = fileIo.create(target)) {
                bytes = copy(source, Footer.read(source), LookupFileFormat.remoteIdentity(file.dataFile(), layout), output);
            }
            statistics.getFilesUploaded().update(1);
            statistics.getRemoteBytesWritten().update(bytes);
            return Optional.of(name);
        }
        catch (IOException | RuntimeException e) {
            failed(e, "Lookup file %s could not be written; other nodes make it from the data file".formatted(target));
            delete(fileIo, target);
            return Optional.empty();
        }
    }

    /**
     * Takes over what another node has left beside the data file. All of it is checked: one that is bad would else be had again
     * and again.
     *
     * @param temporary where it is written first
     * @return the file with a reference to it; empty if it cannot be had
     */
    Optional<LocalFile> download(LookupFileId id, FileIo fileIo, java.nio.file.Path temporary)
    {
        Path source = beside(id.dataFile(), id.remoteName());
        BoundedOutput output = null;
        try {
            long length = fileIo.status(source).length();
            if (!space.hasRoom(length)) {
                return Optional.empty();
            }
            try (FSDataInputStream input = fileIo.open(source, length)) {
                RemoteFile remote = new RemoteFile(input, length);
                Footer footer = Footer.read(remote);
                if (!footer.readIdentity(remote).equals(LookupFileFormat.remoteIdentity(id.dataFile(), id.layout())) || footer.rowCount() != id.file().rowCount()) {
                    throw new CorruptLookupFileException("it is of another data file or layout");
                }
                output = new BoundedOutput(disk.create(temporary), space, owner::evicted);
                statistics.getRemoteBytesRead().update(copy(remote, footer, id.identity(), output));
                output.close();
            }
            try (ReadableFile written = disk.open(temporary)) {
                LookupFileFormat.check(written);
            }
            LocalFile file = owner.complete(temporary, id.localName(), id.dataFile(), output.written(), true);
            statistics.getFilesDownloaded().update(1);
            return Optional.of(file);
        }
        catch (IOException | RuntimeException e) {
            failed(e, "Lookup file %s could not be taken over; it is made from the data file".formatted(source));
            if (output != null) {
                owner.discard(temporary, output);
            }
            return Optional.empty();
        }
    }

    private static Path beside(String dataFile, String name)
    {
        return new Path(new Path(dataFile).getParent(), name);
    }

    /**
     * @return the number of bytes
     */
    private static long copy(ReadableFile source, Footer footer, String identity, OutputStream output)
            throws IOException
    {
        byte[] buffer = new byte[BUFFER_BYTES];
        long position = 0;
        while (position < footer.identityOffset()) {
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException("The transfer was interrupted");
            }
            int length = (int) Math.min(buffer.length, footer.identityOffset() - position);
            if (length < buffer.length) {
                buffer = new byte[length];
            }
            source.read(position, buffer);
            output.write(buffer, 0, length);
            position += length;
        }
        Slice newIdentity = Slices.utf8Slice(identity);
        Slice newFooter = footer.withIdentity(newIdentity).toSlice();
        output.write(newIdentity.getBytes());
        output.write(newFooter.getBytes());
        return position + newIdentity.length() + newFooter.length();
    }

    private static void delete(FileIo fileIo, Path file)
    {
        try {
            fileIo.deleteFile(file);
        }
        catch (IOException | RuntimeException e) {
            log.debug(e, "Could not delete %s, which nothing refers to", file);
        }
    }

    private void failed(Exception cause, String message)
    {
        statistics.getTransfersFailed().update(1);
        if (warned.compareAndSet(false, true)) {
            log.warn("%s: %s. Further trouble with lookup files beside data files is logged as debug", message, cause);
        }
        log.debug(cause, "%s", message);
    }

    /**
     * Reads ahead where reads follow one another, as the stream does.
     */
    private record RemoteFile(FSDataInputStream input, long size)
            implements ReadableFile
    {
        @Override
        public void read(long position, byte[] buffer)
                throws IOException
        {
            input.seek(position);
            input.readFully(buffer);
        }

        @Override
        public void close()
        {
            // who opened the stream closes it
        }
    }
}
