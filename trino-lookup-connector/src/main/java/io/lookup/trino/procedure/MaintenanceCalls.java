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
package io.lookup.trino.procedure;

import io.airlift.units.Duration;
import io.lookup.storage.maintenance.TableMaintenance;
import io.lookup.storage.snapshot.ConsumerManager;
import io.lookup.storage.table.StorageTable;
import io.lookup.trino.LookupConfig;
import io.lookup.trino.LookupSessionProperties;
import io.lookup.trino.changes.SnapshotProperties;
import io.lookup.trino.engine.LookupTables;
import io.lookup.trino.handle.MaintenanceHandle;
import io.lookup.trino.handle.MaintenanceHandle.ConsumerChoice;
import io.lookup.trino.handle.MaintenanceHandle.Procedure;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.TableNotFoundException;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

import static io.lookup.trino.procedure.MaintenanceTableProcedures.BRANCH;
import static io.lookup.trino.procedure.MaintenanceTableProcedures.BUCKET_NUM;
import static io.lookup.trino.procedure.MaintenanceTableProcedures.CONSUMER_ID;
import static io.lookup.trino.procedure.MaintenanceTableProcedures.DEFAULT_RETENTION;
import static io.lookup.trino.procedure.MaintenanceTableProcedures.EXCLUDING_CONSUMERS;
import static io.lookup.trino.procedure.MaintenanceTableProcedures.INCLUDING_CONSUMERS;
import static io.lookup.trino.procedure.MaintenanceTableProcedures.NEXT_SNAPSHOT_ID;
import static io.lookup.trino.procedure.MaintenanceTableProcedures.RETAIN_LAST;
import static io.lookup.trino.procedure.MaintenanceTableProcedures.RETENTION_THRESHOLD;
import static io.lookup.trino.procedure.MaintenanceTableProcedures.SNAPSHOT_ID;
import static io.lookup.trino.procedure.MaintenanceTableProcedures.TAG;
import static io.trino.plugin.base.util.Procedures.checkProcedureArgument;
import static java.util.Locale.ENGLISH;

/**
 * Checks the arguments of maintenance procedures, and runs them. Checking has no effect, since EXPLAIN does it too.
 */
public final class MaintenanceCalls
{
    private MaintenanceCalls() {}

    /**
     * @param arguments by name, those that are not given may be missing or null
     */
    public static MaintenanceHandle check(ConnectorSession session, SchemaTableName table, Procedure procedure, Map<String, Object> arguments)
    {
        Optional<String> tag = Optional.ofNullable((String) arguments.get(TAG));
        Optional<String> branch = Optional.ofNullable((String) arguments.get(BRANCH));
        ConsumerChoice consumers = new ConsumerChoice(
                Optional.ofNullable((String) arguments.get(CONSUMER_ID)),
                expression(arguments, INCLUDING_CONSUMERS),
                expression(arguments, EXCLUDING_CONSUMERS));
        Object snapshot = arguments.get(procedure == Procedure.RESET_CONSUMER ? NEXT_SNAPSHOT_ID : SNAPSHOT_ID);
        OptionalLong snapshotId = snapshot == null ? OptionalLong.empty() : OptionalLong.of((long) snapshot);
        OptionalInt retainLast = arguments.get(RETAIN_LAST) == null ? OptionalInt.empty() : OptionalInt.of((int) arguments.get(RETAIN_LAST));
        OptionalInt buckets = arguments.get(BUCKET_NUM) == null ? OptionalInt.empty() : OptionalInt.of((int) arguments.get(BUCKET_NUM));
        OptionalLong retention = switch (procedure) {
            case CREATE_TAG, DELETE_TAG -> {
                checkGiven(tag.isPresent(), "tag", procedure);
                yield OptionalLong.empty();
            }
            case CREATE_BRANCH, DELETE_BRANCH, FAST_FORWARD -> {
                checkGiven(branch.isPresent(), "branch", procedure);
                yield OptionalLong.empty();
            }
            case ROLLBACK_TO_SNAPSHOT -> {
                checkGiven(snapshotId.isPresent(), "snapshot_id", procedure);
                yield OptionalLong.empty();
            }
            case RESET_CONSUMER -> {
                checkGiven(consumers.id().isPresent(), "consumer_id", procedure);
                checkProcedureArgument(
                        ConsumerManager.isId(consumers.id().get()),
                        "'%s' cannot be the id of a consumer: it must not be blank, and not contain a slash or control characters",
                        consumers.id().get());
                yield OptionalLong.empty();
            }
            case CLEAR_CONSUMERS -> OptionalLong.empty();
            case RESCALE -> {
                checkProcedureArgument(buckets.isPresent() && buckets.getAsInt() >= 1, "The argument bucket_num must be given, and be 1 or more");
                yield OptionalLong.empty();
            }
            case EXPIRE_SNAPSHOTS -> {
                checkProcedureArgument(retainLast.isEmpty() || retainLast.getAsInt() >= 1, "retain_last must be 1 or more, since the newest snapshot is the table");
                yield checkRetention(
                        (Duration) arguments.get(RETENTION_THRESHOLD),
                        LookupSessionProperties.getExpireSnapshotsMinRetention(session),
                        LookupConfig.EXPIRE_SNAPSHOTS_MIN_RETENTION,
                        LookupSessionProperties.EXPIRE_SNAPSHOTS_MIN_RETENTION);
            }
            case REMOVE_ORPHAN_FILES -> checkRetention(
                    (Duration) arguments.get(RETENTION_THRESHOLD),
                    LookupSessionProperties.getRemoveOrphanFilesMinRetention(session),
                    LookupConfig.REMOVE_ORPHAN_FILES_MIN_RETENTION,
                    LookupSessionProperties.REMOVE_ORPHAN_FILES_MIN_RETENTION);
        };
        return new MaintenanceHandle(table.getSchemaName(), table.getTableName(), procedure, tag, branch, snapshotId, retention, retainLast, buckets, consumers);
    }

