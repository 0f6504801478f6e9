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
package io.lookup.storage.format.column;

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.trino.parquet.ParquetCorruptionException;
import org.apache.hadoop.fs.Path;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.nio.file.NoSuchFileException;

/**
 * Says what a failed read means for the user.
 */
public final class ReadErrors
{
    private ReadErrors() {}

    public static StorageException translate(Path path, Throwable failure)
    {
        if (failure instanceof StorageException storageException) {
            return storageException;
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof FileNotFoundException || cause instanceof NoSuchFileException) {
                return new StorageException(
                        StorageErrorCode.MISSING_FILE,
                        "File %s does not exist although the table refers to it; it may have expired while it was read (retry, or keep snapshots longer), else restore it from a copy".formatted(path),
                        failure);
            }
            if (cause instanceof StoreException) {
                return new StorageException(
                        StorageErrorCode.FILE_SYSTEM_ERROR, "Could not read file %s: %s; check the store and retry".formatted(path, cause.getMessage()), failure);
            }
            if (cause instanceof ParquetCorruptionException || cause instanceof EOFException) {
                return corrupt(path, cause, failure);
            }
        }
        // decoders fail in many ways on bytes that no writer made
        return corrupt(path, failure, failure);
    }

    private static StorageException corrupt(Path path, Throwable reason, Throwable failure)
    {
        String message = reason.getMessage() == null ? reason.getClass().getSimpleName() : reason.getMessage();
        return new StorageException(
                StorageErrorCode.CORRUPT_FILE, "File %s is damaged or not a %s file (%s); restore it from a copy".formatted(path, format(path), message), failure);
    }

    private static String format(Path path)
    {
        String name = path.getName();
        return switch (name.substring(name.lastIndexOf('.') + 1)) {
            case "orc" -> "ORC";
            case "avro" -> "Avro";
            default -> "Parquet";
        };
    }
}
