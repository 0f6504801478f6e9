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

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.apache.hadoop.fs.Path;

import java.util.Arrays;

import static java.util.Objects.requireNonNull;

/**
 * What schema files were understood as, by their bytes: a statement reads the small file, which says whether the table is still the one that
 * it was, but does not parse it once more; neither does a worker the schema of a handle. Thread-safe.
 */
public final class ParsedSchemas
{
    private static final long MAX_BYTES = 8L << 20;
    // objects of names, types and options, over the bytes of their text
    private static final int BYTES_PER_BYTE = 5;

    private static final Cache<Content, TableSchema> CACHE = Caffeine.newBuilder()
            .maximumWeight(MAX_BYTES)
            .weigher((Content content, TableSchema _) -> content.bytes.length * BYTES_PER_BYTE)
            .build();

    private ParsedSchemas() {}

    /**
     * @param file whose bytes these are, for messages
     * @throws io.lookup.storage.StorageException as {@link SchemaJson#read}
     */
    public static TableSchema read(Path file, byte[] bytes)
    {
        Content content = new Content(bytes);
        TableSchema schema = CACHE.getIfPresent(content);
        if (schema == null) {
            schema = SchemaJson.read(file, bytes);
            CACHE.put(content, schema);
        }
        return schema;
    }

    /**
     * Bytes that nobody changes any more.
     */
    private static final class Content
    {
        private final byte[] bytes;
        private final int hash;

        private Content(byte[] bytes)
        {
            this.bytes = requireNonNull(bytes, "bytes is null");
            this.hash = Arrays.hashCode(bytes);
        }

        @Override
        public boolean equals(Object other)
        {
            return other instanceof Content content && hash == content.hash && Arrays.equals(bytes, content.bytes);
        }

        @Override
        public int hashCode()
        {
            return hash;
        }
    }
}
