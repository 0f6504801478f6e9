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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.primitives.Ints;
import com.google.inject.Inject;
import io.airlift.units.Duration;
import io.lookup.trino.engine.LookupTables;
import io.lookup.trino.handle.MaintenanceHandle;
import io.trino.spi.classloader.ThreadContextClassLoader;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.TableNotFoundException;
import io.trino.spi.procedure.Procedure;
import io.trino.spi.procedure.Procedure.Argument;

import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import static io.lookup.trino.StorageErrors.translating;
import static io.trino.plugin.base.util.Procedures.checkProcedureArgument;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.lang.invoke.MethodHandles.lookup;
import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/**
 * {@code CALL lake.system.…} of what {@link MaintenanceTableProcedures} does, for whom the right to execute the table procedure counts
 * as well.
 */
public final class MaintenanceProcedures
{
    private static final String SCHEMA = "system";
    private static final Argument SCHEMA_NAME = new Argument("SCHEMA_NAME", VARCHAR);
    private static final Argument TABLE_NAME = new Argument("TABLE_NAME", VARCHAR);

    private final LookupTables tables;

    @Inject
    public MaintenanceProcedures(LookupTables tables)
    {
        this.tables = requireNonNull(tables, "tables is null");
    }

    public Set<Procedure> get()
    {
        return ImmutableSet.of(
                procedure("createTag", MaintenanceHandle.Procedure.CREATE_TAG, new Argument("TAG", VARCHAR), new Argument("SNAPSHOT_ID", BIGINT, false, null)),
                procedure("deleteTag", MaintenanceHandle.Procedure.DELETE_TAG, new Argument("TAG", VARCHAR)),
                procedure("createBranch", MaintenanceHandle.Procedure.CREATE_BRANCH, new Argument("BRANCH", VARCHAR), new Argument("TAG", VARCHAR, false, null)),
                procedure("deleteBranch", MaintenanceHandle.Procedure.DELETE_BRANCH, new Argument("BRANCH", VARCHAR)),
                procedure("fastForward", MaintenanceHandle.Procedure.FAST_FORWARD, new Argument("BRANCH", VARCHAR)),
                procedure("rollbackToSnapshot", MaintenanceHandle.Procedure.ROLLBACK_TO_SNAPSHOT, new Argument("SNAPSHOT_ID", BIGINT)),
                procedure("expireSnapshots", MaintenanceHandle.Procedure.EXPIRE_SNAPSHOTS, new Argument("RETENTION_THRESHOLD", VARCHAR, false, null), new Argument("RETAIN_LAST", BIGINT, false, null)),
                procedure("resetConsumer", MaintenanceHandle.Procedure.RESET_CONSUMER, new Argument("CONSUMER_ID", VARCHAR), new Argument("NEXT_SNAPSHOT_ID", BIGINT, false, null)),
                procedure("clearConsumers", MaintenanceHandle.Procedure.CLEAR_CONSUMERS, new Argument("INCLUDING_CONSUMERS", VARCHAR, false, null), new Argument("EXCLUDING_CONSUMERS", VARCHAR, false, null)),
                procedure("rescale", MaintenanceHandle.Procedure.RESCALE, new Argument("BUCKET_NUM", BIGINT)),
                procedure("removeOrphanFiles", MaintenanceHandle.Procedure.REMOVE_ORPHAN_FILES, new Argument("RETENTION_THRESHOLD", VARCHAR, false, null)));
    }

    private Procedure procedure(String methodName, MaintenanceHandle.Procedure procedure, Argument... arguments)
    {
        MethodHandle method = Arrays.stream(MaintenanceProcedures.class.getMethods())
                .filter(candidate -> candidate.getName().equals(methodName))
                .map(candidate -> {
                    try {
                        return lookup().unreflect(candidate);
                    }
                    catch (IllegalAccessException e) {
                        throw new AssertionError(e);
                    }
                })
                .findFirst()
                .orElseThrow();
        return new Procedure(
                SCHEMA,
                procedure.name().toLowerCase(ENGLISH),
                ImmutableList.<Argument>builder().add(SCHEMA_NAME, TABLE_NAME).add(arguments).build(),
                method.bindTo(this));
    }

    public void createTag(ConnectorSession session, ConnectorAccessControl accessControl, String schemaName, String tableName, String tag, Long snapshotId)
    {
        call(session, accessControl, schemaName, tableName, MaintenanceHandle.Procedure.CREATE_TAG, arguments(MaintenanceTableProcedures.TAG, tag, MaintenanceTableProcedures.SNAPSHOT_ID, snapshotId));
    }

    public void deleteTag(ConnectorSession session, ConnectorAccessControl accessControl, String schemaName, String tableName, String tag)
    {
        call(session, accessControl, schemaName, tableName, MaintenanceHandle.Procedure.DELETE_TAG, arguments(MaintenanceTableProcedures.TAG, tag));
    }

