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

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.FileIo.FileEntry;
import io.lookup.storage.filesystem.FileNumber;
import org.apache.hadoop.fs.Path;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;

/**
 * Lowest and highest number of the files {@code <prefix><number>} of a directory, with the files LATEST and EARLIEST as
 * hints that spare listing it. A hint that cannot be read, or that is seen to be stale, costs a listing.
 */
final class HintFiles
{
    static final String LATEST = "LATEST";
    static final String EARLIEST = "EARLIEST";

    private static final int ATTEMPTS = 3;

    private final FileIo fileIo;
    private final Path directory;
    private final String prefix;

    HintFiles(FileIo fileIo, Path directory, String prefix)
    {
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.directory = requireNonNull(directory, "directory is null");
        this.prefix = requireNonNull(prefix, "prefix is null");
    }

    Path file(long number)
    {
        return new Path(directory, prefix + number);
    }

    OptionalLong latest()
    {
        OptionalLong hint = read(LATEST);
        // that the next one is missing is the whole proof: the format's rollback relies on the hint being believed
        if (hint.isPresent() && hint.getAsLong() > 0 && !exists(hint.getAsLong() + 1)) {
            return hint;
        }
        return numbers().stream().mapToLong(Long::longValue).max();
    }

    /**
     * The lowest number that is there, which is below {@link #earliest} where a removal broke off. It goes upwards, so that one look tells.
     */
    OptionalLong lowest()
    {
        OptionalLong earliest = earliest();
        if (earliest.isPresent() && earliest.getAsLong() > 1 && exists(earliest.getAsLong() - 1)) {
            return numbers().stream().mapToLong(Long::longValue).min();
        }
        return earliest;
    }

    OptionalLong earliest()
    {
        OptionalLong hint = read(EARLIEST);
        if (hint.isPresent() && exists(hint.getAsLong())) {
            return hint;
        }
        return numbers().stream().mapToLong(Long::longValue).min();
    }

    List<Long> numbers()
    {
        List<Long> numbers = new ArrayList<>();
        try {
            for (FileEntry entry : fileIo.list(directory)) {
                FileNumber.parse(entry.path().getName(), prefix).ifPresent(numbers::add);
            }
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "Directory %s could not be listed: %s".formatted(directory, e.getMessage()), e);
        }
        return numbers;
    }

    boolean exists(long number)
    {
        try {
            return fileIo.exists(file(number));
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "File %s could not be looked for: %s".formatted(file(number), e.getMessage()), e);
        }
    }

    /**
     * Readers do without a hint, so a failure to write one is no failure.
     */
    void write(String hint, long number)
    {
        write(content -> fileIo.overwriteHint(new Path(directory, hint), content), number);
    }

    /**
     * As {@link #write}, where what comes next takes the number that the hint had away.
     */
    boolean writeDurably(String hint, long number)
    {
        return write(content -> fileIo.overwrite(new Path(directory, hint), content), number);
    }

    /**
     * As {@link #writeDurably}, where what comes next must not be done without the hint.
     */
    void require(String hint, long number)
    {
        if (!writeDurably(hint, number)) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "File %s could not be written".formatted(new Path(directory, hint)));
        }
    }

    private static boolean write(ContentWriter writer, long number)
    {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                writer.write(Long.toString(number).getBytes(US_ASCII));
                return true;
            }
            catch (IOException e) {
                pause();
            }
        }
        return false;
    }

    private interface ContentWriter
    {
        void write(byte[] content)
                throws IOException;
    }

    boolean hintExists(String hint)
    {
        try {
            return fileIo.exists(new Path(directory, hint));
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "File %s could not be looked for: %s".formatted(new Path(directory, hint), e.getMessage()), e);
        }
    }

    void delete(long number)
    {
        try {
            fileIo.deleteFile(file(number));
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "File %s could not be deleted: %s".formatted(file(number), e.getMessage()), e);
        }
    }

    private OptionalLong read(String hint)
    {
        Path file = new Path(directory, hint);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                // another engine overwrites hints in place: an empty or cut one is read again
                return OptionalLong.of(Long.parseLong(new String(fileIo.readFully(file), US_ASCII)));
            }
            catch (FileNotFoundException e) {
                return OptionalLong.empty();
            }
            catch (IOException | NumberFormatException e) {
                pause();
            }
        }
        return OptionalLong.empty();
    }

    private static void pause()
    {
        try {
            Thread.sleep(1);
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
