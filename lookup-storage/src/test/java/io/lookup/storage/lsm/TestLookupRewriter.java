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
import io.lookup.storage.changelog.RowEquality;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.parquet.DataFileWriterFactory.RollingWriter;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.lookup.KeyLookup;
import io.lookup.storage.lookup.LookupResources;
import io.lookup.storage.merge.MergeFunctions;
import io.lookup.storage.merge.RunInput;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.MergeEngine;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.Page;
import io.trino.spi.PageBuilder;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static io.lookup.storage.format.row.RowKind.DELETE;
import static io.lookup.storage.format.row.RowKind.INSERT;
import static io.lookup.storage.format.row.RowKind.UPDATE_AFTER;
import static io.lookup.storage.format.row.RowKind.UPDATE_BEFORE;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.TinyintType.TINYINT;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a compaction with level 0 writes and logs of one key. The cases are those by which Paimon tests its own; a row is (kind, sequence
 * number, value) at a level.
 */
final class TestLookupRewriter
{
    private static final Map<String, String> DEDUPLICATE = ImmutableMap.of("changelog-producer", "lookup");
    private static final Map<String, String> SUM = ImmutableMap.of("changelog-producer", "lookup", "merge-engine", "aggregation", "fields.v.aggregate-function", "sum");
    private static final Map<String, String> LAST_BY_VALUE = ImmutableMap.of("changelog-producer", "lookup", "merge-engine", "aggregation", "sequence.field", "v");
    private static final Map<String, String> REMOVE_ON_DELETE = ImmutableMap.of(
            "changelog-producer", "lookup", "merge-engine", "partial-update", "partial-update.remove-record-on-delete", "true");
    private static final Map<String, String> FIRST_ROW = ImmutableMap.of("changelog-producer", "lookup", "merge-engine", "first-row");

    private record Row(RowKind kind, long sequence, Integer value, int level) {}

    private record Result(List<String> data, List<String> changelog) {}

    @Test
    void testDeduplicateWithoutLevelZero()
            throws IOException
    {
        assertThat(rewrite(DEDUPLICATE, Optional.empty(), row(INSERT, 1, 1, 2), row(INSERT, 2, 2, 1))).isEqualTo(new Result(List.of("+I 2 #2"), List.of()));
        // the lower level wins whatever the numbers say
        assertThat(rewrite(DEDUPLICATE, Optional.empty(), row(INSERT, 1, 2, 1), row(INSERT, 1, 1, 2))).isEqualTo(new Result(List.of("+I 2 #1"), List.of()));
    }

    @Test
    void testDeduplicateWithBeforeAmongTheInputs()
            throws IOException
    {
        assertThat(rewrite(DEDUPLICATE, Optional.empty(), row(INSERT, 1, 1, 1), row(INSERT, 2, 2, 0)))
                .isEqualTo(new Result(List.of("+I 2 #2"), List.of("-U 1 #1", "+U 2 #2")));
        assertThat(rewrite(DEDUPLICATE, Optional.empty(), row(INSERT, 1, 1, 1), row(INSERT, 1, 2, 2), row(INSERT, 2, 3, 0)))
                .isEqualTo(new Result(List.of("+I 3 #2"), List.of("-U 1 #1", "+U 3 #2")));
    }

    @Test
    void testDeduplicateWithLookup()
            throws IOException
    {
        assertThat(rewrite(DEDUPLICATE, Optional.empty(), row(UPDATE_AFTER, 1, 2, 0))).isEqualTo(new Result(List.of("+U 2 #1"), List.of("+I 2 #1")));
        assertThat(rewrite(DEDUPLICATE, Optional.of(row(INSERT, 1, 1, 4)), row(INSERT, 2, 2, 0)))
                .isEqualTo(new Result(List.of("+I 2 #2"), List.of("-U 1 #1", "+U 2 #2")));
        assertThat(rewrite(DEDUPLICATE, Optional.of(row(DELETE, 1, 1, 4)), row(INSERT, 2, 2, 0)))
                .isEqualTo(new Result(List.of("+I 2 #2"), List.of("+I 2 #2")));
        assertThat(rewrite(DEDUPLICATE, Optional.of(row(INSERT, 1, 1, 4)), row(DELETE, 2, 2, 0)))
                .isEqualTo(new Result(List.of("-D 2 #2"), List.of("-D 1 #1")));
        assertThat(rewrite(DEDUPLICATE, Optional.of(row(DELETE, 1, 1, 4)), row(DELETE, 2, 2, 0)))
                .isEqualTo(new Result(List.of("-D 2 #2"), List.of()));
        assertThat(rewrite(DEDUPLICATE, Optional.empty(), row(UPDATE_BEFORE, 1, 2, 0)))
                .isEqualTo(new Result(List.of("-U 2 #1"), List.of()));
    }

