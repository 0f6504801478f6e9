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

import com.google.common.collect.ImmutableSet;
import io.trino.spi.connector.ConnectorMergeTableHandle;

import java.util.Set;

import static java.util.Objects.requireNonNull;

/**
 * An UPDATE, DELETE or MERGE.
 *
 * @param updatedColumns what it sets in rows that exist
 */
public record LookupMergeHandle(LookupTableHandle tableHandle, LookupWriteHandle writeHandle, Set<String> updatedColumns)
        implements ConnectorMergeTableHandle
{
    public LookupMergeHandle
    {
        requireNonNull(tableHandle, "tableHandle is null");
        requireNonNull(writeHandle, "writeHandle is null");
        updatedColumns = ImmutableSet.copyOf(updatedColumns);
    }

    @Override
    public LookupTableHandle getTableHandle()
    {
        return tableHandle;
    }
}
