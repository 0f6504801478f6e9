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
import io.lookup.storage.schema.CoreOptions.MergeEngine;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Columns whose values a merge compares with one another.
 */
final class MergeColumns
{
    private static final String SEQUENCE_GROUP = "sequence-group";
    // functions that take or keep a value without looking at others
    private static final Set<String> FUNCTIONS_THAT_CHOOSE = ImmutableSet.of(
            "last_value", "last_non_null_value", "first_value", "first_non_null_value", "first_not_null_value");

    private MergeColumns() {}

    /**
     * The option by which merges look at the column's values, beyond taking one of them; empty if none does.
     */
    static Optional<String> whyCompared(TableSchema schema, String column)
    {
        CoreOptions options = new CoreOptions(schema.options());
        if (options.sequenceField().contains(column)) {
            return Optional.of(CoreOptions.SEQUENCE_FIELD);
        }
        if (options.rowKindField().filter(column::equals).isPresent()) {
            return Optional.of("rowkind.field");
        }
        for (Map.Entry<String, String> option : schema.options().entrySet()) {
            Optional<FieldOptionKey> key = FieldOptionKey.parse(option.getKey()).filter(fieldKey -> fieldKey.suffix().equals(SEQUENCE_GROUP));
            if (key.filter(fieldKey -> fieldKey.columns().contains(column)).isPresent()) {
                return Optional.of(option.getKey());
            }
        }
        if (options.mergeEngine() != MergeEngine.AGGREGATION && options.mergeEngine() != MergeEngine.PARTIAL_UPDATE) {
            return Optional.empty();
        }
        return options.aggregateFunction(column)
                .filter(function -> !FUNCTIONS_THAT_CHOOSE.contains(function))
                .map(_ -> CoreOptions.FIELDS_PREFIX + column + "." + CoreOptions.AGGREGATE_FUNCTION);
    }
}