    @Test
    void testRowDeduplicate()
            throws IOException
    {
        for (boolean among : new boolean[] {false, true}) {
            Row before = row(INSERT, 1, 2, 4);
            Row after = row(INSERT, 2, 2, 0);
            Row[] inputs = among ? new Row[] {before, after} : new Row[] {after};
            Optional<Row> above = among ? Optional.empty() : Optional.of(before);
            assertThat(rewrite(DEDUPLICATE, above, inputs)).isEqualTo(new Result(List.of("+I 2 #2"), List.of("-U 2 #1", "+U 2 #2")));
            assertThat(rewrite(with(DEDUPLICATE, "changelog-producer.row-deduplicate", "true"), above, inputs)).isEqualTo(new Result(List.of("+I 2 #2"), List.of()));
        }
        // the value alone differs, and does not count
        Map<String, String> ignoring = with(with(DEDUPLICATE, "changelog-producer.row-deduplicate", "true"), "changelog-producer.row-deduplicate-ignore-fields", "v");
        assertThat(rewrite(ignoring, Optional.of(row(INSERT, 1, 1, 4)), row(INSERT, 2, 2, 0))).isEqualTo(new Result(List.of("+I 2 #2"), List.of()));
    }

    @Test
    void testSum()
            throws IOException
    {
        assertThat(rewrite(SUM, Optional.empty(), row(INSERT, 1, 1, 2), row(INSERT, 2, 2, 1))).isEqualTo(new Result(List.of("+I 2 #2"), List.of()));
        assertThat(rewrite(SUM, Optional.empty(), row(INSERT, 1, 1, 1), row(INSERT, 2, 2, 0)))
                .isEqualTo(new Result(List.of("+I 3 #2"), List.of("-U 1 #1", "+U 3 #2")));
        assertThat(rewrite(SUM, Optional.empty(), row(INSERT, 1, 1, 3), row(INSERT, 2, 1, 2), row(INSERT, 3, 2, 1), row(INSERT, 4, 2, 0)))
                .isEqualTo(new Result(List.of("+I 4 #4"), List.of("-U 2 #3", "+U 4 #4")));
        assertThat(rewrite(with(SUM, "changelog-producer.row-deduplicate", "true"), Optional.empty(), row(INSERT, 1, 2, 1), row(INSERT, 2, 0, 0)))
                .isEqualTo(new Result(List.of("+I 2 #2"), List.of()));
    }

    /**
     * What is deleted is no state that a row could be equal to, or be added to.
     */
    @Test
    void testKeyThatComesAgain()
            throws IOException
    {
        for (RowKind kind : List.of(DELETE, UPDATE_BEFORE)) {
            for (boolean among : new boolean[] {false, true}) {
                Row before = row(kind, 1, 2, 4);
                Row after = row(INSERT, 2, 2, 0);
                Row[] inputs = among ? new Row[] {before, after} : new Row[] {after};
                Optional<Row> above = among ? Optional.empty() : Optional.of(before);
                assertThat(rewrite(with(DEDUPLICATE, "changelog-producer.row-deduplicate", "true"), above, inputs)).isEqualTo(new Result(List.of("+I 2 #2"), List.of("+I 2 #2")));
                Map<String, String> ignoring = with(with(DEDUPLICATE, "changelog-producer.row-deduplicate", "true"), "changelog-producer.row-deduplicate-ignore-fields", "v");
                assertThat(rewrite(ignoring, above, inputs)).isEqualTo(new Result(List.of("+I 2 #2"), List.of("+I 2 #2")));
            }
        }
        // its delete holds nothing that could be added
        Map<String, String> removing = with(with(SUM, "aggregation.remove-record-on-delete", "true"), "changelog-producer.row-deduplicate", "true");
        assertThat(rewrite(removing, Optional.of(row(DELETE, 1, null, 4)), row(INSERT, 2, 2, 0))).isEqualTo(new Result(List.of("+I 2 #2"), List.of("+I 2 #2")));
        assertThat(rewrite(removing, Optional.of(row(INSERT, 1, 2, 4)), row(DELETE, 2, null, 0), row(INSERT, 3, 2, 0))).isEqualTo(new Result(List.of("+I 2 #3"), List.of()));
    }

