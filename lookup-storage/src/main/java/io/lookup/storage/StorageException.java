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
package io.lookup.storage;

import static java.util.Objects.requireNonNull;

/**
 * The engine's one exception. Its message names the table, the option or file, the value, and what to do.
 */
public class StorageException
        extends RuntimeException
{
    private final StorageErrorCode errorCode;

    public StorageException(StorageErrorCode errorCode, String message)
    {
        this(errorCode, message, null);
    }

    public StorageException(StorageErrorCode errorCode, String message, Throwable cause)
    {
        super(message, cause);
        this.errorCode = requireNonNull(errorCode, "errorCode is null");
    }

    public StorageErrorCode errorCode()
    {
        return errorCode;
    }
}