    /**
     * A blank text stands for none, as in Paimon.
     */
    private static Optional<String> expression(Map<String, Object> arguments, String argument)
    {
        Optional<String> expression = Optional.ofNullable((String) arguments.get(argument)).filter(text -> !text.isBlank());
        expression.ifPresent(text -> {
            try {
                Pattern.compile(text);
            }
            catch (PatternSyntaxException e) {
                checkProcedureArgument(false, "%s is no regular expression: '%s': %s at index %s", argument, text, e.getDescription(), e.getIndex());
            }
        });
        return expression;
    }

    private static void checkGiven(boolean given, String argument, Procedure procedure)
    {
        checkProcedureArgument(given, "The argument %s of %s is missing", argument, procedure.name().toLowerCase(ENGLISH));
    }

    private static OptionalLong checkRetention(Duration given, Duration min, String configurationProperty, String sessionProperty)
    {
        Duration retention = given == null ? DEFAULT_RETENTION : given;
        checkProcedureArgument(
                retention.compareTo(min) >= 0,
                "Retention specified (%s) is shorter than the minimum retention configured in the system (%s). Minimum retention can be changed with %s configuration property or %s session property",
                retention,
                min,
                configurationProperty,
                sessionProperty);
        return OptionalLong.of(retention.toMillis());
    }

    /**
     * Works on the table as it is now.
     */
    public static void run(ConnectorSession session, LookupTables tables, MaintenanceHandle call)
    {
        StorageTable table = tables.find(call.schemaTableName()).orElseThrow(() -> new TableNotFoundException(call.schemaTableName()));
        tables.writableCatalog().checkWritable();
        TableMaintenance maintenance = table.maintenance();
        switch (call.procedure()) {
            case RESCALE -> table.rescale(call.buckets().orElseThrow()).run(SnapshotProperties.ofMaintenance(session));
            case RESET_CONSUMER -> {
                String id = call.consumers().id().orElseThrow();
                call.snapshotId().ifPresentOrElse(next -> maintenance.resetConsumer(id, next), () -> maintenance.deleteConsumer(id));
            }
            case CLEAR_CONSUMERS -> maintenance.clearConsumers(call.consumers().matcher());
            case CREATE_TAG -> maintenance.createTag(call.tag().orElseThrow(), call.snapshotId());
            case DELETE_TAG -> maintenance.deleteTag(call.tag().orElseThrow());
            case CREATE_BRANCH -> maintenance.createBranch(call.branch().orElseThrow(), call.tag());
            case DELETE_BRANCH -> maintenance.deleteBranch(call.branch().orElseThrow());
            case FAST_FORWARD -> maintenance.fastForward(call.branch().orElseThrow());
            case ROLLBACK_TO_SNAPSHOT -> maintenance.rollbackToSnapshot(call.snapshotId().orElseThrow());
            case EXPIRE_SNAPSHOTS -> maintenance.expireSnapshots(java.time.Duration.ofMillis(call.retentionMillis().orElseThrow()), call.retainLast());
            case REMOVE_ORPHAN_FILES -> maintenance.removeOrphanFiles(java.time.Duration.ofMillis(call.retentionMillis().orElseThrow()));
        }
    }
}
