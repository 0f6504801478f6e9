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

import org.apache.avro.Schema;
import org.apache.avro.io.Encoder;

import java.io.IOException;

import static io.lookup.storage.format.StoredNames.checkFileName;

/**
 * Manifest lists.
 */
final class ManifestListCodec
        extends AvroFileCodec<ManifestFileMeta>
{
    @Override
    Schema schema()
    {
        return ManifestSchemas.MANIFEST_LIST;
    }

    @Override
    int version()
    {
        return 2;
    }

    @Override
    ManifestFileMeta decode(Object[] values)
    {
        Schema schema = schema();
        return new ManifestFileMeta(
                checkFileName(required(values, 1, schema)),
                AvroFileCodec.<Long>required(values, 2, schema),
                AvroFileCodec.<Long>required(values, 3, schema),
                AvroFileCodec.<Long>required(values, 4, schema),
                stats(required(values, 5, schema)),
                AvroFileCodec.<Long>required(values, 6, schema),
                optionalInt(values[7]),
                optionalInt(values[8]),
                optionalInt(values[9]),
                optionalInt(values[10]),
                optionalLong(values[11]),
                optionalLong(values[12]));
    }

    @Override
    void encode(ManifestFileMeta manifest, Encoder encoder)
            throws IOException
    {
        encoder.writeInt(version());
        encoder.writeString(manifest.fileName());
        encoder.writeLong(manifest.fileSize());
        encoder.writeLong(manifest.addedFiles());
        encoder.writeLong(manifest.deletedFiles());
        writeStats(manifest.partitionStats(), encoder);
        encoder.writeLong(manifest.schemaId());
        writeInt(manifest.minBucket(), encoder);
        writeInt(manifest.maxBucket(), encoder);
        writeInt(manifest.minLevel(), encoder);
        writeInt(manifest.maxLevel(), encoder);
        writeLong(manifest.minRowId(), encoder);
        writeLong(manifest.maxRowId(), encoder);
    }
}
