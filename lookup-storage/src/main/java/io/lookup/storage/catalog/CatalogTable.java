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
package io.lookup.storage.catalog;

import io.lookup.storage.schema.TableSchema;
import org.apache.hadoop.fs.Path;

import java.util.Optional;
import java.util.OptionalLong;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/**
 * A table as its catalog knows it.
 *
 * @param location the table's folder, also for a branch
 * @param schema its newest schema version; empty if the folder tells, and whether there is a table at all
 * @param latestSnapshotId the newest snapshot that counts, 0 if none does; empty if the folder tells
 */
public record CatalogTable(Path location, Optional<TableSchema> schema, OptionalLong latestSnapshotId)
{
    public CatalogTable
    {
        requireNonNull(location, "location is null");
        requireNonNull(schema, "schema is null");
        requireNonNull(latestSnapshotId, "latestSnapshotId is null");
        checkArgument(schema.isPresent() || latestSnapshotId.isEmpty(), "a snapshot of a table without schema");
    }

    /**
     * A table of which everything stands in its folder.
     */
    public static CatalogTable inFolder(Path location)
    {
        return new CatalogTable(location, Optional.empty(), OptionalLong.empty());
    }
}
