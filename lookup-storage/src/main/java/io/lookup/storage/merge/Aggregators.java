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
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.schema.TypeRoot;

import java.util.Optional;

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
    private static final String FALLBACK_FUNCTION = "last_non_null_value";

    private Aggregators() {}

    static Aggregator create(TableSchema schema, CoreOptions options, DataField column)
    {
        boolean ignoreRetract = options.ignoreRetract(column.name());
        if (ignoreRetract && options.aggregationRemoveRecordOnDelete()) {
            throw new StorageException(INVALID_OPTION, format(
                    "Options 'aggregation.remove-record-on-delete' and 'fields.%s.ignore-retract' exclude each other: remove one of them",
                    column.name()));
        }
        Aggregator aggregator = createFunction(schema, options, column);
        return ignoreRetract ? new IgnoreRetractAggregator(aggregator) : aggregator;
    }

    private static Aggregator createFunction(TableSchema schema, CoreOptions options, DataField column)
    {
        if (options.sequenceField().contains(column.name())) {
            return new LastValueAggregator();
        }
        if (schema.primaryKeys().contains(column.name())) {
            return new PrimaryKeyAggregator();
        }
        Optional<String> function = options.aggregateFunction(column.name());
        String columnOption = "fields." + column.name() + ".aggregate-function";
        String option = options.get(columnOption).isPresent() ? columnOption : "fields.default-aggregate-function";
        switch (function.orElse(FALLBACK_FUNCTION)) {
            case "sum":
                return SumAggregators.create(column);
            case "min", "max":
                if (!(column.type() instanceof ScalarType) || column.type().root() == TypeRoot.BOOLEAN) {
                    throw new StorageException(INVALID_OPTION, format(
                            "Option '%s' = '%s' needs a number, text, binary, date or time, but column '%s' is of type %s",
                            option,
                            function.orElseThrow(),
                            column.name(),
                            column.type().root()));
                }
                return new ExtremeValueAggregator(column.name(), TrinoTypes.toTrinoType(column.type()), function.orElseThrow().equals("max"));
            case "last_value":
                return new LastValueAggregator();
            case "last_non_null_value":
                return new LastNonNullValueAggregator();
            default:
                throw new StorageException(UNSUPPORTED_FEATURE, format(
                        "Option '%s' = '%s' names an aggregate function that is not supported; supported are last_non_null_value, last_value, max, min, sum",
                        option,
                        function.orElseThrow()));
        }
    }
}
