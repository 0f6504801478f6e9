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
import io.airlift.slice.Slices;
import io.lookup.storage.format.StoredNames;
import io.lookup.storage.format.manifest.ManifestStore.BucketFilter;
import io.lookup.storage.format.row.BinaryRow;
import org.apache.avro.Schema;
import org.apache.avro.io.Encoder;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

import static io.lookup.storage.format.StoredNames.checkFileName;

/**
 * Manifests. Not thread-safe: equal partitions of neighbouring entries, and equal lists of columns, are shared.
 */
final class ManifestEntryCodec
        extends AvroFileCodec<ManifestEntry>
{
    private final Map<List<String>, List<String>> columnLists = new HashMap<>();
    private byte[] lastPartitionBytes;
    private BinaryRow lastPartition;

    @Override
    Schema schema()
    {
        return ManifestSchemas.MANIFEST;
    }

    @Override
    int version()
    {
        return 2;
    }

    @Override
    ManifestEntry decode(Object[] values)
    {
        Schema schema = schema();
        return new ManifestEntry(
                constant(FileKind.values(), required(values, 1, schema)),
                partition(required(values, 2, schema)),
                required(values, 3, schema),
                required(values, 4, schema),
                file(required(values, 5, schema), schema.getField("_FILE").schema()));
    }

    /**
     * The field that all others come before which say where a file belongs.
     */
    int fileField()
    {
        return 5;
    }

    /**
     * @param values those before {@link #fileField}; what is missing is found when the rest is decoded
     */
    boolean matches(Object[] values, BucketFilter filter)
    {
        return values[2] == null || values[3] == null || values[4] == null || filter.test(partition((byte[]) values[2]), (int) values[3], (int) values[4]);
    }

    private BinaryRow partition(byte[] stored)
    {
        if (!Arrays.equals(stored, lastPartitionBytes)) {
            lastPartition = row(stored);
            lastPartitionBytes = stored;
        }
        return lastPartition;
    }

    private DataFileMeta file(Object[] values, Schema schema)
    {
        return new DataFileMeta(
                checkFileName(required(values, 0, schema)),
                AvroFileCodec.<Long>required(values, 1, schema),
                AvroFileCodec.<Long>required(values, 2, schema),
                row(required(values, 3, schema)),
                row(required(values, 4, schema)),
                stats(required(values, 5, schema)),
                stats(required(values, 6, schema)),
                AvroFileCodec.<Long>required(values, 7, schema),
                AvroFileCodec.<Long>required(values, 8, schema),
                AvroFileCodec.<Long>required(values, 9, schema),
                AvroFileCodec.<Integer>required(values, 10, schema),
                fileNames(required(values, 11, schema)),
                optionalLong(values[12]),
                optionalLong(values[13]),
                Optional.ofNullable((byte[]) values[14]).map(Slices::wrappedBuffer),
                Optional.ofNullable((Integer) values[15]).map(stored -> constant(FileSource.values(), stored)),
                columns(values[16]),
                Optional.ofNullable((String) values[17]).map(StoredNames::checkExternalPath),
                optionalLong(values[18]),
                columns(values[19]));
    }

    private static List<String> fileNames(Object value)
    {
        List<String> names = strings(value);
        names.forEach(StoredNames::checkFileName);
        return names;
    }

    private Optional<List<String>> columns(Object value)
    {
        if (value == null) {
            return Optional.empty();
        }
        return Optional.of(columnLists.computeIfAbsent(strings(value), ImmutableList::copyOf));
    }

    @Override
    void encode(ManifestEntry entry, Encoder encoder)
            throws IOException
    {
        encoder.writeInt(version());
        encoder.writeInt(entry.kind().ordinal());
        writeRow(entry.partition(), encoder);
        encoder.writeInt(entry.bucket());
        encoder.writeInt(entry.totalBuckets());

        DataFileMeta file = entry.file();
        encoder.writeString(file.fileName());
        encoder.writeLong(file.fileSize());
        encoder.writeLong(file.rowCount());
        writeRow(file.minKey(), encoder);
        writeRow(file.maxKey(), encoder);
        writeStats(file.keyStats(), encoder);
        writeStats(file.valueStats(), encoder);
        encoder.writeLong(file.minSequenceNumber());
        encoder.writeLong(file.maxSequenceNumber());
        encoder.writeLong(file.schemaId());
        encoder.writeInt(file.level());
        writeStrings(file.extraFiles(), encoder);
        writeLong(file.creationTimeMillis(), encoder);
        writeLong(file.deleteRowCount(), encoder);
        writeBytes(file.embeddedIndex(), encoder);
        writeInt(file.fileSource().map(source -> OptionalInt.of(source.ordinal())).orElseGet(OptionalInt::empty), encoder);
        writeStrings(file.valueStatsColumns(), encoder);
        writeString(file.externalPath(), encoder);
        writeLong(file.firstRowId(), encoder);
        writeStrings(file.writeColumns(), encoder);
    }
}
