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

import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.type.Type;

import static java.util.Objects.requireNonNull;

/**
 * @param fieldId field id of a column of the table, {@link #NO_FIELD} for every other column
 * @param name name as Trino shows it, in lower case
 */
public record LookupColumnHandle(int fieldId, String name, Type type, ColumnRole role)
        implements ColumnHandle
{
    public static final int NO_FIELD = -1;

    public LookupColumnHandle
    {
        requireNonNull(name, "name is null");
        requireNonNull(type, "type is null");
        requireNonNull(role, "role is null");
    }

    @Override
    public String toString()
    {
        return name + ":" + type.getDisplayName();
    }
}
