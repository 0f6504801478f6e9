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
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.predicate.TupleDomain;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.util.List;

/** Opens data and changelog files (by extension; parquet only: others UNSUPPORTED_FEATURE naming file and format). Thread-safe. */
public final class DataFileReaderFactory
{
    public DataFileReaderFactory(FileIo fileIo) { throw new UnsupportedOperationException(); }

    public PageStream open(ReadRequest request)
            throws IOException
    {
        throw new UnsupportedOperationException();
    }

    /**
     * @param fileSchema the schema version the file was written with (its _SCHEMA_ID)
     * @param columns wanted columns of the table schema that is read, matched to the file's by field id; missing ones are null
     * @param systemColumns append _SEQUENCE_NUMBER (BIGINT) and _VALUE_KIND (TINYINT) channels
     * @param partitionFields partition columns of the table; those among columns are filled from partition, not from the file
     * @param predicate by field id over table types; only used to skip row groups and pages, rows that do not match may be returned
     */
    public record ReadRequest(
            Path path,
            long fileSize,
            TableSchema fileSchema,
            List<DataField> columns,
            boolean systemColumns,
            List<DataField> partitionFields,
            BinaryRow partition,
            TupleDomain<Integer> predicate) {}
}
