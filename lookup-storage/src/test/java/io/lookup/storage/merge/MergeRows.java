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

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slices;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.Page;
import io.trino.spi.PageBuilder;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.TinyintType.TINYINT;
import static io.trino.spi.type.VarcharType.VARCHAR;

/**
 * Rows of the layout (key, sequence field, value) as test data: a key that is a BIGINT or a text, a BIGINT sequence field
 * that may be null, a text value that may be null.
 */
record MergeRows(KeyValueLayout layout, boolean textKey)
{
    record Row(long key, Long field, String value, long sequence, RowKind kind) {}

    static MergeRows create(boolean textKey, boolean sequenceField, boolean descending)
    {
        DataType keyType = textKey ? new ScalarType(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH, 0, false) : new ScalarType(TypeRoot.BIGINT, 0, 0, false);
        return new MergeRows(
                new KeyValueLayout(
                        ImmutableList.of(
                                new DataField(0, "k", keyType),
                                new DataField(1, "s", new ScalarType(TypeRoot.BIGINT, 0, 0, true)),
                                new DataField(2, "v", new ScalarType(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH, 0, true))),
                        ImmutableList.of(0),
                        sequenceField ? ImmutableList.of(1) : ImmutableList.of(),
                        descending),
                textKey);
    }

    Page page(List<Row> rows)
    {
        PageBuilder builder = new PageBuilder(layout.types());
        for (Row row : rows) {
            builder.declarePosition();
            if (textKey) {
                VARCHAR.writeSlice(builder.getBlockBuilder(0), Slices.utf8Slice(text(row.key())));
            }
            else {
                BIGINT.writeLong(builder.getBlockBuilder(0), row.key());
            }
            if (row.field() == null) {
                builder.getBlockBuilder(1).appendNull();
            }
            else {
                BIGINT.writeLong(builder.getBlockBuilder(1), row.field());
            }
            if (row.value() == null) {
                builder.getBlockBuilder(2).appendNull();
            }
            else {
                VARCHAR.writeSlice(builder.getBlockBuilder(2), Slices.utf8Slice(row.value()));
            }
            BIGINT.writeLong(builder.getBlockBuilder(3), row.sequence());
            TINYINT.writeByte(builder.getBlockBuilder(4), row.kind().value());
        }
        return builder.build();
    }

    PageStream stream(List<Row> rows, int pageSize)
    {
        List<Page> pages = new ArrayList<>();
        for (int start = 0; start < rows.size(); start += pageSize) {
            pages.add(page(rows.subList(start, Math.min(rows.size(), start + pageSize))));
        }
        return stream(pages);
    }

    static PageStream stream(List<Page> pages)
    {
        Iterator<Page> iterator = pages.iterator();
        return new PageStream()
        {
            @Override
            public Page nextPage()
            {
                return iterator.hasNext() ? iterator.next() : null;
            }

            @Override
            public void close() {}
        };
    }

    Row row(Page page, int position)
    {
        return new Row(
                textKey ? Long.parseLong(VARCHAR.getSlice(page.getBlock(0), position).toStringUtf8().substring(20)) : BIGINT.getLong(page.getBlock(0), position),
                page.getBlock(1).isNull(position) ? null : Long.valueOf(BIGINT.getLong(page.getBlock(1), position)),
                page.getBlock(2).isNull(position) ? null : VARCHAR.getSlice(page.getBlock(2), position).toStringUtf8(),
                BIGINT.getLong(page.getBlock(3), position),
                RowKind.fromValue(TINYINT.getByte(page.getBlock(4), position)));
    }

    List<Row> rows(Page page)
    {
        List<Row> rows = new ArrayList<>();
        for (int position = 0; position < page.getPositionCount(); position++) {
            rows.add(row(page, position));
        }
        return rows;
    }

    // the prefix of the key bytes is the same for all, so that comparison must go on behind it
    private static String text(long key)
    {
        return "a common prefix ****".substring(0, 20) + String.format("%08d", key);
    }
}
