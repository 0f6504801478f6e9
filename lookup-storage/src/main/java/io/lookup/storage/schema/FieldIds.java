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
package io.lookup.storage.schema;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.DataType.MapType;
import io.lookup.storage.schema.DataType.MultisetType;
import io.lookup.storage.schema.DataType.RowType;
import io.lookup.storage.schema.DataType.ScalarType;

import java.util.List;

/**
 * Numbers columns and nested ROW fields from one counter per table, as Paimon does: a column's id comes before the ids
 * inside its type, a nested field's id comes after them. Elements, keys and values of collections have no id.
 */
public final class FieldIds
{
    private final boolean keepsKnown;
    private int highest;

    private FieldIds(int highest, boolean keepsKnown)
    {
        this.highest = highest;
        this.keepsKnown = keepsKnown;
    }

    /**
     * @param highestFieldId highest id that is used now
     */
    public record NumberedFields(List<DataField> fields, int highestFieldId)
    {
        public NumberedFields
        {
            fields = ImmutableList.copyOf(fields);
        }
    }

    /**
     * Numbers the columns of a new table from 0, whatever ids they carry.
     */
    public static NumberedFields renumber(List<DataField> columns)
    {
        return renumber(columns, -1);
    }

    /**
     * Numbers columns that are added to a table.
     *
     * @param highestFieldId highest id that the table ever used
     */
    public static NumberedFields renumber(List<DataField> columns, int highestFieldId)
    {
        return new FieldIds(highestFieldId, false).number(columns);
    }

    /**
     * Numbers those columns and fields of a changed table whose id is below 0.
     *
     * @param highestFieldId highest id that the table ever used
     */
    public static NumberedFields numberNew(List<DataField> columns, int highestFieldId)
    {
        return new FieldIds(highestFieldId, true).number(columns);
    }

    private NumberedFields number(List<DataField> columns)
    {
        ImmutableList.Builder<DataField> numbered = ImmutableList.builder();
        for (DataField column : columns) {
            int id = idOf(column);
            numbered.add(new DataField(id, column.name(), renumber(column.type()), column.description(), column.defaultValue()));
        }
        return new NumberedFields(numbered.build(), highest);
    }

    private int idOf(DataField field)
    {
        if (keepsKnown && field.id() >= 0) {
            return field.id();
        }
        highest++;
        return highest;
    }

    private DataType renumber(DataType type)
    {
        return switch (type) {
            case ScalarType scalar -> scalar;
            case ArrayType array -> new ArrayType(renumber(array.element()), array.nullable());
            case MultisetType multiset -> new MultisetType(renumber(multiset.element()), multiset.nullable());
            case MapType map -> {
                DataType key = renumber(map.key());
                yield new MapType(key, renumber(map.value()), map.nullable());
            }
            case RowType row -> {
                ImmutableList.Builder<DataField> fields = ImmutableList.builder();
                for (DataField field : row.fields()) {
                    DataType fieldType = renumber(field.type());
                    fields.add(new DataField(idOf(field), field.name(), fieldType, field.description(), field.defaultValue()));
                }
                yield new RowType(fields.build(), row.nullable());
            }
        };
    }
}
