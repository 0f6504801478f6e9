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
package io.lookup.storage.changelog;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TypeRoot;
import io.lookup.storage.table.BlockValues;
import io.trino.spi.Page;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import static io.lookup.storage.format.row.RowKind.DELETE;
import static io.lookup.storage.format.row.RowKind.INSERT;
import static io.lookup.storage.format.row.RowKind.UPDATE_AFTER;
import static io.lookup.storage.format.row.RowKind.UPDATE_BEFORE;
import static org.assertj.core.api.Assertions.assertThat;

final class TestChangelogAssembler
{
    private static final List<DataField> COLUMNS = ImmutableList.of(
            new DataField(0, "k", new ScalarType(TypeRoot.INTEGER, 0, 0, false)),
            new DataField(1, "v", new ScalarType(TypeRoot.INTEGER, 0, 0, true)),
            new DataField(2, "w", new ScalarType(TypeRoot.INTEGER, 0, 0, true)));
    private static final KeyValueLayout LAYOUT = new KeyValueLayout(COLUMNS, ImmutableList.of(0), ImmutableList.of(), false);
    private static final List<DataField> STORED = ImmutableList.<DataField>builder()
            .addAll(COLUMNS)
            .add(new DataField(3, "sequence", new ScalarType(TypeRoot.BIGINT, 0, 0, false)))
            .add(new DataField(4, "kind", new ScalarType(TypeRoot.TINYINT, 0, 0, false)))
            .build();

    @ParameterizedTest
    @CsvSource({"INSERT, UPDATE_AFTER", "UPDATE_AFTER, INSERT", "INSERT, INSERT", "UPDATE_AFTER, UPDATE_AFTER"})
    void testUpdate(RowKind before, RowKind after)
    {
        ChangelogAssembler assembler = new ChangelogAssembler(LAYOUT, Optional.empty());
        assembler.add(page(before, 3, 1, 10, 100), 0, page(after, 7, 1, 20, null), 0);
        assertThat(take(assembler)).containsExactly("-U[1, 10, 100]@3", "+U[1, 20, null]@7");
    }

    /**
     * Whatever a row is stored as, a row that was not there is inserted.
     */
    @ParameterizedTest
    @EnumSource
    void testNewKey(RowKind kind)
    {
        ChangelogAssembler assembler = new ChangelogAssembler(LAYOUT, Optional.empty());
        assembler.add(null, 0, page(kind, 5, 1, 10, 100), 0);
        if (RowKind.isAdd(kind.value())) {
            assertThat(take(assembler)).containsExactly("+I[1, 10, 100]@5");
        }
        else {
            assertThat(take(assembler)).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"DELETE, INSERT", "UPDATE_BEFORE, INSERT", "DELETE, UPDATE_AFTER", "UPDATE_BEFORE, UPDATE_AFTER"})
    void testKeyThatComesAgain(RowKind before, RowKind after)
    {
        // equal to what was there before it was deleted: a new row all the same
        ChangelogAssembler assembler = new ChangelogAssembler(LAYOUT, Optional.of(new RowEquality(LAYOUT, ImmutableList.of())));
        assembler.add(page(before, 3, 1, 10, 100), 0, page(after, 7, 1, 10, 100), 0);
        assertThat(take(assembler)).containsExactly("+I[1, 10, 100]@7");
    }

    @ParameterizedTest
    @CsvSource({"INSERT, DELETE", "INSERT, UPDATE_BEFORE", "UPDATE_AFTER, DELETE", "UPDATE_AFTER, UPDATE_BEFORE"})
    void testDelete(RowKind before, RowKind after)
    {
        ChangelogAssembler assembler = new ChangelogAssembler(LAYOUT, Optional.of(new RowEquality(LAYOUT, ImmutableList.of())));
        // the values are those of the row that was there
        assembler.add(page(before, 3, 1, 10, 100), 0, page(after, 7, 1, 10, null), 0);
        assertThat(take(assembler)).containsExactly("-D[1, 10, 100]@3");
    }

    @ParameterizedTest
    @CsvSource({"DELETE, DELETE", "DELETE, UPDATE_BEFORE", "UPDATE_BEFORE, DELETE", "UPDATE_BEFORE, UPDATE_BEFORE"})
    void testNothingBeforeAndAfter(RowKind before, RowKind after)
    {
        ChangelogAssembler assembler = new ChangelogAssembler(LAYOUT, Optional.empty());
        assembler.add(page(before, 3, 1, 10, 100), 0, page(after, 7, 1, 20, 200), 0);
        assertThat(take(assembler)).isEmpty();
    }

