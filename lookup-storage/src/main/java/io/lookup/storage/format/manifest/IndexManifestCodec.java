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
import io.lookup.storage.format.StoredNames;
import io.lookup.storage.format.manifest.IndexManifestEntry.DeletionVectorRange;
import org.apache.avro.Schema;
import org.apache.avro.io.Encoder;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

import static io.lookup.storage.format.StoredNames.checkFileName;

/**
 * Index manifests. The description of an index over the whole table, which tables without a primary key can have, is
 * neither read nor written.
 */
final class IndexManifestCodec
        extends AvroFileCodec<IndexManifestEntry>
{
    @Override
    Schema schema()
    {
        return ManifestSchemas.INDEX_MANIFEST;
    }

    @Override
    int version()
    {
        return 1;
    }

    @Override
    IndexManifestEntry decode(Object[] values)
    {
        Schema schema = schema();
        ImmutableList.Builder<DeletionVectorRange> deletionVectors = ImmutableList.builder();
        if (values[8] != null) {
            for (Object range : (List<?>) values[8]) {
                Object[] parts = (Object[]) range;
                deletionVectors.add(new DeletionVectorRange((String) parts[0], (int) parts[1], (int) parts[2], optionalLong(parts[3])));
            }
        }
        return new IndexManifestEntry(
                constant(FileKind.values(), required(values, 1, schema)),
                row(required(values, 2, schema)),
                required(values, 3, schema),
                required(values, 4, schema),
                checkFileName(required(values, 5, schema)),
                AvroFileCodec.<Long>required(values, 6, schema),
                AvroFileCodec.<Long>required(values, 7, schema),
                deletionVectors.build(),
                Optional.ofNullable((String) values[9]).map(StoredNames::checkExternalPath));
    }

    @Override
    void encode(IndexManifestEntry entry, Encoder encoder)
            throws IOException
    {
        encoder.writeInt(version());
        encoder.writeInt(entry.kind().ordinal());
        writeRow(entry.partition(), encoder);
        encoder.writeInt(entry.bucket());
        encoder.writeString(entry.indexType());
        encoder.writeString(entry.fileName());
        encoder.writeLong(entry.fileSize());
        encoder.writeLong(entry.rowCount());
        if (writeBranch(entry.indexType().equals(IndexManifestEntry.DELETION_VECTORS), encoder)) {
            encoder.writeArrayStart();
            encoder.setItemCount(entry.deletionVectors().size());
            for (DeletionVectorRange range : entry.deletionVectors()) {
                encoder.startItem();
                writeBranch(true, encoder);
                encoder.writeString(range.dataFileName());
                encoder.writeInt(range.offset());
                encoder.writeInt(range.length());
                writeLong(range.cardinality(), encoder);
            }
            encoder.writeArrayEnd();
        }
        writeString(entry.externalPath(), encoder);
        writeBranch(false, encoder);
    }
}
