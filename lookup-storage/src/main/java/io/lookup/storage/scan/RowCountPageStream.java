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
package io.lookup.storage.scan;

import io.lookup.storage.format.PageStream;
import io.trino.spi.Page;

/**
 * Rows without columns, known from metadata.
 */
final class RowCountPageStream
        implements PageStream
{
    private static final int MAX_PAGE_ROWS = 1 << 20;

    private long remaining;

    RowCountPageStream(long rowCount)
    {
        this.remaining = rowCount;
    }

    @Override
    public Page nextPage()
    {
        if (remaining <= 0) {
            return null;
        }
        int rows = (int) Math.min(remaining, MAX_PAGE_ROWS);
        remaining -= rows;
        return new Page(rows);
    }

    @Override
    public void close()
    {
        remaining = 0;
    }
}
