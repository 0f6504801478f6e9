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
import io.lookup.storage.format.TableBlockEncodings;
import io.lookup.storage.lookup.local.BlockCache.Slot;
import io.lookup.storage.lookup.local.BlockCache.Slots;
import io.lookup.storage.lookup.local.LocalDisk.ReadableFile;
import io.lookup.storage.lookup.local.LookupFileFormat.Directory;
import io.lookup.storage.lookup.local.LookupFileFormat.Footer;

import java.io.IOException;
import java.nio.file.Path;

import static com.google.common.base.Preconditions.checkState;
import static java.util.Objects.requireNonNull;

/**
 * A complete lookup file on this node's disk. What says who uses it belongs to {@link LocalLookupFiles} and is guarded by that; reading is
 * thread-safe, and allowed to those who have a reference.
 */
final class LocalFile
{
    private static final Logger log = Logger.get(LocalFile.class);

    private final String name;
    private final Path path;
    private final String dataFile;
    private final long size;
    private final LocalDisk disk;

    // guarded by the registry
    int references;
    boolean dropped;
    long lastAccessMillis;

    private final Slot directorySlot = new Slots(1).slot(0);
    private volatile Opened opened;

    /**
     * @param name what it is known by; two files can have the same while one goes and the other comes
     */
    LocalFile(String name, Path path, String dataFile, long size, LocalDisk disk)
    {
        this.name = requireNonNull(name, "name is null");
        this.path = requireNonNull(path, "path is null");
        this.dataFile = requireNonNull(dataFile, "dataFile is null");
        this.size = size;
        this.disk = requireNonNull(disk, "disk is null");
    }

    String name()
    {
        return name;
    }

    Path path()
    {
        return path;
    }

    String dataFile()
    {
        return dataFile;
    }

    long size()
    {
        return size;
    }

    long rowCount()
            throws IOException
    {
        return open().footer.rowCount();
    }

    /**
     * @throws CorruptLookupFileException if the file is not what it should be
     */
    void checkIdentity(String identity)
            throws IOException
    {
        if (!open().identity.equals(identity)) {
            throw new CorruptLookupFileException("it is of another data file or layout");
        }
    }

    Directory directory(BlockCache cache)
            throws IOException
    {
        Opened current = open();
        return (Directory) cache.get(directorySlot, () -> Directory.read(current.reader, current.footer));
    }

    /**
     * Where the blocks are if they are in memory. To be called after {@link #directory}.
     */
    Slots blockSlots()
    {
        return opened.slots;
    }

    LookupBlock loadBlock(int block, Directory directory, int channelCount, TableBlockEncodings encodings, BlockCache cache)
            throws IOException
    {
        Opened current = open();
        return (LookupBlock) cache.get(current.slots.slot(block), () -> {
            try {
                return LookupBlock.read(
                        LookupFileFormat.readBlock(current.reader, directory.offsets()[block], directory.offsets()[block + 1], directory.rawLengths()[block]),
                        channelCount,
                        encodings);
            }
            catch (RuntimeException e) {
                throw new IOException("Block %s of %s cannot be decoded".formatted(block, path), e);
            }
        });
    }

    private Opened open()
            throws IOException
    {
        Opened current = opened;
        if (current != null) {
            return current;
        }
        synchronized (this) {
            if (opened == null) {
                ReadableFile reader = disk.open(path);
                try {
                    Footer footer = Footer.read(reader);
                    opened = new Opened(reader, footer, footer.readIdentity(reader), new Slots(footer.blockCount()));
                }
                catch (IOException | RuntimeException e) {
                    reader.close();
                    throw e;
                }
            }
            return opened;
        }
    }

    /**
     * To be called when nobody has a reference.
     */
    void close(BlockCache cache)
    {
        checkState(references == 0, "%s is in use", path);
        Opened current = opened;
        if (current == null) {
            return;
        }
        opened = null;
        cache.invalidate(ImmutableList.<Slot>builder().add(directorySlot).addAll(current.slots.all()).build());
        try {
            current.reader.close();
        }
        catch (IOException | RuntimeException e) {
            log.debug(e, "Could not close %s", path);
        }
    }

    private record Opened(ReadableFile reader, Footer footer, String identity, Slots slots) {}
}
