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

import io.trino.spi.ErrorCode;
import io.trino.spi.ErrorCodeSupplier;
import io.trino.spi.ErrorType;

import static io.trino.spi.ErrorType.EXTERNAL;
import static io.trino.spi.ErrorType.INTERNAL_ERROR;
import static io.trino.spi.ErrorType.USER_ERROR;

/**
 * Errors of this connector that Trino has no code of its own for. Numbers are never used again.
 */
public enum LookupErrorCode
        implements ErrorCodeSupplier
{
    LOOKUP_INVALID_SCHEMA(0, USER_ERROR),
    LOOKUP_MISSING_FILE(1, EXTERNAL),
    LOOKUP_CORRUPT_FILE(2, EXTERNAL),
    LOOKUP_FILE_SYSTEM_ERROR(3, EXTERNAL),
    LOOKUP_WAREHOUSE_NOT_WRITABLE(4, EXTERNAL),
    LOOKUP_WAREHOUSE_UNREACHABLE(5, EXTERNAL),
    LOOKUP_COMMIT_FAILED(6, EXTERNAL),
    LOOKUP_INTERNAL_ERROR(7, INTERNAL_ERROR),
    LOOKUP_CATALOG_ERROR(8, EXTERNAL),
    /**/;

    private final ErrorCode errorCode;

    LookupErrorCode(int code, ErrorType type)
    {
        errorCode = new ErrorCode(code + 0x1100_0000, name(), type, type == USER_ERROR);
    }

    @Override
    public ErrorCode toErrorCode()
    {
        return errorCode;
    }
}
