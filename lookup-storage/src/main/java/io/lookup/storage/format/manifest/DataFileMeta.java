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
package io.lookup.storage.format.manifest;

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slice;
import io.lookup.storage.format.row.BinaryRow;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * A data or changelog file as manifests describe it ({@code _FILE} of a manifest entry).
 *
 * @param fileName name without directory
 * @param fileSize exact length in bytes
 * @param rowCount physical rows, retract rows included
 * @param minKey trimmed primary key of the first row
 * @param maxKey trimmed primary key of the last row
 * @param keyStats statistics of the trimmed primary key
 * @param valueStats statistics of the value columns that {@code valueStatsColumns} names, of all if it is empty
 * @param level level of the LSM tree; 0 for changelog files of the input producer
 * @param creationTimeMillis local wall-clock time of the writer, encoded as if it were UTC
 * @param deleteRowCount rows of kind -U and -D; empty if unknown
 * @param fileSource empty if unknown
 * @param valueStatsColumns empty optional: statistics of every column
 * @param externalPath full file URI where the file lies outside the bucket's directory
 */
public record DataFileMeta(
        String fileName,
        long fileSize,
        long rowCount,
        BinaryRow minKey,
        BinaryRow maxKey,
        SimpleStats keyStats,
        SimpleStats valueStats,
        long minSequenceNumber,
        long maxSequenceNumber,
        long schemaId,
        int level,
        List<String> extraFiles,
        OptionalLong creationTimeMillis,
        OptionalLong deleteRowCount,
        Optional<Slice> embeddedIndex,
        Optional<FileSource> fileSource,
        Optional<List<String>> valueStatsColumns,
        Optional<String> externalPath,
        OptionalLong firstRowId,
        Optional<List<String>> writeColumns)
{
    public DataFileMeta
    {
        requireNonNull(fileName, "fileName is null");
        requireNonNull(minKey, "minKey is null");
        requireNonNull(maxKey, "maxKey is null");
        requireNonNull(keyStats, "keyStats is null");
        requireNonNull(valueStats, "valueStats is null");
        extraFiles = ImmutableList.copyOf(extraFiles);
        requireNonNull(creationTimeMillis, "creationTimeMillis is null");
        requireNonNull(deleteRowCount, "deleteRowCount is null");
        requireNonNull(embeddedIndex, "embeddedIndex is null");
        requireNonNull(fileSource, "fileSource is null");
        valueStatsColumns = valueStatsColumns.map(ImmutableList::copyOf);
        requireNonNull(externalPath, "externalPath is null");
        requireNonNull(firstRowId, "firstRowId is null");
        writeColumns = writeColumns.map(ImmutableList::copyOf);
    }

    /**
     * The same file at another level: what an upgrade writes to the manifest.
     */
    public DataFileMeta withLevel(int level)
    {
        return new DataFileMeta(
                fileName, fileSize, rowCount, minKey, maxKey, keyStats, valueStats, minSequenceNumber, maxSequenceNumber,
                schemaId, level, extraFiles, creationTimeMillis, deleteRowCount, embeddedIndex, fileSource,
                valueStatsColumns, externalPath, firstRowId, writeColumns);
    }

    /**
     * The same file with others in its folder that belong to it.
     */
    public DataFileMeta withExtraFiles(List<String> extraFiles)
    {
        return new DataFileMeta(
                fileName, fileSize, rowCount, minKey, maxKey, keyStats, valueStats, minSequenceNumber, maxSequenceNumber,
                schemaId, level, extraFiles, creationTimeMillis, deleteRowCount, embeddedIndex, fileSource,
                valueStatsColumns, externalPath, firstRowId, writeColumns);
    }
}
