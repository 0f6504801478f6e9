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
package io.lookup.storage.commit;

import io.lookup.storage.format.MetadataInput;
import io.lookup.storage.format.MetadataOutput;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.DataFileMetaCodec;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.IndexManifestEntry;
import io.lookup.storage.format.manifest.IndexManifestEntry.DeletionVectorRange;

import java.util.List;

/**
 * Commit messages as bytes, for the way from the workers to the coordinator.
 */
public final class CommitMessageCodec
{
    private static final int VERSION = 2;

    private CommitMessageCodec() {}

    public static byte[] toBytes(CommitMessage message)
    {
        MetadataOutput output = new MetadataOutput(VERSION);
        output.writeRow(message.partition());
        output.writeInt(message.bucket());
        output.writeInt(message.totalBuckets());
        writeFiles(output, message.newFiles());
        writeFiles(output, message.newChangelogFiles());
        writeFiles(output, message.compactBefore());
        writeFiles(output, message.compactAfter());
        writeFiles(output, message.compactChangelogFiles());
        output.writeList(message.indexChanges(), CommitMessageCodec::writeIndexFile);
        return output.toBytes();
    }

    /**
     * @throws IllegalArgumentException if the bytes are not a message of this version
     */
    public static CommitMessage fromBytes(byte[] bytes)
    {
        MetadataInput input = new MetadataInput(VERSION, bytes);
        CommitMessage message = new CommitMessage(
                input.readRow(),
                input.readInt(),
                input.readInt(),
                readFiles(input),
                readFiles(input),
                readFiles(input),
                readFiles(input),
                readFiles(input),
                input.readList(CommitMessageCodec::readIndexFile));
        input.expectEnd();
        return message;
    }

    private static void writeFiles(MetadataOutput output, List<DataFileMeta> files)
    {
        output.writeList(files, DataFileMetaCodec::write);
    }

    private static List<DataFileMeta> readFiles(MetadataInput input)
    {
        return input.readList(DataFileMetaCodec::read);
    }

    private static void writeIndexFile(MetadataOutput output, IndexManifestEntry file)
    {
        output.writeInt(file.kind().ordinal());
        output.writeRow(file.partition());
        output.writeInt(file.bucket());
        output.writeString(file.indexType());
        output.writeString(file.fileName());
        output.writeLong(file.fileSize());
        output.writeLong(file.rowCount());
        output.writeList(file.deletionVectors(), (target, range) -> {
            target.writeString(range.dataFileName());
            target.writeInt(range.offset());
            target.writeInt(range.length());
            target.writeOptionalLong(range.cardinality());
        });
        output.writeOptional(file.externalPath(), MetadataOutput::writeString);
    }

    private static IndexManifestEntry readIndexFile(MetadataInput input)
    {
        return new IndexManifestEntry(
                FileKind.values()[input.readInt()],
                input.readRow(),
                input.readInt(),
                input.readString(),
                input.readString(),
                input.readLong(),
                input.readLong(),
                input.readList(source -> new DeletionVectorRange(source.readString(), source.readInt(), source.readInt(), source.readOptionalLong())),
                input.readOptional(MetadataInput::readString));
    }
}
