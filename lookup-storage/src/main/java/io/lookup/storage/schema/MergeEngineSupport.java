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
package io.lookup.storage.schema;

import com.google.common.collect.ImmutableSet;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.CoreOptions.MergeEngine;

import java.util.Optional;
import java.util.Set;

/**
 * Which merge engines and aggregate functions exist, which of them work here, and on which column types.
 */
final class MergeEngineSupport
{
    private static final Set<String> SUPPORTED_FUNCTIONS = ImmutableSet.of("sum", "min", "max", "last_value", "last_non_null_value", "primary-key");
    private static final Set<String> OTHER_FUNCTIONS = ImmutableSet.of(
            "product", "first_value", "first_non_null_value", "first_not_null_value", "listagg", "bool_and", "bool_or", "collect", "merge_map",
            "merge_map_with_keytime", "nested_update", "nested_partial_update", "rbm32", "rbm64", "hll_sketch", "theta_sketch");
    private static final Set<TypeRoot> NUMERIC_TYPES = ImmutableSet.of(
            TypeRoot.TINYINT, TypeRoot.SMALLINT, TypeRoot.INTEGER, TypeRoot.BIGINT, TypeRoot.FLOAT, TypeRoot.DOUBLE, TypeRoot.DECIMAL);
    private static final Set<TypeRoot> INCOMPARABLE_TYPES = ImmutableSet.of(
            TypeRoot.BOOLEAN, TypeRoot.VARIANT, TypeRoot.ARRAY, TypeRoot.MAP, TypeRoot.MULTISET, TypeRoot.ROW);

    private MergeEngineSupport() {}

    /**
     * Checks that every aggregate function exists and fits its column.
     */
    static void check(TableSchema schema, CoreOptions options)
    {
        options.get(CoreOptions.FIELDS_PREFIX + CoreOptions.DEFAULT_AGGREGATE_FUNCTION)
                .ifPresent(function -> checkExists(CoreOptions.FIELDS_PREFIX + CoreOptions.DEFAULT_AGGREGATE_FUNCTION, function));
        for (DataField field : schema.fields()) {
            options.get(key(field)).ifPresent(function -> checkExists(key(field), function));
        }
        if (options.mergeEngine() != MergeEngine.AGGREGATION) {
            return;
        }
        for (DataField field : schema.fields()) {
            function(schema, options, field).ifPresent(function -> checkType(field, function));
        }
    }

    /**
     * Checks that the merge engine and all its functions are implemented.
     */
    static void checkSupported(TableSchema schema, CoreOptions options)
    {
        MergeEngine engine = options.mergeEngine();
        if (engine == MergeEngine.PARTIAL_UPDATE || engine == MergeEngine.FIRST_ROW) {
            throw new StorageException(
                    StorageErrorCode.UNSUPPORTED_FEATURE,
                    "Option 'merge-engine' = '%s' is not supported; supported are deduplicate, aggregation".formatted(OptionValues.enumText(engine)));
        }
        if (engine != MergeEngine.AGGREGATION) {
            return;
        }
        for (DataField field : schema.fields()) {
            function(schema, options, field).ifPresent(function -> {
                if (!SUPPORTED_FUNCTIONS.contains(function)) {
                    throw new StorageException(
                            StorageErrorCode.UNSUPPORTED_FEATURE,
                            "Column '%s': aggregate function '%s' is not supported; supported are %s".formatted(field.name(), function, String.join(", ", SUPPORTED_FUNCTIONS)));
                }
            });
        }
    }

    /**
     * The configured function of a column; empty for key and sequence columns, which have none of their own.
     */
    private static Optional<String> function(TableSchema schema, CoreOptions options, DataField field)
    {
        if (schema.primaryKeys().contains(field.name()) || options.sequenceField().contains(field.name())) {
            return Optional.empty();
        }
        return options.aggregateFunction(field.name());
    }

    private static String key(DataField field)
    {
        return CoreOptions.FIELDS_PREFIX + field.name() + "." + CoreOptions.AGGREGATE_FUNCTION;
    }

    private static void checkExists(String key, String function)
    {
        if (!SUPPORTED_FUNCTIONS.contains(function) && !OTHER_FUNCTIONS.contains(function)) {
            throw OptionValues.invalid(key, function, "one of " + String.join(", ", SUPPORTED_FUNCTIONS));
        }
    }

    private static void checkType(DataField field, String function)
    {
        TypeRoot root = field.type().root();
        boolean fits = switch (function) {
            case "sum" -> NUMERIC_TYPES.contains(root);
            case "min", "max" -> !INCOMPARABLE_TYPES.contains(root);
            default -> true;
        };
        if (!fits) {
            throw new StorageException(
                    StorageErrorCode.INVALID_OPTION,
                    "Column '%s' of type %s cannot have the aggregate function '%s'; choose another with '%s'".formatted(field.name(), TypeJson.format(field.type()), function, key(field)));
        }
    }
}
