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
import java.util.Map;
import java.util.Optional;

/**
 * What Trino 483 wants of statements and columns in other words than other versions. It takes figures of a table procedure; there are none.
 */
interface TrinoMetadata
        extends ConnectorMetadata
{
    void executeProcedure(ConnectorSession session, ConnectorTableExecuteHandle handle);

    void finishProcedure(ConnectorSession session, ConnectorTableExecuteHandle handle, Collection<Slice> fragments);

    @Override
    default Map<String, Long> executeTableExecute(ConnectorSession session, ConnectorTableExecuteHandle handle)
    {
        executeProcedure(session, handle);
        return Map.of();
    }

    @Override
    default Map<String, Long> finishTableExecute(ConnectorSession session, ConnectorTableExecuteHandle handle, Collection<Slice> fragments, List<Object> splitsInfo)
    {
        finishProcedure(session, handle, fragments);
        return Map.of();
    }

    static Optional<String> comment(ColumnMetadata column)
    {
        return column.getComment();
    }
}
