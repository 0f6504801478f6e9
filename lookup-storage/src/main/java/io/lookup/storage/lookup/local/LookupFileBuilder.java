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

import io.airlift.stats.TimeStat;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.deletion.DeletionVector;
import io.lookup.storage.lookup.FileLookup;
import io.lookup.storage.lookup.LookupStatistics;
import io.trino.spi.Page;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import static java.util.Objects.requireNonNull;

/**
 * Makes the lookup files of data files that are there, each by one thread at a time. Thread-safe.
 */
final class LookupFileBuilder
        implements BackgroundCopies.Maker
{
    private final LocalLookupFiles owner;
    private final Optional<LocalDirectory> directory;
    private final DiskSpace space;
    private final RemoteTransfer transfer;
    private final LookupStatistics statistics;
    private final ConcurrentMap<String, PendingBuild> builds = new ConcurrentHashMap<>();

    LookupFileBuilder(LocalLookupFiles owner, Optional<LocalDirectory> directory, DiskSpace space, RemoteTransfer transfer, LookupStatistics statistics)
    {
        this.owner = requireNonNull(owner, "owner is null");
        this.directory = requireNonNull(directory, "directory is null");
        this.space = requireNonNull(space, "space is null");
        this.transfer = requireNonNull(transfer, "transfer is null");
        this.statistics = requireNonNull(statistics, "statistics is null");
    }

    /**
     * As {@link LocalLookupFiles#build}.
     */
    Optional<FileLookup> build(LookupFileId id, Optional<FileIo> remote, DataFileRows rows, DeletionVector deleted, DataFileLookup fallback)
            throws IOException
    {
        String name = id.localName();
        while (true) {
            Optional<FileLookup> existing = owner.find(id, deleted, fallback);
            if (existing.isPresent()) {
                return existing;
            }
            PendingBuild build = new PendingBuild();
            PendingBuild other = builds.putIfAbsent(name, build);
            if (other == null) {
                try {
                    // the one before may have ended since
                    existing = owner.find(id, deleted, fallback);
                    if (existing.isPresent()) {
                        return existing;
                    }
                    Optional<LocalFile> file = makeFile(id, remote, rows);
                    build.refused(file.isEmpty());
                    return file.flatMap(local -> owner.open(local, id, deleted, fallback));
                }
                finally {
                    builds.remove(name, build);
                    build.end();
                }
            }
            if (!other.await()) {
                return Optional.empty();
            }
            // it is there now, or the other could not read the data file and this one tries by itself
        }
    }

    @Override
    public boolean make(LookupFileId id, Optional<FileIo> remote, DataFileRows rows)
            throws IOException
    {
        Optional<FileLookup> lookup = build(id, remote, rows, DeletionVector.EMPTY, () -> {
            throw new IOException("The lookup file of %s is only made".formatted(id.dataFile()));
        });
        if (lookup.isPresent()) {
            lookup.get().close();
        }
        return lookup.isPresent();
    }

    @Override
    public void drop(LookupFileId id)
    {
        owner.dropFiles(file -> file.dataFile().equals(id.dataFile()));
    }

    @Override
    public void failed(LookupFileId id, Exception cause)
    {
        owner.warn(cause, "The lookup file of %s could not be made; keys are looked up in the data file".formatted(id.dataFile()));
    }

    private Optional<LocalFile> makeFile(LookupFileId id, Optional<FileIo> remote, DataFileRows rows)
            throws IOException
    {
        if (directory.isEmpty()) {
            return Optional.empty();
        }
        if (remote.isPresent() && id.hasRemoteCopy()) {
            Optional<LocalFile> downloaded = transfer.download(id, remote.get(), directory.get().newTemporary(id.localName()));
            if (downloaded.isPresent()) {
                return downloaded;
            }
        }
        if (!space.hasRoom(id.file().fileSize())) {
            statistics.getFilesRefused().update(1);
            return Optional.empty();
        }
        LocalLookupWriter writer = owner.newWriter(id.dataFile(), id.layout(), OptionalLong.of(id.file().rowCount()));
        try (TimeStat.BlockTimer _ = statistics.getBuildTime().time(); PageStream pages = rows.open()) {
            for (Page page = pages.nextPage(); page != null; page = pages.nextPage()) {
                writer.write(page, 0, page.getPositionCount());
                if (writer.isFailed()) {
                    break;
                }
            }
            return writer.finishFile(id.file().rowCount(), true);
        }
        finally {
            writer.abort();
        }
    }
}
