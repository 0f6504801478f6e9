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
package io.lookup.storage.format;

import io.trino.spi.Page;
import io.trino.spi.connector.SourcePage;

import java.io.Closeable;
import java.io.IOException;

/**
 * A pull stream of pages. Pages are immutable and stay valid after the stream has moved on.
 */
public interface PageStream
        extends Closeable
{
    /**
     * @return the next page, never empty, or null at the end
     */
    Page nextPage()
            throws IOException;

    /**
     * As {@link #nextPage}, but a column may be read when it is asked for, and only as far as rows of it are wanted then.
     * The page is used before the stream moves on; its methods throw what nextPage throws, IOExceptions unchecked.
     */
    default SourcePage nextSourcePage()
            throws IOException
    {
        Page page = nextPage();
        return page == null ? null : SourcePage.create(page);
    }

    /**
     * Bytes that this stream holds, its last page not included.
     */
    default long memoryUsage()
    {
        return 0;
    }
}
