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
package io.lookup.storage.merge;

import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.merge.MergeRows.Row;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.DictionaryBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

final class TestRowReferences
{
    @Test
    void testCopiesEveryKindOfBlock()
    {
        MergeRows rows = MergeRows.create(true, true, false);
        for (int seed = 0; seed < 100; seed++) {
            Random random = new Random(seed);
            List<Page> pages = new ArrayList<>();
            for (int i = 0; i < 1 + random.nextInt(4); i++) {
                pages.add(randomPage(rows, random));
            }
            RowReferences references = new RowReferences(rows.layout());
            List<Row> expected = new ArrayList<>();
            int steps = random.nextInt(200);
            for (int step = 0; step < steps; step++) {
                Page page = pages.get(random.nextInt(pages.size()));
                int position = random.nextInt(page.getPositionCount());
                if (random.nextInt(4) == 0) {
                    int length = 1 + random.nextInt(page.getPositionCount() - position);
                    references.addRange(page, position, length);
                    IntStream.range(position, position + length).forEach(i -> expected.add(rows.row(page, i)));
                }
                else {
                    references.add(page, position);
                    expected.add(rows.row(page, position));
                }
            }

            assertThat(references.count()).isEqualTo(expected.size());
            assertThat(rows.rows(references.toPage())).as("seed %s", seed).isEqualTo(expected);
            List<Row> adds = expected.stream().filter(row -> row.kind().isAdd()).toList();
            assertThat(rows.rows(references.toPage(index -> RowKind.isAdd(references.kind(index))))).isEqualTo(adds);
            int[] backwards = IntStream.range(0, expected.size()).map(i -> expected.size() - 1 - i).toArray();
            assertThat(rows.rows(references.toPage(backwards))).isEqualTo(expected.reversed());

            references.clear();
            assertThat(references.count()).isZero();
            assertThat(references.toPage().getPositionCount()).isZero();
        }
    }

    private static Page randomPage(MergeRows rows, Random random)
    {
        List<Row> content = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(50); i++) {
            content.add(new Row(
                    random.nextInt(1000),
                    random.nextBoolean() ? null : random.nextLong(),
                    random.nextInt(3) == 0 ? null : "value " + random.nextInt(),
                    random.nextLong(),
                    RowKind.fromValue((byte) random.nextInt(4))));
        }
        Page page = rows.page(content);
        Block[] blocks = new Block[page.getChannelCount()];
        for (int channel = 0; channel < blocks.length; channel++) {
            Block block = page.getBlock(channel);
            blocks[channel] = switch (random.nextInt(3)) {
                case 0 -> block;
                case 1 -> RunLengthEncodedBlock.create(block.getSingleValueBlock(random.nextInt(content.size())), content.size());
                default -> DictionaryBlock.create(content.size(), block, IntStream.generate(() -> random.nextInt(content.size())).limit(content.size()).toArray());
            };
        }
        return new Page(blocks);
    }
}
