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
package io.lookup.trino.write;

import io.airlift.slice.Slice;
import io.lookup.storage.format.row.RowKind;
import io.trino.spi.Page;
import io.trino.spi.connector.ConnectorPageSink;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;

import static java.util.Objects.requireNonNull;

/**
 * The rows of an INSERT or CREATE TABLE AS.
 */
final class LookupPageSink
        implements ConnectorPageSink
{
    private static final byte[] INSERT = {RowKind.INSERT.value()};

    private final SinkWriter writer;
    private long completedBytes;

    LookupPageSink(SinkWriter writer)
    {
        this.writer = requireNonNull(writer, "writer is null");
    }

    @Override
    public long getCompletedBytes()
    {
        return completedBytes;
    }

    @Override
    public long getMemoryUsage()
    {
        return writer.memoryUsage();
    }

    @Override
    public CompletableFuture<?> appendPage(Page page)
    {
        completedBytes += page.getSizeInBytes();
        return writer.write(page, INSERT);
    }

    @Override
    public CompletableFuture<Collection<Slice>> finish()
    {
        return writer.finish();
    }

    @Override
    public void abort()
    {
        writer.abort();
    }
}
