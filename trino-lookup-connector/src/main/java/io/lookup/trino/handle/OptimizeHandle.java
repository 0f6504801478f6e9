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

import io.trino.spi.connector.ConnectorTableExecuteHandle;
import io.trino.spi.connector.SchemaTableName;

import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * A running {@code ALTER TABLE … EXECUTE optimize}.
 *
 * @param schemaJson the table's schema version
 * @param baseSnapshotId the snapshot whose files are compacted; empty if the table had none
 */
public record OptimizeHandle(String schemaName, String tableName, String schemaJson, OptionalLong baseSnapshotId)
        implements ConnectorTableExecuteHandle
{
    public OptimizeHandle
    {
        requireNonNull(schemaName, "schemaName is null");
        requireNonNull(tableName, "tableName is null");
        requireNonNull(schemaJson, "schemaJson is null");
        requireNonNull(baseSnapshotId, "baseSnapshotId is null");
    }

    public SchemaTableName schemaTableName()
    {
        return new SchemaTableName(schemaName, tableName);
    }

    /**
     * What EXPLAIN shows.
     */
    @Override
    public String toString()
    {
        return "optimize " + schemaName + "." + tableName;
    }
}