    /**
     * Of a key with as many versions as there are files, the newest one of the levels counts, and all of level 0.
     */
    @Test
    void testManyVersionsOfAKey()
            throws IOException
    {
        List<Row> versions = new ArrayList<>();
        for (int level = 9; level > 0; level--) {
            versions.add(row(INSERT, 10 - level, 1_000 * level, level));
        }
        for (int number = 10; number < 510; number++) {
            versions.add(row(number % 50 == 0 ? UPDATE_BEFORE : INSERT, number, 1, 0));
        }
        Row[] inputs = versions.toArray(Row[]::new);
        // 500 rows, of which 10 take back
        assertThat(rewrite(SUM, Optional.empty(), inputs)).isEqualTo(new Result(List.of("+I 1480 #509"), List.of("-U 1000 #9", "+U 1480 #509")));
        assertThat(rewrite(DEDUPLICATE, Optional.empty(), inputs)).isEqualTo(new Result(List.of("+I 1 #509"), List.of("-U 1000 #9", "+U 1 #509")));
        assertThat(rewrite(DEDUPLICATE, Optional.of(row(INSERT, 1, 5, 9)), versions.subList(9, 509).toArray(Row[]::new))).isEqualTo(new Result(List.of("+I 1 #509"), List.of("-U 5 #1", "+U 1 #509")));
    }

    @Test
    void testSumWithLookup()
            throws IOException
    {
        assertThat(rewrite(SUM, Optional.of(row(INSERT, 1, 40, 4)), row(INSERT, 2, 2, 0))).isEqualTo(new Result(List.of("+I 42 #2"), List.of("-U 40 #1", "+U 42 #2")));
        assertThat(rewrite(SUM, Optional.of(row(INSERT, 1, 40, 4)), row(UPDATE_BEFORE, 2, 2, 0), row(UPDATE_AFTER, 3, 5, 0))).isEqualTo(new Result(List.of("+I 43 #3"), List.of("-U 40 #1", "+U 43 #3")));
        assertThat(rewrite(SUM, Optional.of(row(INSERT, 1, null, 4)), row(INSERT, 2, 2, 0))).isEqualTo(new Result(List.of("+I 2 #2"), List.of("-U null #1", "+U 2 #2")));
        // a row among the inputs is the state, and what lies above it is part of it
        assertThat(rewrite(SUM, Optional.of(row(INSERT, 1, 40, 4)), row(INSERT, 2, 50, 2), row(INSERT, 3, 2, 0))).isEqualTo(new Result(List.of("+I 52 #3"), List.of("-U 50 #2", "+U 52 #3")));
    }

    @Test
    void testBeforeThatIsNewerBySequenceField()
            throws IOException
    {
        assertThat(rewrite(LAST_BY_VALUE, Optional.of(row(INSERT, 1, 3, 3)), row(INSERT, 2, 2, 0)).changelog()).containsExactly("-U 3 #1", "+U 3 #1");
        assertThat(rewrite(LAST_BY_VALUE, Optional.of(row(INSERT, 1, 1, 3)), row(INSERT, 2, 2, 0)).changelog()).containsExactly("-U 1 #1", "+U 2 #2");
        assertThat(rewrite(LAST_BY_VALUE, Optional.of(row(INSERT, 1, 2, 3)), row(INSERT, 2, 1, 0), row(INSERT, 3, 3, 0)).changelog()).containsExactly("-U 2 #1", "+U 3 #3");
        // a null is the oldest
        assertThat(rewrite(with(DEDUPLICATE, "sequence.field", "v"), Optional.of(row(INSERT, 1, 2, 3)), row(INSERT, 2, null, 0)).data()).containsExactly("+I 2 #1");
        Map<String, String> descending = with(with(DEDUPLICATE, "sequence.field", "v"), "sequence.field.sort-order", "descending");
        assertThat(rewrite(descending, Optional.of(row(INSERT, 1, 2, 3)), row(INSERT, 2, null, 0)).data()).containsExactly("+I 2 #1");
        assertThat(rewrite(descending, Optional.of(row(INSERT, 1, 2, 3)), row(INSERT, 2, 1, 0)).data()).containsExactly("+I 1 #2");
    }

