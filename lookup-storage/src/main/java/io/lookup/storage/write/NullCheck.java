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
package io.lookup.storage.write;

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.Page;

import static java.lang.String.format;

/**
 * Refuses nulls in columns that cannot hold them.
 */
final class NullCheck
{
    private NullCheck() {}

    /**
     * @param values the table's columns in schema order
     * @throws StorageException INVALID_ROW naming the column
     */
    static void check(String tableName, TableSchema schema, Page values)
    {
        for (int channel = 0; channel < schema.fields().size(); channel++) {
            if (schema.fields().get(channel).type().nullable() || !values.getBlock(channel).mayHaveNull()) {
                continue;
            }
            for (int position = 0; position < values.getPositionCount(); position++) {
                if (values.getBlock(channel).isNull(position)) {
                    throw new StorageException(StorageErrorCode.INVALID_ROW, format(
                            "NULL for column %s of table %s, which is NOT NULL%s",
                            schema.fields().get(channel).name(),
                            tableName,
                            schema.primaryKeys().contains(schema.fields().get(channel).name()) ? " as part of the primary key" : ""));
                }
            }
        }
    }
}
