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

import io.airlift.slice.Slice;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableExecuteHandle;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * What Trino 476 wants of statements and columns in other words than other versions.
 */
interface TrinoMetadata
        extends ConnectorMetadata
{
    void executeProcedure(ConnectorSession session, ConnectorTableExecuteHandle handle);

    void finishProcedure(ConnectorSession session, ConnectorTableExecuteHandle handle, Collection<Slice> fragments);

    @Override
    default void executeTableExecute(ConnectorSession session, ConnectorTableExecuteHandle handle)
    {
        executeProcedure(session, handle);
    }

    @Override
    default void finishTableExecute(ConnectorSession session, ConnectorTableExecuteHandle handle, Collection<Slice> fragments, List<Object> splitsInfo)
    {
        finishProcedure(session, handle, fragments);
    }

    static Optional<String> comment(ColumnMetadata column)
    {
        return Optional.ofNullable(column.getComment());
    }
}
