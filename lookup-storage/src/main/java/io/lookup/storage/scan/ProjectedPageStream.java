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

import java.io.IOException;

import static java.util.Objects.requireNonNull;

/**
 * Some channels of a stream; with none, pages keep their row counts.
 */
final class ProjectedPageStream
        implements PageStream
{
    private final PageStream source;
    private final int[] channels;

    ProjectedPageStream(PageStream source, int[] channels)
    {
        this.source = requireNonNull(source, "source is null");
        this.channels = requireNonNull(channels, "channels is null");
    }

    @Override
    public Page nextPage()
            throws IOException
    {
        Page page = source.nextPage();
        return page == null ? null : page.getColumns(channels);
    }

    @Override
    public long memoryUsage()
    {
        return source.memoryUsage();
    }

    @Override
    public void close()
            throws IOException
    {
        source.close();
    }
}
