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
 * What went wrong in the engine, and whose turn it is: the user's (a bad statement or option), an
 * external party's (a store or a file that another program damaged), or ours.
 */
public enum StorageErrorCode
{
    INVALID_OPTION(Kind.USER),
    INVALID_SCHEMA(Kind.USER),
    UNSUPPORTED_TYPE(Kind.USER),
    UNSUPPORTED_FEATURE(Kind.USER),
    INVALID_ROW(Kind.USER),
    SCHEMA_ALREADY_EXISTS(Kind.USER),
    SCHEMA_NOT_FOUND(Kind.USER),
    SCHEMA_NOT_EMPTY(Kind.USER),
    TABLE_ALREADY_EXISTS(Kind.USER),
    TABLE_NOT_FOUND(Kind.USER),
    SNAPSHOT_NOT_FOUND(Kind.USER),
    COMMIT_CONFLICT(Kind.USER),
    MISSING_FILE(Kind.EXTERNAL),
    CORRUPT_FILE(Kind.EXTERNAL),
    FILE_SYSTEM_ERROR(Kind.EXTERNAL),
    WAREHOUSE_NOT_WRITABLE(Kind.EXTERNAL),
    WAREHOUSE_UNREACHABLE(Kind.EXTERNAL),
    COMMIT_FAILED(Kind.EXTERNAL),
    CATALOG_ERROR(Kind.EXTERNAL),
    INTERNAL_ERROR(Kind.INTERNAL);

    public enum Kind
    {
        USER,
        EXTERNAL,
        INTERNAL,
    }

    private final Kind kind;

    StorageErrorCode(Kind kind)
    {
        this.kind = requireNonNull(kind, "kind is null");
    }

    public Kind kind()
    {
        return kind;
    }
}
