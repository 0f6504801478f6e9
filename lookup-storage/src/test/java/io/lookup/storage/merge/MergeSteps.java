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
import com.google.common.collect.ImmutableMap;
import io.airlift.slice.Slices;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.Page;
import io.trino.spi.PageBuilder;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.TinyintType.TINYINT;

/**
 * The versions of one key of a table of integers {@code f0}, {@code f1}, …, of which {@code f0} is the key, and what is made of them. Each result
 * is that of all versions so far, merged at once.
 */
final class MergeSteps
{
    private final TableSchema schema;
    private final CoreOptions options;
    private final KeyValueLayout layout;
    private final List<Version> versions = new ArrayList<>();

    record Version(RowKind kind, long sequence, int level, List<Integer> values) {}

    private MergeSteps(TableSchema schema, CoreOptions options, KeyValueLayout layout)
    {
        this.schema = schema;
        this.options = options;
        this.layout = layout;
    }

    static MergeSteps of(int columns, Map<String, String> options)
    {
        return of(columns, Set.of(0), options);
    }

    static MergeSteps of(int columns, Set<Integer> notNull, Map<String, String> options)
    {
        ImmutableList.Builder<DataField> fields = ImmutableList.builder();
        for (int column = 0; column < columns; column++) {
            fields.add(new DataField(column, "f" + column, new ScalarType(TypeRoot.INTEGER, 0, 0, !notNull.contains(column))));
        }
        List<DataField> columnFields = fields.build();
        TableSchema schema = new TableSchema(TableSchema.CURRENT_VERSION, 0, columnFields, columns - 1, ImmutableList.of(), ImmutableList.of("f0"), options, Optional.empty(), 0);
        CoreOptions coreOptions = new CoreOptions(options);
        return new MergeSteps(schema, coreOptions, KeyValueLayout.ofTable(schema, coreOptions));
    }

    /**
     * The same table, of which only some columns are read.
     */
    MergeSteps project(String... names)
    {
        List<DataField> columns = Arrays.stream(names).map(schema::field).collect(toImmutableList());
        return new MergeSteps(schema, options, new KeyValueLayout(columns, ImmutableList.of(List.of(names).indexOf("f0")), ImmutableList.of(), false));
    }

    MergeFunction function()
    {
        return MergeFunctions.create(schema, options, layout, true);
    }

    MergeSteps add(Integer... values)
    {
        return add(RowKind.INSERT, values);
    }

    MergeSteps add(RowKind kind, Integer... values)
    {
        return addAt(0, kind, values);
    }

    MergeSteps addAt(int level, RowKind kind, Integer... values)
    {
        checkArgument(values.length == layout.columns().size(), "%s values for %s columns", values.length, layout.columns().size());
        versions.add(new Version(kind, versions.size(), level, Arrays.asList(values)));
        return this;
    }

    void reset()
    {
        versions.clear();
    }

    List<Integer> values()
    {
        return result(true).values();
    }

    Version result(boolean applyToSingleRows)
    {
        KeyGroups groups = new KeyGroups();
        // among other keys, with versions that lie in pages of their own
        addGroup(groups, List.of(new Version(RowKind.INSERT, 0, 0, versions.getFirst().values())));
        addGroup(groups, versions);
        addGroup(groups, List.of(new Version(RowKind.INSERT, 1, 0, versions.getFirst().values())));
        RowReferences results = new RowReferences(layout);
        function().mergeAll(groups, results, applyToSingleRows);
        checkArgument(results.count() == 3, "%s results", results.count());
        Page page = results.page(1);
        int position = results.position(1);
        List<Integer> values = new ArrayList<>();
        for (int column = 0; column < layout.columns().size(); column++) {
            values.add(page.getBlock(column).isNull(position) ? null : (Integer) INTEGER.getInt(page.getBlock(column), position));
        }
        return new Version(
                RowKind.fromValue(TINYINT.getByte(page.getBlock(layout.kindChannel()), position)),
                BIGINT.getLong(page.getBlock(layout.sequenceChannel()), position),
                0,
                values);
    }

    private void addGroup(KeyGroups groups, List<Version> versions)
    {
        groups.beginGroup(groups.groupCount(), Slices.utf8Slice("k" + groups.groupCount()));
        for (Version version : versions) {
            groups.addRow(page(version), 0, version.level());
        }
    }

    private Page page(Version version)
    {
        PageBuilder builder = new PageBuilder(layout.types());
        builder.declarePosition();
        for (int column = 0; column < layout.columns().size(); column++) {
            if (version.values().get(column) == null) {
                builder.getBlockBuilder(column).appendNull();
            }
            else {
                INTEGER.writeInt(builder.getBlockBuilder(column), version.values().get(column));
            }
        }
        BIGINT.writeLong(builder.getBlockBuilder(layout.sequenceChannel()), version.sequence());
        TINYINT.writeByte(builder.getBlockBuilder(layout.kindChannel()), version.kind().value());
        return builder.build();
    }

    static Map<String, String> partialUpdate(String... keysAndValues)
    {
        ImmutableMap.Builder<String, String> options = ImmutableMap.builder();
        options.put("merge-engine", "partial-update");
        for (int index = 0; index < keysAndValues.length; index += 2) {
            options.put(keysAndValues[index], keysAndValues[index + 1]);
        }
        return options.buildOrThrow();
    }
}
