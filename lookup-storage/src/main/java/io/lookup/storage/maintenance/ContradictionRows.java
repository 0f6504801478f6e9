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
package io.lookup.storage.maintenance;

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slices;
import io.lookup.storage.format.TrinoBlocks;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BinaryRowEncoder;
import io.lookup.storage.format.row.BinaryRowText;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.Page;
import io.trino.spi.PageBuilder;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.Type;

import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

/**
 * The rows that tell of contradictions: snapshot id (BIGINT), partition (VARCHAR, as {@code {v1, v2}}), bucket (INTEGER), key (VARCHAR, as
 * {@code [k1, k2]}), what was expected and what was found (VARCHAR, rows as {@code {a=1, b=2}}; null where there is no row).
 */
final class ContradictionRows
{
    static final List<Type> TYPES = ImmutableList.of(BIGINT, VARCHAR, INTEGER, VARCHAR, VARCHAR, VARCHAR);

    private final KeyValueLayout layout;
    private final String partition;
    private final int bucket;
    private final List<String> names;
    private final List<Type> types;
    // of the scalar columns alone
    private final List<Optional<ScalarText>> texts;
    private final BinaryRowEncoder keyEncoder;
    private final BinaryRowText keyText;
    private final PageBuilder builder = new PageBuilder(TYPES);

    ContradictionRows(TableSchema schema, KeyValueLayout layout, BinaryRow partition, int bucket)
    {
        this.layout = requireNonNull(layout, "layout is null");
        this.partition = new BinaryRowText(schema.partitionFields().stream().map(DataField::type).collect(toImmutableList())).braces(partition);
        this.bucket = bucket;
        this.names = layout.columns().stream().map(DataField::name).collect(toImmutableList());
        this.types = layout.types();
        this.texts = layout.columns().stream()
                .map(column -> column.type() instanceof ScalarType ? Optional.of(ScalarText.create(column.type())) : Optional.<ScalarText>empty())
                .collect(toImmutableList());
        this.keyEncoder = new BinaryRowEncoder(layout.keyTypes());
        this.keyText = new BinaryRowText(layout.keyTypes());
    }

    /**
     * @param keyPage a row with the key in question
     * @param expected null for no row
     * @param found null for no row
     */
    void add(long snapshotId, Page keyPage, int keyPosition, String expected, String found)
    {
        builder.declarePosition();
        BIGINT.writeLong(builder.getBlockBuilder(0), snapshotId);
        writeText(builder.getBlockBuilder(1), partition);
        INTEGER.writeLong(builder.getBlockBuilder(2), bucket);
        writeText(builder.getBlockBuilder(3), keyText.brackets(keyEncoder.encode(keyPage, layout.keyChannelArray(), keyPosition)));
        writeText(builder.getBlockBuilder(4), expected);
        writeText(builder.getBlockBuilder(5), found);
    }

    String row(Page page, int position)
    {
        StringJoiner text = new StringJoiner(", ", "{", "}");
        for (int channel = 0; channel < names.size(); channel++) {
            text.add(names.get(channel) + "=" + value(page, channel, position));
        }
        return text.toString();
    }

    private String value(Page page, int channel, int position)
    {
        if (texts.get(channel).isPresent()) {
            ScalarText text = texts.get(channel).get();
            return text.text().plain(text.encoder().encode(page, new int[] {channel}, position), 0);
        }
        return String.valueOf(TrinoBlocks.objectValue(types.get(channel), page.getBlock(channel), position));
    }

    String record(RowKind kind, Page page, int position)
    {
        return kind.shortName() + " " + row(page, position);
    }

    boolean isFull()
    {
        return builder.isFull();
    }

    long memoryUsage()
    {
        return builder.getRetainedSizeInBytes();
    }

    Page takePage()
    {
        Page page = builder.build();
        builder.reset();
        return page;
    }

    private record ScalarText(BinaryRowEncoder encoder, BinaryRowText text)
    {
        private static ScalarText create(DataType type)
        {
            return new ScalarText(new BinaryRowEncoder(ImmutableList.of(type)), new BinaryRowText(ImmutableList.of(type)));
        }
    }

    private static void writeText(BlockBuilder target, String text)
    {
        if (text == null) {
            target.appendNull();
            return;
        }
        VARCHAR.writeSlice(target, Slices.utf8Slice(text));
    }
}
