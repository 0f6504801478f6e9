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

import io.lookup.storage.filesystem.FileIo;
import org.apache.hadoop.fs.Path;

import java.util.List;
import java.util.Optional;

/** Schema versions of one table directory (fact sheet section 2). Versions are immutable and cached. Thread-safe. */
public final class SchemaManager
{
    public SchemaManager(FileIo fileIo, Path tableRoot) { throw new UnsupportedOperationException(); }

    public Optional<TableSchema> latest() { throw new UnsupportedOperationException(); }
    public TableSchema schema(long id) { throw new UnsupportedOperationException(); }
    public List<TableSchema> all() { throw new UnsupportedOperationException(); }
    /** atomic; false if that version exists */
    public boolean tryCreate(TableSchema schema) { throw new UnsupportedOperationException(); }
}
