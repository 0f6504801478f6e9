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
package io.lookup.trino;

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.trino.spi.ErrorCodeSupplier;
import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * Turns the engine's errors into Trino's, at every place where the engine is entered.
 */
public final class StorageErrors
{
    private StorageErrors() {}

    public static <T> T translating(Supplier<T> action)
    {
        try {
            return action.get();
        }
        catch (StorageException | UncheckedIOException e) {
            throw translate(e);
        }
    }

    public static void translating(Runnable action)
    {
        try {
            action.run();
        }
        catch (StorageException | UncheckedIOException e) {
            throw translate(e);
        }
    }

    /**
     * @return the exception itself where it needs no translation
     */
    public static RuntimeException translate(Throwable failure)
    {
        return switch (failure) {
            case TrinoException exception -> exception;
            case StorageException exception -> new TrinoException(errorCode(exception.errorCode()), exception.getMessage(), exception);
            case UncheckedIOException exception -> translate(exception.getCause());
            case CompletionException exception when exception.getCause() != null -> translate(exception.getCause());
            case FileNotFoundException exception -> new TrinoException(LookupErrorCode.LOOKUP_MISSING_FILE, "File not found: " + exception.getMessage(), exception);
            case IOException exception -> new TrinoException(LookupErrorCode.LOOKUP_FILE_SYSTEM_ERROR, "File system error: " + exception.getMessage(), exception);
            case RuntimeException exception -> exception;
            default -> new TrinoException(LookupErrorCode.LOOKUP_INTERNAL_ERROR, failure.toString(), failure);
        };
    }

    static ErrorCodeSupplier errorCode(StorageErrorCode code)
    {
        return switch (code) {
            case INVALID_OPTION -> StandardErrorCode.INVALID_TABLE_PROPERTY;
            case INVALID_SCHEMA -> LookupErrorCode.LOOKUP_INVALID_SCHEMA;
            case UNSUPPORTED_TYPE, UNSUPPORTED_FEATURE -> StandardErrorCode.NOT_SUPPORTED;
            case INVALID_ROW -> StandardErrorCode.CONSTRAINT_VIOLATION;
            case SCHEMA_ALREADY_EXISTS -> StandardErrorCode.SCHEMA_ALREADY_EXISTS;
            case SCHEMA_NOT_FOUND -> StandardErrorCode.SCHEMA_NOT_FOUND;
            case SCHEMA_NOT_EMPTY -> StandardErrorCode.SCHEMA_NOT_EMPTY;
            case TABLE_ALREADY_EXISTS -> StandardErrorCode.TABLE_ALREADY_EXISTS;
            case TABLE_NOT_FOUND -> StandardErrorCode.TABLE_NOT_FOUND;
            case SNAPSHOT_NOT_FOUND -> StandardErrorCode.INVALID_ARGUMENTS;
            case COMMIT_CONFLICT -> StandardErrorCode.TRANSACTION_CONFLICT;
            case MISSING_FILE -> LookupErrorCode.LOOKUP_MISSING_FILE;
            case CORRUPT_FILE -> LookupErrorCode.LOOKUP_CORRUPT_FILE;
            case FILE_SYSTEM_ERROR -> LookupErrorCode.LOOKUP_FILE_SYSTEM_ERROR;
            case WAREHOUSE_NOT_WRITABLE -> LookupErrorCode.LOOKUP_WAREHOUSE_NOT_WRITABLE;
            case WAREHOUSE_UNREACHABLE -> LookupErrorCode.LOOKUP_WAREHOUSE_UNREACHABLE;
            case CATALOG_ERROR -> LookupErrorCode.LOOKUP_CATALOG_ERROR;
            case COMMIT_FAILED -> LookupErrorCode.LOOKUP_COMMIT_FAILED;
            case INTERNAL_ERROR -> LookupErrorCode.LOOKUP_INTERNAL_ERROR;
        };
    }
}
