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
package io.lookup.trino.handle;

import io.lookup.storage.write.WriteMode;
import io.trino.spi.connector.ConnectorInsertTableHandle;
import io.trino.spi.connector.ConnectorOutputTableHandle;

import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * A statement that writes. It carries the schema, because the table of a CREATE TABLE AS does not exist before the
 * statement ends.
 *
 * @param schemaJson the schema version that rows are written with
 * @param baseSnapshotId the snapshot that the writers stand on; empty if the table has none
 * @param overwrite whether the rows take the place of those that are there
 */
public record LookupWriteHandle(
        String schemaName,
        String tableName,
        String schemaJson,
        OptionalLong baseSnapshotId,
        WriteMode mode,
        boolean overwrite)
        implements ConnectorInsertTableHandle, ConnectorOutputTableHandle
{
    public LookupWriteHandle
    {
        requireNonNull(schemaName, "schemaName is null");
        requireNonNull(tableName, "tableName is null");
        requireNonNull(schemaJson, "schemaJson is null");
        requireNonNull(baseSnapshotId, "baseSnapshotId is null");
        requireNonNull(mode, "mode is null");
    }

    public LookupWriteHandle withSchema(String schemaJson)
    {
        return new LookupWriteHandle(schemaName, tableName, schemaJson, baseSnapshotId, mode, overwrite);
    }

    /**
     * What EXPLAIN shows.
     */
    @Override
    public String toString()
    {
        return schemaName + "." + tableName + (overwrite ? " overwriting" : "");
    }
}
