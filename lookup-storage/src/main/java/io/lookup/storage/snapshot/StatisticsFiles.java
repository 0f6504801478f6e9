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
package io.lookup.storage.snapshot;

import io.airlift.log.Logger;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import org.apache.hadoop.fs.Path;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.util.UUID;

import static java.util.Objects.requireNonNull;

/**
 * Reads and writes a table's statistics files. Thread-safe.
 */
public final class StatisticsFiles
{
    private static final Logger log = Logger.get(StatisticsFiles.class);

    private final FileIo fileIo;
    private final Path directory;

    /**
     * @param directory the table's folder of statistics
     */
    public StatisticsFiles(FileIo fileIo, Path directory)
    {
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.directory = requireNonNull(directory, "directory is null");
    }

    /**
     * @param fileName as a snapshot names it
     * @throws StorageException MISSING_FILE or CORRUPT_FILE naming the file
     */
    public StoredStatistics read(String fileName)
    {
        Path file = new Path(directory, fileName);
        try {
            return StatisticsJson.read(file, fileIo.readFully(file));
        }
        catch (FileNotFoundException e) {
            throw new StorageException(StorageErrorCode.MISSING_FILE, "Statistics file %s is missing: run ANALYZE again".formatted(file), e);
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "Statistics file %s could not be read: %s".formatted(file, e.getMessage()), e);
        }
    }

    /**
     * @return name of the file, which nobody reads before a snapshot names it
     */
    public String write(StoredStatistics statistics)
    {
        Path file = new Path(directory, "stat-%s-0".formatted(UUID.randomUUID()));
        try (OutputStream output = fileIo.create(file)) {
            output.write(StatisticsJson.write(statistics));
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "Statistics file %s could not be written: %s".formatted(file, e.getMessage()), e);
        }
        return file.getName();
    }

    /**
     * Deletes a file that no snapshot names. A failure is only logged, since such a file does no harm.
     */
    public void discard(String fileName)
    {
        Path file = new Path(directory, fileName);
        try {
            fileIo.deleteFile(file);
        }
        catch (IOException | RuntimeException e) {
            log.warn(e, "Could not delete unused statistics file %s", file);
        }
    }
}
