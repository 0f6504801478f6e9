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
package io.lookup.trino.metadata;

import com.google.common.collect.ImmutableSet;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.MergeEngine;
import io.lookup.storage.schema.RetractOptions;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.write.RowChangeRecords;
import io.trino.spi.TrinoException;

import java.util.Collection;
import java.util.Optional;
import java.util.Set;

import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.connector.ConnectorMetadata.MODIFYING_ROWS_MESSAGE;
import static java.lang.String.format;
import static java.util.Locale.ENGLISH;

/**
 * Which rows of which tables a statement can change. What cannot be done exactly is refused with the reason.
 */
public final class RowChangeRules
{
    private RowChangeRules() {}

    /**
     * @param updatedColumns columns that the statement sets in rows that exist; empty if it only inserts or deletes
     * @throws TrinoException NOT_SUPPORTED with the reason
     */
    static void checkUpdate(String table, TableSchema schema, Collection<String> updatedColumns)
    {
        if (schema.primaryKeys().isEmpty()) {
            throw new TrinoException(NOT_SUPPORTED, format("%s: table %s has no primary key, so that only whole partitions can be deleted", MODIFYING_ROWS_MESSAGE, table));
        }
        CoreOptions options = new CoreOptions(schema.options());
        options.rowKindField().ifPresent(field -> {
            throw new TrinoException(NOT_SUPPORTED, format("Table %s has rowkind.field = %s, so that its column says whether a row is inserted or deleted: insert rows instead", table, field));
        });
        if (updatedColumns.isEmpty()) {
            return;
        }
        if (options.mergeEngine() != MergeEngine.DEDUPLICATE && options.mergeEngine() != MergeEngine.PARTIAL_UPDATE) {
            throw new TrinoException(NOT_SUPPORTED, format("UPDATE of table %s is not supported: its merge-engine is %s, which would merge the new row with the old one", table, optionText(options.mergeEngine())));
        }
        Set<String> updated = ImmutableSet.copyOf(updatedColumns);
        for (String field : options.sequenceField()) {
            if (updated.contains(field.toLowerCase(ENGLISH))) {
                throw new TrinoException(NOT_SUPPORTED, format("UPDATE of column %s of table %s is not supported: it is in sequence.field, so that the old row could win over the new one", field, table));
            }
        }
        boolean movesRows = schema.primaryKeys().stream().anyMatch(key -> updated.contains(key.toLowerCase(ENGLISH)));
        if (options.mergeEngine() == MergeEngine.PARTIAL_UPDATE) {
            if (movesRows) {
                throw new TrinoException(NOT_SUPPORTED, format("UPDATE of a key column of table %s is not supported: its merge-engine is partial-update, which would merge the moved row with one that has its new key; insert the row with its new key and delete the old one", table));
            }
            RowChangeRecords.updateRefusal(schema, options, updated).ifPresent(reason -> {
                throw new TrinoException(NOT_SUPPORTED, format("UPDATE of table %s is not supported: %s", table, reason));
            });
        }
        if (movesRows && !options.sequenceField().isEmpty()) {
            throw new TrinoException(NOT_SUPPORTED, format("UPDATE of a key column of table %s is not supported: the table has sequence.field = %s, so that a row of the new key could win over the moved one; insert the row with its new key and delete the old one", table, String.join(",", options.sequenceField())));
        }
        if (movesRows) {
            deleteRefusal(table, schema, options).ifPresent(reason -> {
                throw new TrinoException(NOT_SUPPORTED, reason);
            });
        }
    }

    /**
     * Why rows of the table cannot be deleted; empty if they can.
     */
    public static Optional<String> deleteRefusal(String table, TableSchema schema, CoreOptions options)
    {
        Optional<String> reason = RetractOptions.of(schema, options).deleteRefusal();
        if (reason.isEmpty() && options.mergeEngine() == MergeEngine.AGGREGATION && !options.aggregationRemoveRecordOnDelete()) {
            reason = Optional.of("its merge-engine is aggregation, and the option aggregation.remove-record-on-delete is off");
        }
        return reason
                .or(() -> RowChangeRecords.deleteRefusal(schema, options))
                .map(text -> format("Rows of table %s cannot be deleted: %s", table, text));
    }

    private static String optionText(MergeEngine engine)
    {
        return engine.name().toLowerCase(ENGLISH).replace('_', '-');
    }
}
