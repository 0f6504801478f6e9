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
package io.lookup.storage.format.parquet;

import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.Page;

import java.io.IOException;
import java.util.List;

/** Writes data and changelog files of one table at one schema version (fact sheet sections 6, 7, 4.4). Thread-safe; writers are not. */
public final class DataFileWriterFactory
{
    public DataFileWriterFactory(FileIo fileIo, TablePaths paths, TableSchema schema) { throw new UnsupportedOperationException(); }

    /** nothing is created before the first row */
    public RollingWriter createDataWriter(BinaryRow partition, int bucket, int level, FileSource source) { throw new UnsupportedOperationException(); }

    public RollingWriter createChangelogWriter(BinaryRow partition, int bucket, int level) { throw new UnsupportedOperationException(); }

    public interface RollingWriter
    {
        /** page in the layout of the whole schema: every column in schema order, sequence number, kind; rows ascending by key over all calls */
        void write(Page page)
                throws IOException;

        /** bytes written and buffered so far */
        long writtenBytes();

        /** completes the files; metadata in key order */
        List<DataFileMeta> finish()
                throws IOException;

        /** closes and deletes everything written, finished files included; never throws */
        void abort();
    }
}
