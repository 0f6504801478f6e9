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
package io.lookup.storage.commit;

import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.manifest.ManifestStore;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.LiveFiles;
import io.lookup.storage.snapshot.SnapshotManager;

import java.util.function.LongSupplier;

import static java.util.Objects.requireNonNull;

/**
 * A table that is committed to, and what publishes there.
 *
 * @param tableName as messages name it
 * @param schema the version that the statement works with
 * @param clock epoch milliseconds
 * @param statistics counts what comes of commits
 */
public record CommitTarget(
        String tableName,
        FileIo fileIo,
        TablePaths paths,
        TableSchema schema,
        CoreOptions options,
        SchemaManager schemas,
        SnapshotManager snapshots,
        ManifestStore manifests,
        LiveFiles liveFiles,
        LongSupplier clock,
        CommitStatistics statistics)
{
    public CommitTarget
    {
        requireNonNull(tableName, "tableName is null");
        requireNonNull(fileIo, "fileIo is null");
        requireNonNull(paths, "paths is null");
        requireNonNull(schema, "schema is null");
        requireNonNull(options, "options is null");
        requireNonNull(schemas, "schemas is null");
        requireNonNull(snapshots, "snapshots is null");
        requireNonNull(manifests, "manifests is null");
        requireNonNull(liveFiles, "liveFiles is null");
        requireNonNull(clock, "clock is null");
        requireNonNull(statistics, "statistics is null");
    }

    RetryPolicy retryPolicy()
    {
        return new RetryPolicy(options.commitMaxRetries(), options.commitMinRetryWait().toMillis(), options.commitMaxRetryWait().toMillis());
    }

    SchemaCheck schemaCheck()
    {
        return new SchemaCheck(tableName, schema, schemas);
    }

    SnapshotPublisher publisher()
    {
        return new SnapshotPublisher(tableName, snapshots, liveFiles, new ManifestWriter(manifests, fileIo, paths), clock, retryPolicy(), statistics);
    }
}
