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

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.schema.AggregateFunction;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.schema.TypeJson;
import io.lookup.storage.schema.TypeParser;
import io.lookup.storage.table.BlockValues;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.Type;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;

import static io.trino.spi.type.TypeUtils.writeNativeValue;

/**
 * One column and its aggregate function, value by value.
 */
final class AggregatedColumn
{
    private final DataField field;
    private final CoreOptions options;
    private final Aggregator aggregator;

    /**
     * @param type as text, or as JSON if it is nested
     */
    AggregatedColumn(String name, String function, String type, Map<String, String> options)
    {
        try {
            field = new DataField(1, name, type.startsWith("{") ? TypeJson.read(new ObjectMapper().readTree(type)) : TypeParser.parse(type));
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.options = new CoreOptions(ImmutableMap.<String, String>builder()
                .putAll(options)
                .put("merge-engine", "aggregation")
                .put("fields." + name + ".aggregate-function", function)
                .buildOrThrow());
        aggregator = Aggregators.create(schema(), this.options, field);
        aggregator.reset();
    }

    /**
     * @param options keys and values, the keys without what names the column
     */
    static AggregatedColumn column(String function, String type, String... options)
    {
        ImmutableMap.Builder<String, String> all = ImmutableMap.builder();
        for (int index = 0; index < options.length; index += 2) {
            all.put("fields.v." + options[index], options[index + 1]);
        }
        return new AggregatedColumn("v", function, type, all.buildOrThrow());
    }

    TableSchema schema()
    {
        return new TableSchema(3, 0, ImmutableList.of(field), 1, ImmutableList.of(), ImmutableList.of("k"), options.asMap(), Optional.empty(), 0);
    }

    CoreOptions options()
    {
        return options;
    }

    void reset()
    {
        aggregator.reset();
    }

    AggregatedColumn add(Object value)
    {
        aggregator.add(block(value), 0);
        return this;
    }

    /**
     * Adds what stands for no value in a column that cannot be null.
     */
    AggregatedColumn addPassedOver()
    {
        Type type = TrinoTypes.toTrinoType(field.type());
        AggregateFunction function = AggregateFunction.find(options.aggregateFunction(field.name()).orElseThrow()).orElseThrow();
        aggregator.add(writeNativeValue(type, PassedOverValue.of(function, type).orElseThrow()), 0);
        return this;
    }

    AggregatedColumn late(Object value)
    {
        aggregator.addReversed(block(value), 0);
        return this;
    }

    AggregatedColumn retract(Object value)
    {
        aggregator.retract(block(value), 0);
        return this;
    }

    Object result()
    {
        BlockBuilder builder = TrinoTypes.toTrinoType(field.type()).createBlockBuilder(null, 1);
        aggregator.writeTo(builder);
        return BlockValues.toRow(ImmutableList.of(field), new Page(builder.build()), 0).getFirst();
    }

    private Block block(Object value)
    {
        return BlockValues.toPage(ImmutableList.of(field), ImmutableList.of(Collections.singletonList(value))).getBlock(0);
    }
}
