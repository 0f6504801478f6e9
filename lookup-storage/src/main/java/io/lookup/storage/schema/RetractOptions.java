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

import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * What a table makes of -U and -D rows.
 */
public final class RetractOptions
{
    public static final String FIRST_ROW_REFUSAL = "its merge-engine is first-row, which keeps the first row of a key for ever; set 'ignore-delete' = 'true' to drop -U and -D rows";
    public static final String PARTIAL_UPDATE_REFUSAL = "its merge-engine is partial-update, which by default cannot take back rows; " +
            "set 'partial-update.remove-record-on-delete' = 'true' to remove the row of a -D, " +
            "or define sequence groups to take back the columns of a group (and 'partial-update.remove-record-on-sequence-group' to remove the row), " +
            "or set 'ignore-delete' = 'true' to drop -U and -D rows";

    private final boolean ignoreDelete;
    private final boolean ignoreUpdateBefore;
    private final Optional<String> refusal;
    private final Optional<String> deleteRefusal;

    private RetractOptions(boolean ignoreDelete, boolean ignoreUpdateBefore, Optional<String> refusal, Optional<String> deleteRefusal)
    {
        this.ignoreDelete = ignoreDelete;
        this.ignoreUpdateBefore = ignoreUpdateBefore;
        this.refusal = requireNonNull(refusal, "refusal is null");
        this.deleteRefusal = requireNonNull(deleteRefusal, "deleteRefusal is null");
    }

    public static RetractOptions of(TableSchema schema, CoreOptions options)
    {
        Optional<String> refusal = switch (options.mergeEngine()) {
            case DEDUPLICATE, AGGREGATION -> Optional.empty();
            case FIRST_ROW -> Optional.of(FIRST_ROW_REFUSAL);
            case PARTIAL_UPDATE -> partialUpdateRefusal(schema, options);
        };
        Optional<String> deleteRefusal = refusal;
        SequenceGroups groups = SequenceGroups.of(schema, options);
        if (refusal.isEmpty() && !groups.isEmpty() && !groups.removeRecords()) {
            deleteRefusal = Optional.of("its merge-engine is partial-update with sequence groups, and the option '%s' is not set, so that a delete would only empty columns".formatted(SequenceGroups.REMOVE_RECORD_ON_SEQUENCE_GROUP));
        }
        if (options.ignoreDelete()) {
            deleteRefusal = Optional.of("the option ignore-delete is on");
        }
        return new RetractOptions(options.ignoreDelete(), options.ignoreUpdateBefore(), refusal, deleteRefusal);
    }

    private static Optional<String> partialUpdateRefusal(TableSchema schema, CoreOptions options)
    {
        SequenceGroups groups = SequenceGroups.of(schema, options);
        if (groups.isEmpty()) {
            return options.partialUpdateRemoveRecordOnDelete() ? Optional.empty() : Optional.of(PARTIAL_UPDATE_REFUSAL);
        }
        for (DataField field : schema.fields()) {
            Optional<AggregateFunction> function = groups.function(schema, options, field.name()).flatMap(AggregateFunction::find);
            if (function.isPresent() && !function.get().isRetracting() && !options.ignoreRetract(field.name())) {
                return Optional.of("its column '%s' has the aggregate function '%s', which cannot take back a value; set 'fields.%s.ignore-retract' = 'true' to let -U and -D rows pass without effect on it".formatted(
                        field.name(),
                        function.get().functionName(),
                        field.name()));
            }
            boolean member = groups.groupOf(field.name()).map(group -> group.members().contains(field.name())).orElse(false);
            if (member && function.isEmpty() && !field.type().nullable() && !schema.primaryKeys().contains(field.name())) {
                return Optional.of("its column '%s' is NOT NULL, but -U and -D rows leave NULL in the columns of a sequence group".formatted(field.name()));
            }
        }
        return Optional.empty();
    }

    /**
     * Whether -U and -D rows are dropped when they are written, and passed over where older files hold them.
     */
    public boolean ignoreDelete()
    {
        return ignoreDelete;
    }

    /**
     * Whether -U rows are dropped when they are written.
     */
    public boolean ignoreUpdateBefore()
    {
        return ignoreUpdateBefore || ignoreDelete;
    }

    /**
     * Why the merge engine cannot take such rows, to go on from the name of the table; empty if it can. Says nothing of
     * rows that are dropped, and of aggregation.
     */
    public Optional<String> refusal()
    {
        return refusal;
    }

    /**
     * Why a DELETE cannot do what it says, to go on from the name of the table; empty if it can, as far as the options of
     * other engines than aggregation tell.
     */
    public Optional<String> deleteRefusal()
    {
        return deleteRefusal;
    }
}
