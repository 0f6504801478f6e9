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

import io.lookup.storage.merge.DeletedValues;
import io.lookup.storage.merge.UpdatedValues;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.RetractOptions;
import io.lookup.storage.schema.TableSchema;

import java.util.Optional;
import java.util.Set;

/**
 * Whether there are records whose merge with the older ones of a key makes a change of rows, to be asked before a statement reads anything.
 */
public final class RowChangeRecords
{
    private RowChangeRecords() {}

    /**
     * @param schema of a partial-update table
     * @param updatedColumns the columns that the statement sets, in lower case; no key columns
     * @return why no record makes such an update; empty if one does
     */
    public static Optional<String> updateRefusal(TableSchema schema, CoreOptions options, Set<String> updatedColumns)
    {
        return UpdatedValues.of(schema, options, updatedColumns).refusal();
    }

    /**
     * @param schema of a table whose merge engine combines rows, and whose options give deletes a meaning ({@link RetractOptions})
     * @return why no record makes a row disappear for good; empty if one does
     */
    public static Optional<String> deleteRefusal(TableSchema schema, CoreOptions options)
    {
        return DeletedValues.of(schema, options).refusal();
    }
}