    public void createBranch(ConnectorSession session, ConnectorAccessControl accessControl, String schemaName, String tableName, String branch, String tag)
    {
        call(session, accessControl, schemaName, tableName, MaintenanceHandle.Procedure.CREATE_BRANCH, arguments(MaintenanceTableProcedures.BRANCH, branch, MaintenanceTableProcedures.TAG, tag));
    }

    public void deleteBranch(ConnectorSession session, ConnectorAccessControl accessControl, String schemaName, String tableName, String branch)
    {
        call(session, accessControl, schemaName, tableName, MaintenanceHandle.Procedure.DELETE_BRANCH, arguments(MaintenanceTableProcedures.BRANCH, branch));
    }

    public void fastForward(ConnectorSession session, ConnectorAccessControl accessControl, String schemaName, String tableName, String branch)
    {
        call(session, accessControl, schemaName, tableName, MaintenanceHandle.Procedure.FAST_FORWARD, arguments(MaintenanceTableProcedures.BRANCH, branch));
    }

    public void rollbackToSnapshot(ConnectorSession session, ConnectorAccessControl accessControl, String schemaName, String tableName, Long snapshotId)
    {
        call(session, accessControl, schemaName, tableName, MaintenanceHandle.Procedure.ROLLBACK_TO_SNAPSHOT, arguments(MaintenanceTableProcedures.SNAPSHOT_ID, snapshotId));
    }

    public void expireSnapshots(ConnectorSession session, ConnectorAccessControl accessControl, String schemaName, String tableName, String retentionThreshold, Long retainLast)
    {
        call(session, accessControl, schemaName, tableName, MaintenanceHandle.Procedure.EXPIRE_SNAPSHOTS, arguments(
                MaintenanceTableProcedures.RETENTION_THRESHOLD, duration(retentionThreshold),
                MaintenanceTableProcedures.RETAIN_LAST, retainLast == null ? null : Ints.saturatedCast(retainLast)));
    }

    public void removeOrphanFiles(ConnectorSession session, ConnectorAccessControl accessControl, String schemaName, String tableName, String retentionThreshold)
    {
        call(session, accessControl, schemaName, tableName, MaintenanceHandle.Procedure.REMOVE_ORPHAN_FILES, arguments(MaintenanceTableProcedures.RETENTION_THRESHOLD, duration(retentionThreshold)));
    }

    public void rescale(ConnectorSession session, ConnectorAccessControl accessControl, String schemaName, String tableName, Long bucketNum)
    {
        call(session, accessControl, schemaName, tableName, MaintenanceHandle.Procedure.RESCALE, arguments(MaintenanceTableProcedures.BUCKET_NUM, bucketNum == null ? null : Ints.saturatedCast(bucketNum)));
    }

    public void resetConsumer(ConnectorSession session, ConnectorAccessControl accessControl, String schemaName, String tableName, String consumerId, Long nextSnapshotId)
    {
        call(session, accessControl, schemaName, tableName, MaintenanceHandle.Procedure.RESET_CONSUMER, arguments(
                MaintenanceTableProcedures.CONSUMER_ID, consumerId,
                MaintenanceTableProcedures.NEXT_SNAPSHOT_ID, nextSnapshotId));
    }

    public void clearConsumers(ConnectorSession session, ConnectorAccessControl accessControl, String schemaName, String tableName, String includingConsumers, String excludingConsumers)
    {
        call(session, accessControl, schemaName, tableName, MaintenanceHandle.Procedure.CLEAR_CONSUMERS, arguments(
                MaintenanceTableProcedures.INCLUDING_CONSUMERS, includingConsumers,
                MaintenanceTableProcedures.EXCLUDING_CONSUMERS, excludingConsumers));
    }

    private void call(
            ConnectorSession session,
            ConnectorAccessControl accessControl,
            String schemaName,
            String tableName,
            MaintenanceHandle.Procedure procedure,
            Map<String, Object> arguments)
    {
        checkProcedureArgument(schemaName != null, "The argument schema_name is missing");
        checkProcedureArgument(tableName != null, "The argument table_name is missing");
        SchemaTableName name = new SchemaTableName(schemaName, tableName);
        accessControl.checkCanExecuteTableProcedure(null, name, procedure.name());
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(MaintenanceProcedures.class.getClassLoader())) {
            translating(() -> {
                tables.writableCatalog();
                if (tables.find(name).isEmpty()) {
                    throw new TableNotFoundException(name);
                }
                MaintenanceCalls.run(session, tables, MaintenanceCalls.check(session, name, procedure, arguments));
            });
        }
    }

    private static Map<String, Object> arguments(Object... namesAndValues)
    {
        Map<String, Object> arguments = new HashMap<>();
        for (int index = 0; index < namesAndValues.length; index += 2) {
            arguments.put((String) namesAndValues[index], namesAndValues[index + 1]);
        }
        return arguments;
    }

    private static Duration duration(String text)
    {
        if (text == null) {
            return null;
        }
        try {
            return Duration.valueOf(text);
        }
        catch (IllegalArgumentException _) {
            checkProcedureArgument(false, "'%s' is not a duration such as 7d", text);
            throw new AssertionError();
        }
    }
}
