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
package io.lookup.storage.format.deletion;

import io.lookup.storage.format.MetadataInput;
import io.lookup.storage.format.MetadataOutput;

import java.util.Optional;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * Where the vector of a data file lies.
 *
 * @param fileName name of the index file
 * @param externalPath full file URI where the index file lies outside the table's folders for it
 * @param fileSize bytes of the whole index file
 * @param offset of the vector's first byte, its size
 * @param length bytes, as the manifest counts them: a 32-bit vector without the size before it and the checksum behind it, a
 * 64-bit one with both
 * @param cardinality number of rows that are deleted, empty if unknown
 */
public record DeletionVectorLocation(String fileName, Optional<String> externalPath, long fileSize, int offset, int length, OptionalLong cardinality)
{
    public DeletionVectorLocation
    {
        requireNonNull(fileName, "fileName is null");
        requireNonNull(externalPath, "externalPath is null");
        requireNonNull(cardinality, "cardinality is null");
    }

    public static void write(MetadataOutput output, DeletionVectorLocation location)
    {
        output.writeString(location.fileName());
        output.writeOptional(location.externalPath(), MetadataOutput::writeString);
        output.writeLong(location.fileSize());
        output.writeInt(location.offset());
        output.writeInt(location.length());
        output.writeOptionalLong(location.cardinality());
    }

    public static DeletionVectorLocation read(MetadataInput input)
    {
        return new DeletionVectorLocation(
                input.readString(),
                input.readOptional(MetadataInput::readString),
                input.readLong(),
                input.readInt(),
                input.readInt(),
                input.readOptionalLong());
    }
}
