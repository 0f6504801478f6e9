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
package io.lookup.storage.write;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.TableBlockEncodings;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.LongArrayBlock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Optional;

import static io.trino.spi.type.BigintType.BIGINT;
import static org.assertj.core.api.Assertions.assertThat;

final class TestSpillFile
{
    private static final int PAGES = 40;
    private static final int ROWS = 5_000;

    @TempDir
    private Path directory;

    @Test
    void testReadsBackWhatWasWritten()
            throws Exception
    {
        SpillFile file = new SpillFile(directory, new TableBlockEncodings(ImmutableList.of(BIGINT)));
        for (int page = 0; page < PAGES; page++) {
            file.write(page(page));
        }
        SpillFile.Run first = file.finishRun();
        file.write(page(7));
        SpillFile.Run second = file.finishRun();
        try (PageStream pages = file.read(first, 1); PageStream others = file.read(second, 1)) {
            for (int expected = 0; expected < PAGES; expected++) {
                Page page = pages.nextPage();
                assertThat(page.getPositionCount()).isEqualTo(ROWS);
                assertThat(BIGINT.getLong(page.getBlock(0), ROWS - 1)).isEqualTo(expected + ROWS - 1);
            }
            assertThat(pages.nextPage()).isNull();
            assertThat(BIGINT.getLong(others.nextPage().getBlock(0), 0)).isEqualTo(7);
            assertThat(others.nextPage()).isNull();
        }
        file.close();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void testUnfinishedFileLeavesNothing()
            throws Exception
    {
        SpillFile file = new SpillFile(directory.resolve("new"), new TableBlockEncodings(ImmutableList.of(BIGINT)));
        file.write(page(0));
        file.close();
        assertThat(directory.resolve("new")).isEmptyDirectory();
    }

    private static Page page(long first)
    {
        long[] values = new long[ROWS];
        for (int row = 0; row < ROWS; row++) {
            values[row] = first + row;
        }
        Block block = new LongArrayBlock(ROWS, Optional.empty(), values);
        return new Page(ROWS, block);
    }
}
