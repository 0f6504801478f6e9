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
import io.airlift.slice.Slices;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.merge.KeyGroups;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TypeParser;
import io.trino.spi.Page;
import io.trino.spi.PageBuilder;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.TinyintType.TINYINT;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static org.assertj.core.api.Assertions.assertThat;

final class TestRowBuffer
{
    private static final KeyValueLayout LAYOUT = new KeyValueLayout(
            ImmutableList.of(new DataField(0, "k", TypeParser.parse("STRING NOT NULL")), new DataField(1, "v", TypeParser.parse("BIGINT"))),
            ImmutableList.of(0),
            ImmutableList.of(),
            false);

    /**
     * Keys that the first eight bytes tell apart, keys that they do not, and both; pages in order, in reverse and in none.
     */
    @Test
    void testOrder()
    {
        for (String prefix : List.of("", "a long prefix that all keys share ")) {
            for (int seed = 0; seed < 20; seed++) {
                checkOrder(prefix, seed);
            }
        }
    }

    private static void checkOrder(String prefix, int seed)
    {
        Random random = new Random(seed);
        RowBuffer buffer = new RowBuffer(LAYOUT, KeyEncoder.forKeys(LAYOUT.keyTypes()));
        // rows of a key stay as they came
        Map<String, List<Long>> expected = new TreeMap<>();
        long arrival = 0;
        int pages = random.nextInt(6);
        for (int page = 0; page < pages; page++) {
            PageBuilder builder = new PageBuilder(LAYOUT.types());
            int rows = 1 + random.nextInt(500);
            int order = random.nextInt(3);
            for (int row = 0; row < rows; row++) {
                int number = order == 0 ? random.nextInt(300) : order == 1 ? row : rows - row;
                String key = "%s%04d".formatted(prefix, number) + (random.nextBoolean() ? "" : " and a tail");
                builder.declarePosition();
                VARCHAR.writeSlice(builder.getBlockBuilder(0), Slices.utf8Slice(key));
                BIGINT.writeLong(builder.getBlockBuilder(1), -arrival);
                BIGINT.writeLong(builder.getBlockBuilder(2), arrival);
                TINYINT.writeByte(builder.getBlockBuilder(3), (byte) 0);
                expected.computeIfAbsent(key, _ -> new ArrayList<>()).add(arrival);
                arrival++;
            }
            buffer.add(builder.build());
        }
        assertThat(buffer.rowCount()).isEqualTo(arrival);

        List<String> keys = new ArrayList<>();
        List<List<Long>> rows = new ArrayList<>();
        RowBuffer.SortedRows sorted = buffer.sort();
        KeyGroups groups = new KeyGroups();
        while (sorted.nextBatch(groups, 100, Long.MAX_VALUE)) {
            for (int group = 0; group < groups.groupCount(); group++) {
                List<Long> arrivals = new ArrayList<>();
                for (int row = groups.start(group); row < groups.end(group); row++) {
                    Page page = groups.page(row);
                    long rowArrival = BIGINT.getLong(page.getBlock(2), groups.position(row));
                    assertThat(BIGINT.getLong(page.getBlock(1), groups.position(row))).isEqualTo(-rowArrival);
                    arrivals.add(rowArrival);
                }
                keys.add(VARCHAR.getSlice(groups.page(groups.start(group)).getBlock(0), groups.position(groups.start(group))).toStringUtf8());
                rows.add(arrivals);
            }
        }
        assertThat(keys).containsExactlyElementsOf(expected.keySet());
        assertThat(rows).containsExactlyElementsOf(expected.values());
    }
}
