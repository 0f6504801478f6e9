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
package io.lookup.trino.changes;

import com.google.common.collect.ImmutableList;
import io.lookup.trino.handle.LookupColumnHandle;
import io.lookup.trino.handle.LookupTableHandle;
import io.trino.spi.function.table.ConnectorTableFunctionHandle;

import java.util.List;

import static java.util.Objects.requireNonNull;

/**
 * A call of a table function that is a scan of a table, or of what tells of one.
 *
 * @param columns in the order of the function's descriptor
 */
public record FunctionScanHandle(LookupTableHandle table, List<LookupColumnHandle> columns)
        implements ConnectorTableFunctionHandle
{
    public FunctionScanHandle
    {
        requireNonNull(table, "table is null");
        columns = ImmutableList.copyOf(columns);
    }
}
