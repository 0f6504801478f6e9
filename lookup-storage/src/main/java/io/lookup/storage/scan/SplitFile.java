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
import io.lookup.storage.format.TablePaths;
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
 */
public record SplitFile(
        String fileName,
        long fileSize,
        long rowCount,
        OptionalLong deleteRowCount,
        long minSequenceNumber,
        long schemaId,
        int level,
        Optional<String> externalPath)
{
    public SplitFile
    {
        requireNonNull(fileName, "fileName is null");
        requireNonNull(deleteRowCount, "deleteRowCount is null");
        requireNonNull(externalPath, "externalPath is null");
    }

    public static SplitFile of(DataFileMeta file)
    {
        return new SplitFile(file.fileName(), file.fileSize(), file.rowCount(), file.deleteRowCount(), file.minSequenceNumber(), file.schemaId(), file.level(), file.externalPath());
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
        return externalPath.map(Path::new).orElseGet(() -> new Path(paths.bucketDirectory(partition, bucket), fileName));
    }

    static void write(MetadataOutput output, SplitFile file)
    {
        output.writeString(file.fileName());
        output.writeLong(file.fileSize());
        output.writeLong(file.rowCount());
        output.writeOptionalLong(file.deleteRowCount());
        output.writeLong(file.minSequenceNumber());
        output.writeLong(file.schemaId());
        output.writeInt(file.level());
        output.writeOptional(file.externalPath(), MetadataOutput::writeString);
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
                input.readInt(),
                input.readOptional(MetadataInput::readString));
    }
}
