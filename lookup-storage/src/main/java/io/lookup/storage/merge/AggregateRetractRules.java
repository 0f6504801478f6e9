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
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.schema.AggregateFunction;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.MergeEngine;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TableSchema;

import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * Refuses retract rows of an aggregation table when they are written. A lone one could be stored, but every later merge
 * of its key would fail, in compactions and reads too. Thread-safe.
 */
public final class AggregateRetractRules
{
    private final Optional<StorageException> refusal;
    private final boolean deleteRemovesRecord;

    private AggregateRetractRules(Optional<StorageException> refusal, boolean deleteRemovesRecord)
    {
        this.refusal = requireNonNull(refusal, "refusal is null");
        this.deleteRemovesRecord = deleteRemovesRecord;
    }

    public static AggregateRetractRules of(TableSchema schema, CoreOptions options)
    {
        if (options.mergeEngine() != MergeEngine.AGGREGATION || options.ignoreDelete()) {
            return new AggregateRetractRules(Optional.empty(), false);
        }
        return new AggregateRetractRules(
                schema.fields().stream()
                        .flatMap(column -> refusal(schema, options, column).stream())
                        .findFirst(),
                options.aggregationRemoveRecordOnDelete());
    }

    /**
     * @param kinds one a row, or one for all of them
     * @throws StorageException UNSUPPORTED_FEATURE naming a column that cannot take back a value, its function and the option to set
     */
    public void check(byte[] kinds)
    {
        if (refusal.isEmpty()) {
            return;
        }
        for (byte kind : kinds) {
            if (!RowKind.isAdd(kind) && !(deleteRemovesRecord && kind == RowKind.DELETE.value())) {
                throw new StorageException(refusal.get().errorCode(), refusal.get().getMessage());
            }
        }
    }

    private static Optional<StorageException> refusal(TableSchema schema, CoreOptions options, DataField column)
    {
        AggregateFunction function = Aggregators.function(schema, options, column);
        return function.isRetracting() || options.ignoreRetract(column.name()) ?
                Optional.empty() :
                Optional.of(Aggregators.cannotRetract(function, column.name()));
    }
}
