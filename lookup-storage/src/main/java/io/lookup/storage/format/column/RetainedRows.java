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
package io.lookup.storage.format.column;

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.deletion.DeletionVector;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.connector.SourcePage;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * The rows of a file's page that are not deleted.
 */
public final class RetainedRows
{
    private RetainedRows() {}

    /**
     * @param rowCount rows of the file
     * @throws StorageException CORRUPT_FILE if more rows are deleted than there are
     */
    public static void check(ReadRequest request, long rowCount)
    {
        if (!request.deletions().isEmpty() && request.deletions().last() >= rowCount) {
            throw new StorageException(
                    StorageErrorCode.CORRUPT_FILE,
                    "The deletion vector of file %s names row %s, but the file has %s rows: a writer has damaged the table; roll it back to an older snapshot".formatted(
                            request.path(), request.deletions().last(), rowCount));
        }
    }

    /**
     * The rows of a batch that a request wants.
     *
     * @param source the file reader's rows, which stand beside each other in the file
     * @param start position of the first one in the file
     */
    public static Page toPage(SourcePage source, List<OutputColumn> columns, ReadRequest request, long start)
    {
        Block[] blocks = new Block[columns.size()];
        for (int channel = 0; channel < blocks.length; channel++) {
            blocks[channel] = columns.get(channel).block(source);
        }
        Page page = new Page(source.getPositionCount(), blocks);
        if (!request.rowPositions() && request.deletions().isEmpty()) {
            return page;
        }
        return withPositions(page, LongStream.range(start, start + page.getPositionCount()).toArray(), request.deletions(), request.rowPositions());
    }

    /**
     * Takes the deleted rows away, and appends the positions of the others if they are wanted.
     *
     * @param rowPositions ascending
     */
    public static Page withPositions(Page page, long[] rowPositions, DeletionVector deletions, boolean appendPositions)
    {
        if (appendPositions) {
            page = page.appendColumn(new LongArrayBlock(rowPositions.length, Optional.empty(), rowPositions));
        }
        Optional<int[]> retained = retained(rowPositions, deletions);
        if (retained.isEmpty()) {
            return page;
        }
        int count = retained.get().length;
        // a page without channels has no block to copy
        return page.getChannelCount() == 0 ? new Page(count) : page.copyPositions(retained.get(), 0, count);
    }

    /**
     * @param rowPositions ascending
     * @return indexes of the rows that are not deleted; empty if none is
     */
    public static Optional<int[]> retained(long[] rowPositions, DeletionVector deletions)
    {
        int count = rowPositions.length;
        long deleted = count == 0 ? -1 : deletions.next(rowPositions[0]);
        if (deleted < 0 || deleted > rowPositions[count - 1]) {
            return Optional.empty();
        }
        int[] retained = new int[count];
        int retainedCount = 0;
        for (int index = 0; index < count; index++) {
            if (deleted >= 0 && deleted < rowPositions[index]) {
                deleted = deletions.next(rowPositions[index]);
            }
            if (deleted != rowPositions[index]) {
                retained[retainedCount] = index;
                retainedCount++;
            }
        }
        return retainedCount == count ? Optional.empty() : Optional.of(Arrays.copyOf(retained, retainedCount));
    }
}