    /**
     * The delete carries no values; what is logged is the whole row that was there.
     */
    @Test
    void testPartialUpdateLogsTheRowThatIsRemoved()
            throws IOException
    {
        for (boolean among : new boolean[] {false, true}) {
            Row before = row(INSERT, 1, 7, 4);
            Row delete = row(DELETE, 2, null, 0);
            assertThat(rewrite(REMOVE_ON_DELETE, among ? Optional.empty() : Optional.of(before), among ? new Row[] {before, delete} : new Row[] {delete}))
                    .isEqualTo(new Result(List.of("-D null #2"), List.of("-D 7 #1")));
        }
        assertThat(rewrite(REMOVE_ON_DELETE, Optional.of(row(DELETE, 1, null, 4)), row(INSERT, 2, 8, 0)))
                .isEqualTo(new Result(List.of("+I 8 #2"), List.of("+I 8 #2")));
        assertThat(rewrite(REMOVE_ON_DELETE, Optional.of(row(INSERT, 1, 7, 4)), row(UPDATE_AFTER, 2, null, 0)))
                .isEqualTo(new Result(List.of("+I 7 #2"), List.of("-U 7 #1", "+U 7 #2")));
    }

    @Test
    void testFirstRow()
            throws IOException
    {
        assertThat(rewrite(FIRST_ROW, Optional.empty(), row(INSERT, 1, 1, 2))).isEqualTo(new Result(List.of("+I 1 #1"), List.of()));
        assertThat(rewrite(FIRST_ROW, Optional.empty(), row(INSERT, 1, 1, 1), row(INSERT, 2, 2, 0))).isEqualTo(new Result(List.of("+I 1 #1"), List.of()));
        // new: logged and kept
        assertThat(rewrite(FIRST_ROW, Optional.empty(), row(INSERT, 2, 5, 0), row(UPDATE_AFTER, 3, 6, 0))).isEqualTo(new Result(List.of("+I 5 #2"), List.of("+I 5 #2")));
        // there already, in a file that stays as it is
        assertThat(rewrite(FIRST_ROW, Optional.of(row(INSERT, 1, 4, 4)), row(INSERT, 2, 5, 0))).isEqualTo(new Result(List.of(), List.of()));
        assertThat(rewrite(with(FIRST_ROW, "ignore-delete", "true"), Optional.empty(), row(DELETE, 1, 4, 0), row(INSERT, 2, 5, 0)))
                .isEqualTo(new Result(List.of("+I 5 #2"), List.of("+I 5 #2")));
    }

    @Test
    void testWithoutChangelog()
            throws IOException
    {
        Map<String, String> options = ImmutableMap.of("merge-engine", "first-row");
        assertThat(rewrite(options, Optional.empty(), row(INSERT, 2, 5, 0))).isEqualTo(new Result(List.of("+I 5 #2"), List.of()));
        assertThat(rewrite(options, Optional.of(row(INSERT, 1, 4, 4)), row(INSERT, 2, 5, 0))).isEqualTo(new Result(List.of(), List.of()));
    }

