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
package io.lookup.storage.scan;

import io.lookup.storage.format.MetadataInput;
import io.lookup.storage.format.MetadataOutput;
import io.lookup.storage.format.StoredNames;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.deletion.DeletionVectorLocation;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.row.BinaryRow;
import org.apache.hadoop.fs.Path;

import java.util.Optional;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * What a reader needs to know of a data or changelog file; statistics have done their work when planning.
 *
 * @param deleteRowCount rows of kind -U and -D; empty if unknown
 * @param externalPath full file URI where the file lies outside the bucket's directory
 * @param deletions where it stands which of the rows do not count
 */
public record SplitFile(
        String fileName,
        long fileSize,
        long rowCount,
        OptionalLong deleteRowCount,
        long minSequenceNumber,
        long maxSequenceNumber,
        long schemaId,
        int level,
        Optional<String> externalPath,
        Optional<DeletionVectorLocation> deletions)
{
    public SplitFile
    {
        requireNonNull(fileName, "fileName is null");
        requireNonNull(deleteRowCount, "deleteRowCount is null");
        requireNonNull(externalPath, "externalPath is null");
        requireNonNull(deletions, "deletions is null");
    }

    public static SplitFile of(DataFileMeta file)
    {
        return of(file, Optional.empty());
    }

    static SplitFile of(DataFileMeta file, Optional<DeletionVectorLocation> deletions)
    {
        return new SplitFile(
                file.fileName(),
                file.fileSize(),
                file.rowCount(),
                file.deleteRowCount(),
                file.minSequenceNumber(),
                file.maxSequenceNumber(),
                file.schemaId(),
                file.level(),
                file.externalPath(),
                deletions);
    }

    /**
     * Rows that count as far as deletion vectors say; retractions are among them. Empty if only the vector itself knows.
     */
    public OptionalLong undeletedRowCount()
    {
        if (deletions.isEmpty()) {
            return OptionalLong.of(rowCount);
        }
        OptionalLong cardinality = deletions.get().cardinality();
        return cardinality.isPresent() ? OptionalLong.of(Math.max(0, rowCount - cardinality.getAsLong())) : OptionalLong.empty();
    }

    /**
     * Whether every row is known to be an insert or the new side of an update.
     */
    public boolean hasOnlyAdds()
    {
        return deleteRowCount.isPresent() && deleteRowCount.getAsLong() == 0;
    }

    Path path(TablePaths paths, BinaryRow partition, int bucket)
    {
        return externalPath.map(path -> StoredNames.external(paths.root(), path)).orElseGet(() -> new Path(paths.bucketDirectory(partition, bucket), fileName));
    }

    static void write(MetadataOutput output, SplitFile file)
    {
        output.writeString(file.fileName());
        output.writeLong(file.fileSize());
        output.writeLong(file.rowCount());
        output.writeOptionalLong(file.deleteRowCount());
        output.writeLong(file.minSequenceNumber());
        output.writeLong(file.maxSequenceNumber());
        output.writeLong(file.schemaId());
        output.writeInt(file.level());
        output.writeOptional(file.externalPath(), MetadataOutput::writeString);
        output.writeOptional(file.deletions(), DeletionVectorLocation::write);
    }

    static SplitFile read(MetadataInput input)
    {
        return new SplitFile(
                input.readString(),
                input.readLong(),
                input.readLong(),
                input.readOptionalLong(),
                input.readLong(),
                input.readLong(),
                input.readLong(),
                input.readInt(),
                input.readOptional(MetadataInput::readString),
                input.readOptional(DeletionVectorLocation::read));
    }
}
