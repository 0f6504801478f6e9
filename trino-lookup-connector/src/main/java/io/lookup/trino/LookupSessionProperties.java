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
package io.lookup.trino;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.airlift.units.Duration;
import io.trino.plugin.base.session.SessionPropertiesProvider;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.session.PropertyMetadata;

import java.util.List;

import static io.trino.plugin.base.session.PropertyMetadataUtil.durationProperty;
import static io.trino.spi.session.PropertyMetadata.booleanProperty;

/**
 * What a session can set; defaults come from the catalog's configuration.
 */
public final class LookupSessionProperties
        implements SessionPropertiesProvider
{
    public static final String EXPIRE_SNAPSHOTS_MIN_RETENTION = "expire_snapshots_min_retention";
    public static final String REMOVE_ORPHAN_FILES_MIN_RETENTION = "remove_orphan_files_min_retention";

    private static final String INSERT_OVERWRITE = "insert_overwrite";
    private static final String DYNAMIC_FILTERING_WAIT_TIMEOUT = "dynamic_filtering_wait_timeout";
    private static final String PROJECTION_PUSHDOWN_ENABLED = "projection_pushdown_enabled";
    private static final String BUCKETED_EXECUTION_ENABLED = "bucketed_execution_enabled";

    private final List<PropertyMetadata<?>> sessionProperties;

    @Inject
    public LookupSessionProperties(LookupConfig config)
    {
        sessionProperties = ImmutableList.of(
                booleanProperty(
                        INSERT_OVERWRITE,
                        "INSERT replaces the table, or the partitions that it writes to",
                        false,
                        false),
                durationProperty(
                        DYNAMIC_FILTERING_WAIT_TIMEOUT,
                        "How long planning waits for values that arrive by a join",
                        config.getDynamicFilteringWaitTimeout(),
                        false),
                booleanProperty(
                        PROJECTION_PUSHDOWN_ENABLED,
                        "Single fields of rows are read without the others",
                        true,
                        false),
                booleanProperty(
                        BUCKETED_EXECUTION_ENABLED,
                        "Joins and aggregations on the bucket key use the buckets instead of sending rows between nodes",
                        false,
                        false),
                durationProperty(
                        EXPIRE_SNAPSHOTS_MIN_RETENTION,
                        "Smallest retention that expire_snapshots accepts",
                        config.getExpireSnapshotsMinRetention(),
                        false),
                durationProperty(
                        REMOVE_ORPHAN_FILES_MIN_RETENTION,
                        "Smallest retention that remove_orphan_files accepts",
                        config.getRemoveOrphanFilesMinRetention(),
                        false));
    }

    @Override
    public List<PropertyMetadata<?>> getSessionProperties()
    {
        return sessionProperties;
    }

    public static boolean isInsertOverwrite(ConnectorSession session)
    {
        return session.getProperty(INSERT_OVERWRITE, Boolean.class);
    }

    public static Duration getDynamicFilteringWaitTimeout(ConnectorSession session)
    {
        return session.getProperty(DYNAMIC_FILTERING_WAIT_TIMEOUT, Duration.class);
    }

    public static boolean isProjectionPushdownEnabled(ConnectorSession session)
    {
        return session.getProperty(PROJECTION_PUSHDOWN_ENABLED, Boolean.class);
    }

    public static boolean isBucketedExecutionEnabled(ConnectorSession session)
    {
        return session.getProperty(BUCKETED_EXECUTION_ENABLED, Boolean.class);
    }

    public static Duration getExpireSnapshotsMinRetention(ConnectorSession session)
    {
        return session.getProperty(EXPIRE_SNAPSHOTS_MIN_RETENTION, Duration.class);
    }

    public static Duration getRemoveOrphanFilesMinRetention(ConnectorSession session)
    {
        return session.getProperty(REMOVE_ORPHAN_FILES_MIN_RETENTION, Duration.class);
    }
}
