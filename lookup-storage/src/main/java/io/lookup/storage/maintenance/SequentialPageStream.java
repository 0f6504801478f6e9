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

import io.lookup.storage.format.PageStream;
import io.trino.spi.Page;

import java.io.IOException;
import java.util.Iterator;
import java.util.function.Function;

import static java.util.Objects.requireNonNull;

/**
 * Streams one after another, each opened when it is its turn.
 */
final class SequentialPageStream<T>
        implements PageStream
{
    private final Iterator<T> sources;
    private final Function<T, PageStream> opener;
    private PageStream current;

    SequentialPageStream(Iterator<T> sources, Function<T, PageStream> opener)
    {
        this.sources = requireNonNull(sources, "sources is null");
        this.opener = requireNonNull(opener, "opener is null");
    }

    @Override
    public Page nextPage()
            throws IOException
    {
        while (true) {
            if (current == null) {
                if (!sources.hasNext()) {
                    return null;
                }
                current = opener.apply(sources.next());
            }
            Page page = current.nextPage();
            if (page != null) {
                return page;
            }
            close();
        }
    }

    @Override
    public long memoryUsage()
    {
        return current == null ? 0 : current.memoryUsage();
    }

    @Override
    public void close()
            throws IOException
    {
        PageStream stream = current;
        current = null;
        if (stream != null) {
            stream.close();
        }
    }
}
