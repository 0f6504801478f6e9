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

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.CoreOptions.MergeEngine;

import java.util.List;
import java.util.Optional;

/**
 * Which merge engines exist and which of them work here; that each column's aggregate function exists and fits it.
 */
final class MergeEngineSupport
{
    private static final String NESTED_SEQUENCE_FIELD = "nested-sequence-field";
    private static final String NESTED_KEY_NULL_STRATEGY = "nested-key-null-strategy";

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
        for (DataField field : schema.fields()) {
            function(schema, options, field).ifPresent(function -> find(function).check(field, options));
            if (options.mergeEngine() == MergeEngine.AGGREGATION && options.aggregationRemoveRecordOnDelete() && options.ignoreRetract(field.name())) {
                throw new StorageException(
                        StorageErrorCode.INVALID_OPTION,
                        "Options 'aggregation.remove-record-on-delete' and 'fields.%s.ignore-retract' exclude each other: remove one of them".formatted(field.name()));
            }
        }
    }

    /**
     * Checks that all functions of the merge engine are implemented.
     */
    static void checkSupported(TableSchema schema, CoreOptions options)
    {
        for (DataField field : schema.fields()) {
            Optional<String> function = function(schema, options, field);
            if (function.isPresent() && AggregateFunction.find(function.get()).isEmpty()) {
                throw new StorageException(
                        StorageErrorCode.UNSUPPORTED_FEATURE,
                        "Column '%s': aggregate function '%s' is not supported; supported are %s".formatted(field.name(), function.get(), String.join(", ", AggregateFunction.names())));
            }
            function.ifPresent(name -> checkNestedOptions(options, field, name));
        }
    }

    /**
     * Options of versions after 1.4 that change which rows of an array stay.
     */
    private static void checkNestedOptions(CoreOptions options, DataField field, String function)
    {
        List<String> suffixes = switch (function) {
            case "nested_update" -> List.of(NESTED_SEQUENCE_FIELD, NESTED_KEY_NULL_STRATEGY);
            case "nested_partial_update" -> List.of(NESTED_KEY_NULL_STRATEGY);
            default -> List.of();
        };
        for (String suffix : suffixes) {
            String key = CoreOptions.FIELDS_PREFIX + field.name() + "." + suffix;
            options.get(key)
                    .filter(value -> !value.isBlank() && !(suffix.equals(NESTED_KEY_NULL_STRATEGY) && value.trim().equalsIgnoreCase("merge")))
                    .ifPresent(value -> {
                        throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, "Option '%s' = '%s' of function '%s' is not supported".formatted(key, value, function));
                    });
        }
    }

    /**
     * The configured function of a column; empty for key and sequence columns, which have none of their own, and under
     * merge engines without functions.
     */
    private static Optional<String> function(TableSchema schema, CoreOptions options, DataField field)
    {
        if (options.mergeEngine() == MergeEngine.PARTIAL_UPDATE) {
            return SequenceGroups.of(schema, options).function(schema, options, field.name());
        }
        if (options.mergeEngine() != MergeEngine.AGGREGATION) {
            return Optional.empty();
        }
        if (schema.primaryKeys().contains(field.name()) || options.sequenceField().contains(field.name())) {
            return Optional.empty();
        }
        return options.aggregateFunction(field.name());
    }

    private static String key(DataField field)
    {
        return CoreOptions.FIELDS_PREFIX + field.name() + "." + CoreOptions.AGGREGATE_FUNCTION;
    }

    private static AggregateFunction find(String function)
    {
        return AggregateFunction.find(function).orElseThrow(() -> new IllegalArgumentException("Unknown function: " + function));
    }

    private static void checkExists(String key, String function)
    {
        if (AggregateFunction.find(function).isEmpty()) {
            throw OptionValues.invalid(key, function, "one of " + String.join(", ", AggregateFunction.names()));
        }
    }
}
