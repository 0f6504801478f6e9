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
import io.lookup.storage.format.row.RowKind;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.RunLengthEncodedBlock;

import java.io.IOException;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * Gives rows of an append-only file what they do not carry: consecutive sequence numbers, and the kind +I.
 */
final class NumberedInsertsPageStream
        implements PageStream
{
    private static final Block INSERT = new ByteArrayBlock(1, Optional.empty(), new byte[] {RowKind.INSERT.value()});

    private final PageStream source;
    private long nextNumber;

    NumberedInsertsPageStream(PageStream source, long firstNumber)
    {
        this.source = requireNonNull(source, "source is null");
        this.nextNumber = firstNumber;
    }

    @Override
    public Page nextPage()
            throws IOException
    {
        Page page = source.nextPage();
        if (page == null) {
            return null;
        }
        long[] numbers = new long[page.getPositionCount()];
        for (int position = 0; position < numbers.length; position++) {
            numbers[position] = nextNumber++;
        }
        return page
                .appendColumn(new LongArrayBlock(numbers.length, Optional.empty(), numbers))
                .appendColumn(RunLengthEncodedBlock.create(INSERT, numbers.length));
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
