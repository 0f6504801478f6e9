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
import io.lookup.storage.format.MetadataInput;
import io.lookup.storage.format.MetadataOutput;
import io.lookup.storage.format.row.BinaryRow;

import java.util.List;
import java.util.Optional;

/**
 * A file's metadata on its way between worker and coordinator, exact to the byte: identities and statistics
 * survive the round trip.
 */
public final class DataFileMetaCodec
{
    private DataFileMetaCodec() {}

    public static void write(MetadataOutput output, DataFileMeta file)
    {
        output.writeString(file.fileName());
        output.writeLong(file.fileSize());
        output.writeLong(file.rowCount());
        output.writeRow(file.minKey());
        output.writeRow(file.maxKey());
        writeStats(output, file.keyStats());
        writeStats(output, file.valueStats());
        output.writeLong(file.minSequenceNumber());
        output.writeLong(file.maxSequenceNumber());
        output.writeLong(file.schemaId());
        output.writeInt(file.level());
        output.writeList(file.extraFiles(), MetadataOutput::writeString);
        output.writeOptionalLong(file.creationTimeMillis());
        output.writeOptionalLong(file.deleteRowCount());
        output.writeOptional(file.embeddedIndex(), MetadataOutput::writeSlice);
        output.writeOptional(file.fileSource(), (target, source) -> target.writeInt(source.ordinal()));
        output.writeOptional(file.valueStatsColumns(), DataFileMetaCodec::writeStrings);
        output.writeOptional(file.externalPath(), MetadataOutput::writeString);
        output.writeOptionalLong(file.firstRowId());
        output.writeOptional(file.writeColumns(), DataFileMetaCodec::writeStrings);
    }

    public static DataFileMeta read(MetadataInput input)
    {
        return new DataFileMeta(
                input.readString(),
                input.readLong(),
                input.readLong(),
                input.readRow(),
                input.readRow(),
                readStats(input),
                readStats(input),
                input.readLong(),
                input.readLong(),
                input.readLong(),
                input.readInt(),
                input.readList(MetadataInput::readString),
                input.readOptionalLong(),
                input.readOptionalLong(),
                input.readOptional(MetadataInput::readSlice),
                input.readOptional(source -> FileSource.values()[source.readInt()]),
                input.readOptional(source -> source.readList(MetadataInput::readString)),
                input.readOptional(MetadataInput::readString),
                input.readOptionalLong(),
                input.readOptional(source -> source.readList(MetadataInput::readString)));
    }

    private static void writeStrings(MetadataOutput output, List<String> values)
    {
        output.writeList(values, MetadataOutput::writeString);
    }

    private static void writeStats(MetadataOutput output, SimpleStats stats)
    {
        output.writeRow(stats.minValues());
        output.writeRow(stats.maxValues());
        output.writeList(stats.nullCounts(), (target, count) -> target.writeOptional(count, MetadataOutput::writeLong));
    }

    private static SimpleStats readStats(MetadataInput input)
    {
        BinaryRow minValues = input.readRow();
        BinaryRow maxValues = input.readRow();
        List<Optional<Long>> nullCounts = ImmutableList.copyOf(input.readList(source -> source.readOptional(MetadataInput::readLong)));
        return new SimpleStats(minValues, maxValues, nullCounts);
    }
}
