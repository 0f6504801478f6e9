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
package io.lookup.trino.read;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.scan.ChangeSplit;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TableSchema;
import io.lookup.trino.handle.ColumnRole;
import io.lookup.trino.handle.LookupColumnHandle;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.DictionaryBlock;
import io.trino.spi.block.RowBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.connector.SourcePage;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static io.airlift.slice.Slices.utf8Slice;
import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static io.trino.spi.type.TinyintType.TINYINT;
import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.stream.Collectors.collectingAndThen;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

/**
 * Makes the pages that Trino asked for of the pages that the engine reads: columns of the table, and those that the
 * file does not hold.
 */
final class PageAssembler
{
    private static final Block KIND_NAMES = kindNames();

    private final List<DataField> readColumns;
    private final List<Part> parts;
    private final boolean systemColumns;

    private PageAssembler(List<DataField> readColumns, List<Part> parts, boolean systemColumns)
    {
        this.readColumns = ImmutableList.copyOf(readColumns);
        this.parts = ImmutableList.copyOf(parts);
        this.systemColumns = systemColumns;
    }

    /**
     * @param split what the values of a change come from that its files do not hold; empty for a table scan
     * @param narrow whether of a row only the wanted fields may be read
     */
    static PageAssembler create(TableSchema schema, List<LookupColumnHandle> columns, Optional<ChangeSplit> split, boolean narrow)
    {
        Map<Integer, NestedFields> nested = columns.stream()
                .filter(column -> column.role() == ColumnRole.DATA)
                .collect(groupingBy(LookupColumnHandle::fieldId, mapping(LookupColumnHandle::path, collectingAndThen(toList(), paths -> NestedFields.of(narrow ? paths : List.of(List.of()))))));
        // position of each column in the engine's pages, in order of first use
        Map<Integer, Integer> channels = new LinkedHashMap<>();
        List<DataField> readColumns = new ArrayList<>();
        columns.forEach(column -> {
            switch (column.role()) {
                case DATA -> addChannel(channels, readColumns, nested.get(column.fieldId()).narrow(fieldOf(schema, column)));
                case ROW_ID -> schema.fields().forEach(field -> addChannel(channels, readColumns, field));
                case ROW_KIND, SNAPSHOT_ID, COMMIT_TIME, QUERY_ID, USER, BUCKET, SEQUENCE_NUMBER, STATE -> {
                    // not in the columns of the file
                }
            }
        });
        boolean systemColumns = columns.stream().anyMatch(column -> column.role() == ColumnRole.ROW_KIND || column.role() == ColumnRole.SEQUENCE_NUMBER);
        int sequenceChannel = readColumns.size();
        int kindChannel = sequenceChannel + 1;
        ImmutableList.Builder<Part> parts = ImmutableList.builder();
        for (LookupColumnHandle column : columns) {
            parts.add(switch (column.role()) {
                case DATA -> field(channels.get(column.fieldId()), nested.get(column.fieldId()).locate(column.path()));
                case ROW_ID -> row(schema.fields().stream().mapToInt(field -> channels.get(field.id())).toArray());
                case SEQUENCE_NUMBER -> channel(sequenceChannel);
                case ROW_KIND -> page -> kinds(page.getBlock(kindChannel));
                case SNAPSHOT_ID, COMMIT_TIME, QUERY_ID, USER, BUCKET -> constant(column, constantValue(column.role(), split.orElseThrow()));
                case STATE -> throw new IllegalArgumentException("Not a column of rows: " + column);
            });
        }
        return new PageAssembler(readColumns, parts.build(), systemColumns);
    }

    /**
     * What the engine must read.
     */
    List<DataField> readColumns()
    {
        return readColumns;
    }

    /**
     * Whether the engine must read sequence numbers and kinds too.
     */
    boolean systemColumns()
    {
        return systemColumns;
    }

    /**
     * The columns that the scan wants, each made when it is asked for.
     */
    SourcePage assemble(SourcePage page)
    {
        return new AssembledPage(page, parts);
    }

    interface Part
    {
        Block block(SourcePage page);
    }

    private static void addChannel(Map<Integer, Integer> channels, List<DataField> readColumns, DataField field)
    {
        if (channels.putIfAbsent(field.id(), readColumns.size()) == null) {
            readColumns.add(field);
        }
    }

    private static DataField fieldOf(TableSchema schema, LookupColumnHandle column)
    {
        return schema.findField(column.fieldId())
                .orElseThrow(() -> new IllegalArgumentException("No column with id %s".formatted(column.fieldId())));
    }

    private static Part channel(int channel)
    {
        return page -> page.getBlock(channel);
    }

    private static Part field(int channel, List<Integer> path)
    {
        return page -> NestedFields.dereference(page.getBlock(channel), path);
    }

    private static Part row(int[] channels)
    {
        return page -> {
            Block[] fields = new Block[channels.length];
            for (int index = 0; index < channels.length; index++) {
                fields[index] = page.getBlock(channels[index]);
            }
            return RowBlock.fromFieldBlocks(page.getPositionCount(), fields);
        };
    }

    private static Part constant(LookupColumnHandle column, Object value)
    {
        Block block = writeNativeValue(column.type(), value);
        return page -> RunLengthEncodedBlock.create(block, page.getPositionCount());
    }

    private static Object constantValue(ColumnRole role, ChangeSplit split)
    {
        return switch (role) {
            case SNAPSHOT_ID -> split.snapshotId();
            case COMMIT_TIME -> packDateTimeWithZone(split.commitTimeMillis(), UTC_KEY);
            case QUERY_ID -> split.queryId().map(text -> (Object) utf8Slice(text)).orElse(null);
            case USER -> split.user().map(text -> (Object) utf8Slice(text)).orElse(null);
            case BUCKET -> (long) split.bucket();
            case DATA, STATE, ROW_ID, ROW_KIND, SEQUENCE_NUMBER -> throw new IllegalArgumentException("Not the same for all changes of a file: " + role);
        };
    }

    private static Block kinds(Block kinds)
    {
        int[] ids = new int[kinds.getPositionCount()];
        for (int position = 0; position < ids.length; position++) {
            ids[position] = TINYINT.getByte(kinds, position);
        }
        return DictionaryBlock.create(ids.length, KIND_NAMES, ids);
    }

    private static Block kindNames()
    {
        BlockBuilder names = VARCHAR.createBlockBuilder(null, RowKind.values().length);
        for (RowKind kind : RowKind.values()) {
            VARCHAR.writeString(names, kind.shortName());
        }
        return names.build();
    }
}
