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
import io.trino.spi.ErrorType;
import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.util.concurrent.CompletionException;

import static org.assertj.core.api.Assertions.assertThat;

final class TestStorageErrors
{
    @ParameterizedTest
    @EnumSource(StorageErrorCode.class)
    void testKindIsKept(StorageErrorCode code)
    {
        ErrorType expected = switch (code.kind()) {
            case USER -> ErrorType.USER_ERROR;
            case EXTERNAL -> ErrorType.EXTERNAL;
            case INTERNAL -> ErrorType.INTERNAL_ERROR;
        };
        TrinoException translated = (TrinoException) StorageErrors.translate(new StorageException(code, "what happened"));
        assertThat(translated.getErrorCode().getType()).isEqualTo(expected);
        assertThat(translated).hasMessage("what happened").hasCauseInstanceOf(StorageException.class);
    }

    @Test
    void testConflict()
    {
        assertThat(StorageErrors.errorCode(StorageErrorCode.COMMIT_CONFLICT)).isEqualTo(StandardErrorCode.TRANSACTION_CONFLICT);
    }

    @Test
    void testWrappedFailures()
    {
        TrinoException trinoException = new TrinoException(StandardErrorCode.NOT_SUPPORTED, "no");
        assertThat(StorageErrors.translate(new CompletionException(trinoException))).isSameAs(trinoException);
        assertThat(((TrinoException) StorageErrors.translate(new UncheckedIOException(new AccessDeniedException("/file")))).getErrorCode())
                .isEqualTo(LookupErrorCode.LOOKUP_FILE_SYSTEM_ERROR.toErrorCode());
        IllegalStateException other = new IllegalStateException("a defect");
        assertThat(StorageErrors.translate(other)).isSameAs(other);
    }
}
