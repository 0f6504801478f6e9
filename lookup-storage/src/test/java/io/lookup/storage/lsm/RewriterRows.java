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
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.parquet.DataFileWriterFactory.RollingWriter;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.merge.MergeFunction;
import io.lookup.storage.merge.MergeFunctions;
import io.lookup.storage.merge.RunInput;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.Page;
import io.trino.spi.PageBuilder;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.TinyintType.TINYINT;

/**
 * Rows of a table (k INT primary key, v INT, w INT) as texts {@code +I(k, v, w) @sequence}.
 */
final class RewriterRows
{
    static final List<DataField> FIELDS = ImmutableList.of(
            new DataField(0, "k", new ScalarType(TypeRoot.INTEGER, 0, 0, false)),
            new DataField(1, "v", new ScalarType(TypeRoot.INTEGER, 0, 0, true)),
            new DataField(2, "w", new ScalarType(TypeRoot.INTEGER, 0, 0, true)));

    private final TableSchema schema;
    private final KeyValueLayout layout;

    RewriterRows(Map<String, String> options)
    {
        this.schema = new TableSchema(TableSchema.CURRENT_VERSION, 0, FIELDS, 2, ImmutableList.of(), ImmutableList.of("k"), options, Optional.empty(), 0);
        this.layout = KeyValueLayout.ofTable(schema, options());
    }

    record Row(RowKind kind, int key, int value, int other, long sequence)
    {
        @Override
        public String toString()
        {
            return "%s(%s, %s, %s) @%s".formatted(kind.shortName(), key, value, other, sequence);
        }
    }

    static Row row(String kind, int key, int value, int other, long sequence)
    {
        return new Row(
                Stream.of(RowKind.values()).filter(rowKind -> rowKind.shortName().equals(kind)).findFirst().orElseThrow(),
                key,
                value,
                other,
                sequence);
    }

    KeyValueLayout layout()
    {
        return layout;
    }

    KeyEncoder keyEncoder()
    {
        return KeyEncoder.forKeys(layout.keyTypes());
    }

    MergeFunction mergeFunction(boolean completeLevels)
    {
        return MergeFunctions.create(schema, options(), layout, completeLevels);
    }

    private CoreOptions options()
    {
        return new CoreOptions(schema.options());
    }

    RunInput run(int level, Row... rows)
    {
        return new RunInput(stream(ImmutableList.copyOf(rows)), level);
    }

    PageStream stream(List<Row> rows)
    {
        PageBuilder builder = new PageBuilder(layout.types());
        for (Row row : rows) {
            builder.declarePosition();
            INTEGER.writeInt(builder.getBlockBuilder(0), row.key());
            INTEGER.writeInt(builder.getBlockBuilder(1), row.value());
            INTEGER.writeInt(builder.getBlockBuilder(2), row.other());
            BIGINT.writeLong(builder.getBlockBuilder(3), row.sequence());
            TINYINT.writeByte(builder.getBlockBuilder(4), row.kind().value());
        }
        Iterator<Page> pages = rows.isEmpty() ? ImmutableList.<Page>of().iterator() : ImmutableList.of(builder.build()).iterator();
        return new PageStream()
        {
            @Override
            public Page nextPage()
            {
                return pages.hasNext() ? pages.next() : null;
            }

            @Override
            public void close() {}
        };
    }

    /**
     * Keeps what is written, as texts.
     */
    static final class Writer
            implements RollingWriter
    {
        private final List<String> rows = new ArrayList<>();

        @Override
        public void write(Page page)
        {
            for (int position = 0; position < page.getPositionCount(); position++) {
                rows.add(new Row(
                        RowKind.fromValue(TINYINT.getByte(page.getBlock(4), position)),
                        INTEGER.getInt(page.getBlock(0), position),
                        INTEGER.getInt(page.getBlock(1), position),
                        INTEGER.getInt(page.getBlock(2), position),
                        BIGINT.getLong(page.getBlock(3), position)).toString());
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
            return ImmutableList.of();
        }

        @Override
        public void abort() {}

        List<String> rows()
        {
            return rows.stream().collect(toImmutableList());
        }
    }
}
