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
package io.lookup.storage.format;

import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.schema.TableSchema;
import org.apache.hadoop.fs.Path;

/** Where everything of one table lies (fact sheet section 1). */
public final class TablePaths
{
    /** @param schema gives partition fields, partition.default-name and partition.legacy-name */
    public TablePaths(Path root, TableSchema schema)
    {
        throw new UnsupportedOperationException();
    }

    public Path root() { throw new UnsupportedOperationException(); }
    public Path schemaDirectory() { throw new UnsupportedOperationException(); }
    public Path snapshotDirectory() { throw new UnsupportedOperationException(); }
    public Path changelogDirectory() { throw new UnsupportedOperationException(); }
    public Path tagDirectory() { throw new UnsupportedOperationException(); }
    public Path manifest(String fileName) { throw new UnsupportedOperationException(); }
    public Path indexFile(String fileName) { throw new UnsupportedOperationException(); }

    /** {@code k1=v1/k2=v2/}, empty for an unpartitioned table */
    public String partitionDirectory(BinaryRow partition) { throw new UnsupportedOperationException(); }
    public Path bucketDirectory(BinaryRow partition, int bucket) { throw new UnsupportedOperationException(); }

    /** honours externalPath */
    public Path dataFile(BinaryRow partition, int bucket, DataFileMeta file) { throw new UnsupportedOperationException(); }
}
