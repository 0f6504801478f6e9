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

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.lookup.storage.schema.AggregateFunction;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.LookupCompactMode;
import io.lookup.storage.schema.CoreOptions.MergeEngine;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.SequenceGroup;
import io.lookup.storage.schema.SequenceGroups;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TrinoTypes;
import io.trino.spi.block.Block;
import io.trino.spi.type.Type;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static java.util.Objects.requireNonNull;

/**
 * What the -D of a removed row has to hold so that a row which comes later begins anew. Merges combine later rows with the
 * values of a -D for as long as no compaction has dropped it, in Paimon as here. So a -D says nothing: it holds null, or the
 * value that its column's function passes over where the column cannot be null. It keeps the key, and what decides the order of versions.
 * <p>
 * A first value cannot be taken back: a merge that has met the removed row does not look for a first value again. It does
 * not meet it where every statement lifts its own rows onto the state of their keys.
 */
public final class DeletedValues
{
    private final Map<Integer, Block> values;
    private final Optional<String> refusal;

    private DeletedValues(Map<Integer, Block> values, Optional<String> refusal)
    {
        this.values = ImmutableMap.copyOf(values);
        this.refusal = requireNonNull(refusal, "refusal is null");
    }

    /**
     * Empty for tables of which a -D removes no row, or whose rows replace each other.
     */
    public static DeletedValues of(TableSchema schema, CoreOptions options)
    {
        boolean combines = options.mergeEngine() == MergeEngine.PARTIAL_UPDATE || options.mergeEngine() == MergeEngine.AGGREGATION && options.aggregationRemoveRecordOnDelete();
        if (!combines) {
            return new DeletedValues(ImmutableMap.of(), Optional.empty());
        }
        SequenceGroups groups = SequenceGroups.of(schema, options);
        Set<String> order = ImmutableSet.<String>builder()
                .addAll(schema.primaryKeys())
                .addAll(options.sequenceField())
                .addAll(groups.groups().stream().filter(SequenceGroup::removesRecord).map(SequenceGroup::sequenceColumns).flatMap(List::stream).toList())
                .build();
        ImmutableMap.Builder<Integer, Block> values = ImmutableMap.builder();
        Optional<String> refusal = Optional.empty();
        for (DataField column : schema.fields()) {
            if (order.contains(column.name())) {
                continue;
            }
            Optional<AggregateFunction> function = options.mergeEngine() == MergeEngine.AGGREGATION ?
                    Optional.of(Aggregators.function(schema, options, column)) :
                    groups.function(schema, options, column.name()).flatMap(AggregateFunction::find);
            if (refusal.isEmpty()) {
                refusal = function.flatMap(present -> refusal(options, column, present));
            }
            Type type = TrinoTypes.toTrinoType(column.type());
            if (column.type().nullable()) {
                values.put(schema.fieldIndex(column.name()), writeNativeValue(type, null));
            }
            else {
                function.flatMap(present -> PassedOverValue.of(present, type)).ifPresent(value -> values.put(schema.fieldIndex(column.name()), writeNativeValue(type, value)));
            }
        }
        return new DeletedValues(values.buildOrThrow(), refusal);
    }

    /**
     * Blocks of one position by channel; other columns keep the values of the removed row.
     */
    public Map<Integer, Block> values()
    {
        return values;
    }

    /**
     * Why there are no such values, to go on from the name of the table; empty if there are.
     */
    public Optional<String> refusal()
    {
        return refusal;
    }

    private static Optional<String> refusal(CoreOptions options, DataField column, AggregateFunction function)
    {
        boolean first = function == AggregateFunction.FIRST_VALUE || function == AggregateFunction.FIRST_NON_NULL_VALUE;
        if (first && !(options.needLookup() && options.compactsOnWrite() && options.lookupCompact() == LookupCompactMode.RADICAL)) {
            return Optional.of("its column '%s' has the aggregate function '%s', of which the value of the deleted row would be remembered; set 'changelog-producer' = 'lookup', without 'write-only', 'lookup-wait' = 'false' and 'lookup-compact' = 'gentle'".formatted(
                    column.name(),
                    function.functionName()));
        }
        boolean replaced = first || function == AggregateFunction.LAST_VALUE || function == AggregateFunction.LAST_NON_NULL_VALUE || function == AggregateFunction.PRIMARY_KEY;
        if (!column.type().nullable() && !replaced && PassedOverValue.of(function, TrinoTypes.toTrinoType(column.type())).isEmpty()) {
            return Optional.of("its column '%s' is NOT NULL and has the aggregate function '%s', which would combine what is inserted later with the deleted row; make the column nullable".formatted(
                    column.name(),
                    function.functionName()));
        }
        return Optional.empty();
    }
}
