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
package io.lookup.storage.schema;

import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;

import java.util.Map;

/**
 * Options that change what a reader must return, or where it finds it, and that are not implemented.
 */
final class ReadSupport
{
    // by key, the only value that can be read; an empty text where any value is too much
    private static final Map<String, String> READABLE_VALUES = ImmutableMap.<String, String>builder()
            .put("type", "table")
            .put("branch", "main")
            .put("manifest.format", "avro")
            .put("pk-clustering-override", "false")
            .put("sequence.snapshot-ordering", "false")
            .put("data-evolution.enabled", "false")
            .put("chain-table.enabled", "false")
            .put("query-auth.enabled", "false")
            .put("data-file.path-directory", "")
            .put("scan.fallback-branch", "")
            .put("scan.primary-branch", "")
            .put("blob-field", "")
            // of versions after 1.4
            .put("deletion-vectors.merge-on-read", "false")
            .put("postpone.merge-on-read", "false")
            .put("primary-key.nullable", "false")
            .put("scan.bucket", "")
            .buildOrThrow();

    private ReadSupport() {}

    static void check(TableSchema schema)
    {
        READABLE_VALUES.forEach((key, readable) -> {
            String value = schema.options().get(key);
            if (value != null && !value.trim().equalsIgnoreCase(readable)) {
                throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, "Option '%s' = '%s' is not supported for reading".formatted(key, value));
            }
        });
        if (!schema.primaryKeys().isEmpty()) {
            MergeEngineSupport.checkSupported(schema, new CoreOptions(schema.options()));
        }
    }
}