    @Test
    void testEqualRows()
    {
        Page before = page(INSERT, 3, 1, 10, 100);
        Page same = page(UPDATE_AFTER, 7, 1, 10, 100);
        Page other = page(INSERT, 8, 1, 10, 101);
        ChangelogAssembler logging = new ChangelogAssembler(LAYOUT, Optional.empty());
        logging.add(before, 0, same, 0);
        assertThat(take(logging)).containsExactly("-U[1, 10, 100]@3", "+U[1, 10, 100]@7");
        ChangelogAssembler deduplicating = new ChangelogAssembler(LAYOUT, Optional.of(new RowEquality(LAYOUT, ImmutableList.of())));
        deduplicating.add(before, 0, same, 0);
        assertThat(take(deduplicating)).isEmpty();
        deduplicating.add(before, 0, other, 0);
        assertThat(take(deduplicating)).containsExactly("-U[1, 10, 100]@3", "+U[1, 10, 101]@8");
        ChangelogAssembler ignoring = new ChangelogAssembler(LAYOUT, Optional.of(new RowEquality(LAYOUT, ImmutableList.of("w"))));
        ignoring.add(before, 0, other, 0);
        assertThat(take(ignoring)).isEmpty();
        // what does not count is told with what does
        ignoring.add(before, 0, page(INSERT, 9, 1, 11, 101), 0);
        assertThat(take(ignoring)).containsExactly("-U[1, 10, 100]@3", "+U[1, 11, 101]@9");
    }

    /**
     * Pages are those of readers: rows stand in the middle of them, and what is taken does not change them.
     */
    @Test
    void testManyKeysOfSeveralPages()
    {
        ChangelogAssembler assembler = new ChangelogAssembler(LAYOUT, Optional.empty());
        List<String> expected = new ArrayList<>();
        List<List<Object>> befores = new ArrayList<>();
        List<List<Object>> afters = new ArrayList<>();
        for (int key = 0; key < 3000; key++) {
            befores.add(stored(key % 3 == 0 ? DELETE : INSERT, key, key, key, null));
            afters.add(stored(key % 5 == 0 ? UPDATE_BEFORE : UPDATE_AFTER, 10_000 + key, key, -key, 1));
        }
        Page before = BlockValues.toPage(STORED, befores);
        Page after = BlockValues.toPage(STORED, afters);
        for (int key = 0; key < 3000; key++) {
            assembler.add(before, key, after, key);
            String old = "[%s, %s, null]@%s".formatted(key, key, key);
            String now = "[%s, %s, 1]@%s".formatted(key, -key, 10_000 + key);
            if (key % 3 != 0) {
                expected.add((key % 5 == 0 ? "-D" : "-U") + old);
            }
            if (key % 5 != 0) {
                expected.add((key % 3 == 0 ? "+I" : "+U") + now);
            }
        }
        assertThat(take(assembler)).isEqualTo(expected);
        assertThat(BlockValues.toRow(STORED, before, 1).getLast()).isEqualTo((int) INSERT.value());
    }

    @Test
    void testTakeStartsAnew()
    {
        ChangelogAssembler assembler = new ChangelogAssembler(LAYOUT, Optional.empty());
        assertThat(assembler.takePage()).isEmpty();
        assembler.add(null, 0, page(INSERT, 1, 1, 1, 1), 0);
        assertThat(take(assembler)).containsExactly("+I[1, 1, 1]@1");
        assertThat(assembler.takePage()).isEmpty();
        assembler.add(page(INSERT, 1, 1, 1, 1), 0, page(DELETE, 2, 1, 1, 1), 0);
        assertThat(take(assembler)).containsExactly("-D[1, 1, 1]@1");
        assertThat(ImmutableList.of(UPDATE_BEFORE.shortName(), UPDATE_AFTER.shortName())).containsExactly("-U", "+U");
    }

    private static List<String> take(ChangelogAssembler assembler)
    {
        Optional<Page> page = assembler.takePage();
        ImmutableList.Builder<String> records = ImmutableList.builder();
        for (int position = 0; page.isPresent() && position < page.get().getPositionCount(); position++) {
            List<Object> row = BlockValues.toRow(STORED, page.get(), position);
            records.add(RowKind.fromValue(((Number) row.get(4)).byteValue()).shortName() + row.subList(0, 3) + "@" + row.get(3));
        }
        return records.build();
    }

    private static Page page(RowKind kind, long sequence, Integer... values)
    {
        return BlockValues.toPage(STORED, ImmutableList.of(stored(kind, sequence, values)));
    }

    private static List<Object> stored(RowKind kind, long sequence, Integer... values)
    {
        List<Object> row = new ArrayList<>(Arrays.asList(values));
        row.add(sequence);
        row.add(kind.value());
        return row;
    }
}