    /**
     * @param above a row that lies above the level of the output
     */
    private static Result rewrite(Map<String, String> optionMap, Optional<Row> above, Row... inputs)
            throws IOException
    {
        ScalarType key = new ScalarType(TypeRoot.INTEGER, 0, 0, false);
        TableSchema schema = new TableSchema(
                TableSchema.CURRENT_VERSION,
                0,
                ImmutableList.of(new DataField(0, "k", key), new DataField(1, "v", new ScalarType(TypeRoot.INTEGER, 0, 0, true))),
                1,
                ImmutableList.of(),
                ImmutableList.of("k"),
                optionMap,
                Optional.empty(),
                0);
        CoreOptions options = new CoreOptions(optionMap);
        KeyValueLayout layout = KeyValueLayout.ofTable(schema, options);
        boolean firstRow = options.mergeEngine() == MergeEngine.FIRST_ROW;
        Optional<RowEquality> equality = options.changelogRowDeduplicate() ? Optional.of(new RowEquality(layout, options.changelogRowDeduplicateIgnoreFields())) : Optional.empty();
        List<List<DataFileMeta>> higher = above
                .map(row -> ImmutableList.<List<DataFileMeta>>of(ImmutableList.of(TestingFiles.file("above", row.level(), 1, 1, 100))))
                .orElse(ImmutableList.of());
        try (KeyLookup lookup = firstRow ?
                KeyLookup.ofKeys(layout, TestingFiles.KEY_ENCODER, higher, (_, _) -> stream(page(layout, above.orElseThrow()).getColumns(0, 2, 3)), 1, new LookupResources()) :
                new KeyLookup(layout, TestingFiles.KEY_ENCODER, higher, (_, _) -> stream(page(layout, above.orElseThrow())), 1, new LookupResources())) {
            LookupRewriter rewriter = new LookupRewriter(layout, TestingFiles.KEY_ENCODER, MergeFunctions.create(schema, options, layout, true), new PreviousRows(KnownRows.none(layout), lookup, Optional.empty()), firstRow, equality, Optional.empty());
            List<RunInput> runs = new ArrayList<>();
            for (Row row : inputs) {
                runs.addFirst(new RunInput(stream(page(layout, row)), row.level()));
            }
            CollectingWriter data = new CollectingWriter();
            CollectingWriter changelog = new CollectingWriter();
            boolean logs = options.changelogProducer() == CoreOptions.ChangelogProducer.LOOKUP;
            rewriter.rewrite(runs, Optional.of(data), logs ? Optional.of(changelog) : Optional.empty(), false);
            return new Result(data.texts, changelog.texts);
        }
    }

    private static Row row(RowKind kind, long sequence, Integer value, int level)
    {
        return new Row(kind, sequence, value, level);
    }

    private static Map<String, String> with(Map<String, String> options, String key, String value)
    {
        return ImmutableMap.<String, String>builder().putAll(options).put(key, value).buildOrThrow();
    }

    private static Page page(KeyValueLayout layout, Row row)
    {
        PageBuilder builder = new PageBuilder(layout.types());
        builder.declarePosition();
        INTEGER.writeInt(builder.getBlockBuilder(0), 1);
        if (row.value() == null) {
            builder.getBlockBuilder(1).appendNull();
        }
        else {
            INTEGER.writeInt(builder.getBlockBuilder(1), row.value());
        }
        BIGINT.writeLong(builder.getBlockBuilder(2), row.sequence());
        TINYINT.writeByte(builder.getBlockBuilder(3), row.kind().value());
        return builder.build();
    }

    private static PageStream stream(Page page)
    {
        List<Page> pages = new ArrayList<>(List.of(page));
        return new PageStream()
        {
            @Override
            public Page nextPage()
            {
                return pages.isEmpty() ? null : pages.removeFirst();
            }

            @Override
            public void close() {}
        };
    }

    private static final class CollectingWriter
            implements RollingWriter
    {
        private final List<String> texts = new ArrayList<>();

        @Override
        public void write(Page page)
        {
            for (int position = 0; position < page.getPositionCount(); position++) {
                Integer value = page.getBlock(1).isNull(position) ? null : (Integer) INTEGER.getInt(page.getBlock(1), position);
                texts.add("%s %s #%s".formatted(
                        RowKind.fromValue(TINYINT.getByte(page.getBlock(3), position)).shortName(),
                        value,
                        BIGINT.getLong(page.getBlock(2), position)));
            }
        }

        @Override
        public long bufferedBytes()
        {
            return 0;
        }

        @Override
        public void completeFile() {}

        @Override
        public long writtenBytes()
        {
            return 0;
        }

        @Override
        public List<DataFileMeta> finish()
        {
            return List.of();
        }

        @Override
        public void abort() {}
    }
}
