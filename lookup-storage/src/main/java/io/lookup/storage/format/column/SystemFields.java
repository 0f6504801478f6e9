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
package io.lookup.storage.format.column;

import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TypeRoot;

/**
 * Columns that files of tables with a primary key have besides the table's.
 */
public final class SystemFields
{
    public static final DataField SEQUENCE_NUMBER = new DataField(Integer.MAX_VALUE - 1, "_SEQUENCE_NUMBER", new ScalarType(TypeRoot.BIGINT, 0, 0, false));
    public static final DataField VALUE_KIND = new DataField(Integer.MAX_VALUE - 2, "_VALUE_KIND", new ScalarType(TypeRoot.TINYINT, 0, 0, false));

    private SystemFields() {}
}
