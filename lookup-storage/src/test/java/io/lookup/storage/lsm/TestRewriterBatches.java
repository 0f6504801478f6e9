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
package io.lookup.storage.lsm;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.lookup.KeyLookup;
import io.lookup.storage.lookup.LookupResources;
import io.lookup.storage.lsm.RewriterRows.Row;
import io.lookup.storage.lsm.RewriterRows.Writer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

import static io.lookup.storage.lsm.RewriterRows.row;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * More keys than a rewriter takes at once, of every shape: in level 0 or not, with a record among the inputs, above them, both or none,
 * deleted before or now.
 */
final class TestRewriterBatches
{
    private static final int KEYS = 30_000;

    private final List<String> data = new ArrayList<>();
    private final List<String> log = new ArrayList<>();

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void testDeduplicate(boolean dropRetracts, boolean logs)
            throws IOException
    {
        RewriterRows rows = new RewriterRows(ImmutableMap.of("changelog-producer", "lookup"));
        for (int key = 0; key < KEYS; key++) {
            Optional<Row> before = isInput(key) ? Optional.of(inputRow(key)) : isAbove(key) ? Optional.of(aboveRow(key)) : Optional.empty();
            if (!isLevel0(key)) {
                if (isInput(key) && !(dropRetracts && isRetract(inputRow(key)))) {
                    data.add(inputRow(key).toString());
                }
                continue;
            }
            Row after = level0Row(key);
            if (!(dropRetracts && isRetract(after))) {
                data.add(after.toString());
            }
            addToLog(before, after);
        }
        rewrite(rows, false, dropRetracts, logs);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testFirstRow(boolean logs)
            throws IOException
    {
        RewriterRows rows = new RewriterRows(ImmutableMap.of("changelog-producer", "lookup", "merge-engine", "first-row", "ignore-delete", "true"));
        for (int key = 0; key < KEYS; key++) {
            if (isInput(key)) {
                data.add(asInsert(inputRow(key)).toString());
            }
            else if (isLevel0(key) && !isAbove(key)) {
                data.add(asInsert(level0Row(key)).toString());
                log.add(asInsert(level0Row(key)).toString());
            }
        }
        rewrite(rows, true, false, logs);
    }

    /**
     * Of the same keys, those of level 0 are not told yet, and those above are the highest level.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testDifferences(boolean dropRetracts)
            throws IOException
    {
        RewriterRows rows = new RewriterRows(ImmutableMap.of());
        for (int key = 0; key < KEYS; key++) {
            Optional<Row> before = isInput(key) ? Optional.of(inputRow(key)) : isAbove(key) ? Optional.of(aboveRow(key)) : Optional.empty();
            Optional<Row> after = isLevel0(key) ? Optional.of(level0Row(key)) : before;
            after.filter(row -> !(dropRetracts && isRetract(row))).ifPresent(row -> data.add(row.toString()));
            if (isLevel0(key)) {
                addToLog(before, after.orElseThrow());
            }
        }
        Writer dataWriter = new Writer();
        Writer changelogWriter = new Writer();
        new DifferenceRewriter(rows.layout(), rows.keyEncoder(), rows.mergeFunction(true), false, true, Optional.empty())
                .rewrite(
                        ImmutableList.of(
                                rows.run(DifferenceRewriter.UNTOLD, rows(TestRewriterBatches::isLevel0, TestRewriterBatches::level0Row)),
                                rows.run(2, rows(TestRewriterBatches::isInput, TestRewriterBatches::inputRow)),
                                rows.run(5, rows(TestRewriterBatches::isAbove, TestRewriterBatches::aboveRow))),
                        Optional.of(dataWriter),
                        changelogWriter,
                        dropRetracts);
        assertThat(dataWriter.rows()).isEqualTo(data);
        assertThat(changelogWriter.rows()).isEqualTo(log);
    }

    private void addToLog(Optional<Row> before, Row after)
    {
        boolean existed = before.isPresent() && !isRetract(before.get());
        if (isRetract(after)) {
            if (existed) {
                log.add(as("-D", before.get()));
            }
        }
        else if (existed) {
            log.add(as("-U", before.get()));
            log.add(as("+U", after));
        }
        else {
            log.add(as("+I", after));
        }
    }

    private static Row[] rows(IntPredicate keys, IntFunction<Row> row)
    {
        return IntStream.range(0, KEYS).filter(keys).mapToObj(row).toArray(Row[]::new);
    }

    private void rewrite(RewriterRows rows, boolean firstRow, boolean dropRetracts, boolean logs)
            throws IOException
    {
        Row[] level0 = rows(TestRewriterBatches::isLevel0, key -> firstRow ? asInsert(level0Row(key)) : level0Row(key));
        Row[] input = rows(TestRewriterBatches::isInput, key -> firstRow ? asInsert(inputRow(key)) : inputRow(key));
        List<Row> above = ImmutableList.copyOf(rows(TestRewriterBatches::isAbove, key -> firstRow ? asInsert(aboveRow(key)) : aboveRow(key)));
        List<List<DataFileMeta>> higher = ImmutableList.of(ImmutableList.of(), ImmutableList.of(TestingFiles.file("above", 4, above.getFirst().key(), above.getLast().key(), 100)));
        Writer dataWriter = new Writer();
        Writer changelogWriter = new Writer();
        try (KeyLookup lookup = firstRow ?
                KeyLookup.ofKeys(rows.layout(), rows.keyEncoder(), higher, (_, _) -> rows.stream(above), KEYS, new LookupResources()) :
                new KeyLookup(rows.layout(), rows.keyEncoder(), higher, (_, _) -> rows.stream(above), KEYS, new LookupResources())) {
            new LookupRewriter(rows.layout(), rows.keyEncoder(), rows.mergeFunction(true), new PreviousRows(KnownRows.none(rows.layout()), lookup, Optional.empty()), firstRow, Optional.empty(), Optional.empty())
                    .rewrite(ImmutableList.of(rows.run(0, level0), rows.run(2, input)), Optional.of(dataWriter), logs ? Optional.of(changelogWriter) : Optional.empty(), dropRetracts);
        }
        assertThat(dataWriter.rows()).isEqualTo(data);
        assertThat(changelogWriter.rows()).isEqualTo(logs ? log : ImmutableList.of());
        assertThat(data).hasSizeGreaterThan(10_000);
        assertThat(log).hasSizeGreaterThan(5_000);
    }

    private static boolean isLevel0(int key)
    {
        return key % 2 == 0;
    }

    private static boolean isInput(int key)
    {
        return key % 3 == 0;
    }

    private static boolean isAbove(int key)
    {
        return key % 5 == 0;
    }

    private static Row level0Row(int key)
    {
        return row(key % 7 == 0 ? "-D" : "+I", key, key + 1, 0, 200_000L + key);
    }

    private static Row inputRow(int key)
    {
        return row(key % 11 == 0 ? "-D" : "+U", key, key + 2, 2, 100_000L + key);
    }

    private static Row aboveRow(int key)
    {
        return row(key % 13 == 0 ? "-D" : "+I", key, key + 3, 4, key);
    }

    private static boolean isRetract(Row row)
    {
        return !RowKind.isAdd(row.kind().value());
    }

    private static Row asInsert(Row row)
    {
        return row("+I", row.key(), row.value(), row.other(), row.sequence());
    }

    private static String as(String kind, Row row)
    {
        return row(kind, row.key(), row.value(), row.other(), row.sequence()).toString();
    }
}
