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
package io.lookup.trino.read;

import io.lookup.storage.format.PageStream;
import io.lookup.trino.StorageErrors;
import io.trino.spi.Page;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;

import java.io.IOException;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

import static java.util.Objects.requireNonNull;

/**
 * A stream of the engine as Trino reads it.
 */
final class LookupPageSource
        implements ConnectorPageSource
{
    private final PageStream stream;
    private final UnaryOperator<Page> assembler;

    private long completedBytes;
    private long completedPositions;
    private long readTimeNanos;
    private boolean finished;

    LookupPageSource(PageStream stream, UnaryOperator<Page> assembler)
    {
        this.stream = requireNonNull(stream, "stream is null");
        this.assembler = requireNonNull(assembler, "assembler is null");
    }

    @Override
    public long getCompletedBytes()
    {
        return completedBytes;
    }

    @Override
    public OptionalLong getCompletedPositions()
    {
        return OptionalLong.of(completedPositions);
    }

    @Override
    public long getReadTimeNanos()
    {
        return readTimeNanos;
    }

    @Override
    public boolean isFinished()
    {
        return finished;
    }

    @Override
    public SourcePage getNextSourcePage()
    {
        if (finished) {
            return null;
        }
        long start = System.nanoTime();
        try {
            Page page = stream.nextPage();
            if (page == null) {
                close();
                return null;
            }
            completedBytes += page.getSizeInBytes();
            completedPositions += page.getPositionCount();
            return SourcePage.create(assembler.apply(page));
        }
        catch (IOException | RuntimeException e) {
            RuntimeException failure = StorageErrors.translate(e);
            try {
                close();
            }
            catch (RuntimeException suppressed) {
                failure.addSuppressed(suppressed);
            }
            throw failure;
        }
        finally {
            readTimeNanos += System.nanoTime() - start;
        }
    }

    @Override
    public long getMemoryUsage()
    {
        return stream.memoryUsage();
    }

    @Override
    public void close()
    {
        finished = true;
        try {
            stream.close();
        }
        catch (IOException e) {
            throw StorageErrors.translate(e);
        }
    }
}
