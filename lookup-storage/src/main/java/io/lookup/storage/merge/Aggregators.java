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

import io.lookup.storage.StorageException;
import io.lookup.storage.schema.AggregateFunction;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TrinoTypes;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.MapType;
import io.trino.spi.type.Type;

import static io.lookup.storage.StorageErrorCode.INVALID_OPTION;
import static io.lookup.storage.StorageErrorCode.UNSUPPORTED_FEATURE;
import static java.lang.String.format;

/**
 * Finds the aggregator of a column: {@code last_value} for sequence fields, the value itself for primary-key columns,
 * else {@code fields.<column>.aggregate-function}, else {@code fields.default-aggregate-function}, else
 * {@code last_non_null_value}.
 */
final class Aggregators
{
    private Aggregators() {}

    static Aggregator create(TableSchema schema, CoreOptions options, DataField column)
    {
        return create(options, column, function(schema, options, column));
    }

    /**
     * An aggregator of a function that was chosen elsewhere.
     *
     * @throws StorageException INVALID_OPTION if the function does not fit the column, or options contradict each other
     */
    static Aggregator create(CoreOptions options, DataField column, AggregateFunction function)
    {
        boolean ignoreRetract = options.ignoreRetract(column.name());
        if (ignoreRetract && options.aggregationRemoveRecordOnDelete()) {
            throw new StorageException(INVALID_OPTION, format(
                    "Options 'aggregation.remove-record-on-delete' and 'fields.%s.ignore-retract' exclude each other: remove one of them",
                    column.name()));
        }
        function.check(column, options);
        Aggregator aggregator = createFunction(options, column, function);
        return ignoreRetract ? new IgnoreRetractAggregator(aggregator) : aggregator;
    }

    /**
     * The function that a table of merge engine aggregation has for a column.
     */
    static AggregateFunction function(TableSchema schema, CoreOptions options, DataField column)
    {
        if (options.sequenceField().contains(column.name())) {
            return AggregateFunction.LAST_VALUE;
        }
        if (schema.primaryKeys().contains(column.name())) {
            return AggregateFunction.PRIMARY_KEY;
        }
        return options.aggregateFunction(column.name())
                .map(name -> AggregateFunction.find(name).orElseThrow(() -> unknownFunction(options, column, name)))
                .orElse(AggregateFunction.LAST_NON_NULL_VALUE);
    }

    static StorageException cannotRetract(AggregateFunction function, String column)
    {
        return new StorageException(UNSUPPORTED_FEATURE, format(
                "Aggregate function '%s' of column '%s' cannot take back a value: update and delete rows are refused, unless 'fields.%s.ignore-retract' = 'true' lets them pass without effect",
                function.functionName(),
                column,
                column));
    }

    private static Aggregator createFunction(CoreOptions options, DataField column, AggregateFunction function)
    {
        Type type = TrinoTypes.toTrinoType(column.type());
        String name = column.name();
        return switch (function) {
            case SUM -> SumAggregators.create(column);
            case PRODUCT -> ProductAggregators.create(column);
            case MIN -> new ExtremeValueAggregator(name, type, false);
            case MAX -> new ExtremeValueAggregator(name, type, true);
            case FIRST_VALUE -> new FirstValueAggregator(name, false);
            case FIRST_NON_NULL_VALUE -> new FirstValueAggregator(name, true);
            case LAST_VALUE -> new LastValueAggregator();
            case LAST_NON_NULL_VALUE -> new LastNonNullValueAggregator();
            case LISTAGG -> new ListAggregator(name, options.listAggDelimiter(name), options.distinct(name));
            case BOOL_AND -> new BooleanAggregator(name, true);
            case BOOL_OR -> new BooleanAggregator(name, false);
            case COLLECT -> new CollectAggregator((ArrayType) type, options.distinct(name), options.ignoreRetract(name));
            case MERGE_MAP -> new MergeMapAggregator((MapType) type);
            case MERGE_MAP_WITH_KEYTIME -> new MergeMapWithKeyTimeAggregator(name, (MapType) type, AggregateFunction.timestampField(column, options));
            case NESTED_UPDATE -> new NestedUpdateAggregator((ArrayType) type, AggregateFunction.nestedKey(column, options), options.countLimit(name));
            case NESTED_PARTIAL_UPDATE -> new NestedPartialUpdateAggregator(name, (ArrayType) type, AggregateFunction.nestedKey(column, options));
            case RBM32 -> BitmapAggregators.create32(name);
            case RBM64 -> BitmapAggregators.create64(name);
            case HLL_SKETCH -> SketchAggregators.createHll(name);
            case THETA_SKETCH -> SketchAggregators.createTheta(name);
            case PRIMARY_KEY -> new PrimaryKeyAggregator();
        };
    }

    private static StorageException unknownFunction(CoreOptions options, DataField column, String name)
    {
        String columnOption = "fields." + column.name() + ".aggregate-function";
        String option = options.get(columnOption).isPresent() ? columnOption : "fields.default-aggregate-function";
        return new StorageException(UNSUPPORTED_FEATURE, format(
                "Option '%s' = '%s' names an aggregate function that does not exist; there are %s",
                option,
                name,
                String.join(", ", AggregateFunction.names())));
    }
}
