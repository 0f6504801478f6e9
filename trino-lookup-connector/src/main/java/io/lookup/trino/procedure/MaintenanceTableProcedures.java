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
import io.airlift.units.Duration;
import io.lookup.trino.handle.MaintenanceHandle.Procedure;
import io.trino.spi.connector.TableProcedureMetadata;
import io.trino.spi.session.PropertyMetadata;

import java.util.List;
import java.util.Set;

import static io.trino.plugin.base.session.PropertyMetadataUtil.durationProperty;
import static io.trino.spi.connector.TableProcedureExecutionMode.coordinatorOnly;
import static io.trino.spi.session.PropertyMetadata.integerProperty;
import static io.trino.spi.session.PropertyMetadata.longProperty;
import static io.trino.spi.session.PropertyMetadata.stringProperty;
import static java.util.concurrent.TimeUnit.DAYS;

/**
 * {@code ALTER TABLE … EXECUTE} of everything that keeps a table's history and its folder.
 */
public final class MaintenanceTableProcedures
{
    static final String TAG = "tag";
    static final String BRANCH = "branch";
    static final String SNAPSHOT_ID = "snapshot_id";
    static final String RETENTION_THRESHOLD = "retention_threshold";
    static final String RETAIN_LAST = "retain_last";
    static final String BUCKET_NUM = "bucket_num";
    static final String CONSUMER_ID = "consumer_id";
    static final String NEXT_SNAPSHOT_ID = "next_snapshot_id";
    static final String INCLUDING_CONSUMERS = "including_consumers";
    static final String EXCLUDING_CONSUMERS = "excluding_consumers";
    static final Duration DEFAULT_RETENTION = new Duration(7, DAYS);

    private MaintenanceTableProcedures() {}

    public static Set<TableProcedureMetadata> get()
    {
        PropertyMetadata<String> tag = stringProperty(TAG, "Name of the tag", null, false);
        PropertyMetadata<String> branch = stringProperty(BRANCH, "Name of the branch", null, false);
        PropertyMetadata<Long> snapshotId = longProperty(SNAPSHOT_ID, "Snapshot", null, false);
        return ImmutableSet.of(
                procedure(Procedure.CREATE_TAG, tag, snapshotId),
                procedure(Procedure.DELETE_TAG, tag),
                procedure(Procedure.CREATE_BRANCH, branch, tag),
                procedure(Procedure.DELETE_BRANCH, branch),
                procedure(Procedure.FAST_FORWARD, branch),
                procedure(Procedure.ROLLBACK_TO_SNAPSHOT, snapshotId),
                procedure(
                        Procedure.RESET_CONSUMER,
                        stringProperty(CONSUMER_ID, "Id of the consumer", null, false),
                        longProperty(NEXT_SNAPSHOT_ID, "Snapshot that the consumer reads next; it is deleted if this is missing", null, false)),
                procedure(
                        Procedure.CLEAR_CONSUMERS,
                        stringProperty(INCLUDING_CONSUMERS, "Regular expression of the ids to delete", null, false),
                        stringProperty(EXCLUDING_CONSUMERS, "Regular expression of the ids to keep all the same", null, false)),
                procedure(Procedure.RESCALE, integerProperty(BUCKET_NUM, "Number of buckets of each partition", null, false)),
                procedure(
                        Procedure.EXPIRE_SNAPSHOTS,
                        durationProperty(RETENTION_THRESHOLD, "Snapshots that are older expire", DEFAULT_RETENTION, false),
                        integerProperty(RETAIN_LAST, "How many snapshots stay at least", null, false)),
                procedure(
                        Procedure.REMOVE_ORPHAN_FILES,
                        durationProperty(RETENTION_THRESHOLD, "Files that are older and not in use are deleted", DEFAULT_RETENTION, false)));
    }

    private static TableProcedureMetadata procedure(Procedure procedure, PropertyMetadata<?>... arguments)
    {
        List<PropertyMetadata<?>> properties = ImmutableList.copyOf(arguments);
        return new TableProcedureMetadata(procedure.name(), coordinatorOnly(), properties);
    }
}
