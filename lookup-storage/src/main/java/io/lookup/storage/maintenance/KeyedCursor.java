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
package io.lookup.storage.maintenance;

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.keyvalue.EncodedKeys;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.trino.spi.Page;

import java.io.Closeable;
import java.io.IOException;
import java.util.function.Supplier;

import static java.util.Objects.requireNonNull;

/**
 * A place in rows that ascend by key; neighbours may have the same key. Not thread-safe.
 */
final class KeyedCursor
        implements Closeable
{
    private final PageStream pages;
    private final KeyEncoder keyEncoder;
    private final int[] keyChannels;
    private final Supplier<String> description;

    private Page page;
    private EncodedKeys keys;
    private int position;
    // of the key at hand: decides most comparisons, without a look into the page
    private long prefix;

    /**
     * @param description what the rows are, for messages
     */
    KeyedCursor(PageStream pages, KeyEncoder keyEncoder, int[] keyChannels, Supplier<String> description)
    {
        this.pages = requireNonNull(pages, "pages is null");
        this.keyEncoder = requireNonNull(keyEncoder, "keyEncoder is null");
        this.keyChannels = requireNonNull(keyChannels, "keyChannels is null");
        this.description = requireNonNull(description, "description is null");
    }

    /**
     * Moves to the first row and then from row to row.
     *
     * @return false at the end
     * @throws StorageException CORRUPT_FILE if the row's key lies before that of the row before it
     */
    boolean advance()
            throws IOException
    {
        position++;
        EncodedKeys previousKeys = keys;
        int previous = position - 1;
        if (page == null || position == page.getPositionCount()) {
            page = pages.nextPage();
            position = 0;
            if (page == null) {
                keys = null;
                return false;
            }
            keys = keyEncoder.encode(page, keyChannels);
        }
        long previousPrefix = prefix;
        prefix = keys.prefix(position);
        if (previousKeys != null
                && Long.compareUnsigned(previousPrefix, prefix) >= 0
                && previousKeys.compare(previous, keys, position) > 0) {
            throw new StorageException(StorageErrorCode.CORRUPT_FILE, "Rows of %s do not ascend by key, as the format demands".formatted(description.get()));
        }
        return true;
    }

    int compareKey(KeyedCursor other)
    {
        int result = Long.compareUnsigned(prefix, other.prefix);
        return result == 0 ? keys.compare(position, other.keys, other.position) : result;
    }

    boolean keyEquals(long otherPrefix, EncodedKeys otherKeys, int otherPosition)
    {
        return prefix == otherPrefix && keys.equal(position, otherKeys, otherPosition);
    }

    EncodedKeys keys()
    {
        return keys;
    }

    /**
     * See {@link EncodedKeys#prefix}.
     */
    long prefix()
    {
        return prefix;
    }

    Page page()
    {
        return page;
    }

    int position()
    {
        return position;
    }

    long memoryUsage()
    {
        return pages.memoryUsage() + (page == null ? 0 : page.getRetainedSizeInBytes() + keys.sizeInBytes());
    }

    @Override
    public void close()
            throws IOException
    {
        pages.close();
    }
}
