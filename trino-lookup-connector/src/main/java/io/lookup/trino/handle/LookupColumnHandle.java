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

import com.google.common.collect.ImmutableList;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.type.RowType;
import io.trino.spi.type.Type;

import java.util.List;

import static java.util.Objects.requireNonNull;

/**
 * @param fieldId field id of a column of the table, {@link #NO_FIELD} for every other column
 * @param name name as Trino shows it, in lower case; of a field of a column, with the names of the rows that it lies in
 * @param path where in the column the value lies: indexes of fields of rows, from the outside in; empty for the whole column
 */
public record LookupColumnHandle(int fieldId, String name, Type type, ColumnRole role, List<Integer> path)
        implements ColumnHandle
{
    public static final int NO_FIELD = -1;

    public LookupColumnHandle
    {
        requireNonNull(name, "name is null");
        requireNonNull(type, "type is null");
        requireNonNull(role, "role is null");
        path = ImmutableList.copyOf(path);
    }

    /**
     * A whole column.
     */
    public LookupColumnHandle(int fieldId, String name, Type type, ColumnRole role)
    {
        this(fieldId, name, type, role, ImmutableList.of());
    }

    /**
     * A field of this column, which is a row.
     */
    public LookupColumnHandle field(List<Integer> indexes, Type fieldType)
    {
        StringBuilder fieldName = new StringBuilder(name);
        Type container = type;
        for (int index : indexes) {
            RowType.Field field = ((RowType) container).getFields().get(index);
            fieldName.append('#').append(field.getName().orElse(Integer.toString(index)));
            container = field.getType();
        }
        return new LookupColumnHandle(fieldId, fieldName.toString(), fieldType, role, ImmutableList.<Integer>builder().addAll(path).addAll(indexes).build());
    }

    @Override
    public String toString()
    {
        return name + ":" + type.getDisplayName();
    }
}
