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
import io.trino.spi.connector.SourcePage;

import java.io.IOException;
import java.util.Iterator;

import static java.util.Objects.requireNonNull;

/**
 * Streams one after the other; each is opened when the one before it has ended, and closed when it has ended.
 */
public final class ConcatenatedPageStream
        implements PageStream
{
    private final Iterator<Source> sources;
    private PageStream current;
    private boolean closed;

    public ConcatenatedPageStream(Iterator<Source> sources)
    {
        this.sources = requireNonNull(sources, "sources is null");
    }

    public interface Source
    {
        PageStream open()
                throws IOException;
    }

    @Override
    public Page nextPage()
            throws IOException
    {
        return next(PageStream::nextPage);
    }

    @Override
    public SourcePage nextSourcePage()
            throws IOException
    {
        return next(PageStream::nextSourcePage);
    }

    private <T> T next(Step<T> step)
            throws IOException
    {
        while (!closed) {
            if (current == null) {
                if (!sources.hasNext()) {
                    return null;
                }
                current = sources.next().open();
            }
            T page = step.next(current);
            if (page != null) {
                return page;
            }
            PageStream ended = current;
            current = null;
            ended.close();
        }
        return null;
    }

    private interface Step<T>
    {
        T next(PageStream stream)
                throws IOException;
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
        closed = true;
        if (current != null) {
            PageStream open = current;
            current = null;
            open.close();
        }
    }
}
