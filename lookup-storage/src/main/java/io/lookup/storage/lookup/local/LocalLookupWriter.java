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
import io.lookup.storage.lookup.LookupStatistics;
import io.trino.spi.Page;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

import static com.google.common.base.Preconditions.checkState;
import static java.util.Objects.requireNonNull;

/**
 * Writes the local lookup file of a data file that is being written, from the same rows. The local disk can fail or be full: then there is
 * no lookup file, and no exception. Not thread-safe.
 */
public final class LocalLookupWriter
{
    private static final Logger log = Logger.get(LocalLookupWriter.class);

    private static final int BUFFER_BYTES = 1 << 18;

    private final LocalLookupFiles owner;
    private final String dataFile;
    private final String identity;
    private final Path temporary;
    private final LookupStatistics statistics;

    private LookupFileWriter writer;
    private BoundedOutput output;
    private boolean failed;
    private boolean done;
    private volatile boolean cancelled;

    LocalLookupWriter(
            LocalLookupFiles owner,
            LocalDisk disk,
            DiskSpace space,
            Path temporary,
            String dataFile,
            LookupLayout layout,
            OptionalLong expectedRows,
            LookupStatistics statistics)
    {
        this.owner = requireNonNull(owner, "owner is null");
        this.dataFile = requireNonNull(dataFile, "dataFile is null");
        this.identity = LookupFileFormat.identity(dataFile, layout);
        this.temporary = requireNonNull(temporary, "temporary is null");
        this.statistics = requireNonNull(statistics, "statistics is null");
        try {
            this.output = new BoundedOutput(disk.create(temporary), space, owner::evicted);
            this.writer = new LookupFileWriter(
                    new BufferedOutputStream(output, BUFFER_BYTES),
                    layout,
                    identity,
                    owner.settings().blockBytes(),
                    owner.settings().compression(),
                    expectedRows);
        }
        catch (IOException | RuntimeException e) {
            fail(e);
        }
    }

    /**
     * @param page the layout that the writer was made for; rows ascending by key over all calls
     */
    public void write(Page page, int offset, int count)
    {
        checkState(!done, "writer is finished");
        if (isFailed()) {
            return;
        }
        try {
            writer.write(page, offset, count);
        }
        catch (IOException | RuntimeException e) {
            fail(e);
        }
    }

    /**
     * Makes the lookup file known, once the data file is complete.
     *
     * @param rowCount rows of the data file
     * @return whether there is one now
     */
    public boolean finish(long rowCount)
    {
        return finishFile(rowCount, false).isPresent();
    }

    /**
     * @param acquire whether to take a reference to the file
     */
    Optional<LocalFile> finishFile(long rowCount, boolean acquire)
    {
        checkState(!done, "writer is finished");
        if (isFailed()) {
            abort();
            return Optional.empty();
        }
        try {
            long rows = writer.finish();
            checkState(rows == rowCount, "The data file has %s rows, %s were given", rowCount, rows);
            LocalFile file = owner.complete(temporary, LookupFileFormat.name(dataFile, identity), dataFile, output.written(), acquire);
            done = true;
            writer = null;
            output = null;
            if (cancelled) {
                owner.dropFile(file);
            }
            statistics.getFilesWritten().update(1);
            statistics.getLocalBytesWritten().update(file.size());
            return Optional.of(file);
        }
        catch (IOException | RuntimeException e) {
            fail(e);
            abort();
            return Optional.empty();
        }
        finally {
            owner.ended(this);
        }
    }

    /**
     * Leaves nothing behind; may be called at any time.
     */
    public void abort()
    {
        if (!done) {
            done = true;
            discard();
            owner.ended(this);
        }
    }

    public long memoryUsage()
    {
        return writer == null ? 0 : writer.memoryUsage() + BUFFER_BYTES;
    }

    String dataFile()
    {
        return dataFile;
    }

    /**
     * The data file is gone: nothing more is written. Called by any thread.
     */
    void cancel()
    {
        cancelled = true;
    }

    boolean isFailed()
    {
        if (cancelled && !failed) {
            failed = true;
            statistics.getFilesFailed().update(1);
            discard();
        }
        return failed;
    }

    private void fail(Exception cause)
    {
        failed = true;
        if (cause instanceof BoundedOutput.NoRoomException) {
            statistics.getFilesRefused().update(1);
            log.debug("No room for the lookup file of %s beside those in use", dataFile);
        }
        else {
            statistics.getFilesFailed().update(1);
            owner.warn(cause, "Lookup file %s could not be written; keys are looked up in the data file".formatted(temporary));
        }
        discard();
    }

    private void discard()
    {
        writer = null;
        if (output != null) {
            BoundedOutput current = output;
            output = null;
            owner.discard(temporary, current);
        }
    }
}
