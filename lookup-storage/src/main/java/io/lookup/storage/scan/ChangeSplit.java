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

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.MetadataInput;
import io.lookup.storage.format.MetadataOutput;
import io.lookup.storage.format.row.BinaryRow;

import java.util.List;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * Changes of one bucket that one snapshot logged.
 *
 * @param commitTimeMillis epoch milliseconds
 * @param files in the order in which they are read
 * @param queryId of the statement that committed, if its snapshot says so
 * @param user likewise
 */
public record ChangeSplit(
        long snapshotId,
        long commitTimeMillis,
        BinaryRow partition,
        int bucket,
        List<SplitFile> files,
        Optional<String> queryId,
        Optional<String> user)
{
    private static final int VERSION = 1;

    public ChangeSplit
    {
        requireNonNull(partition, "partition is null");
        files = ImmutableList.copyOf(files);
        requireNonNull(queryId, "queryId is null");
        requireNonNull(user, "user is null");
    }

    public long rowCount()
    {
        return files.stream().mapToLong(SplitFile::rowCount).sum();
    }

    public long sizeInBytes()
    {
        return files.stream().mapToLong(SplitFile::fileSize).sum();
    }

    public byte[] toBytes()
    {
        MetadataOutput output = new MetadataOutput(VERSION);
        output.writeLong(snapshotId);
        output.writeLong(commitTimeMillis);
        output.writeRow(partition);
        output.writeInt(bucket);
        output.writeList(files, SplitFile::write);
        output.writeOptional(queryId, MetadataOutput::writeString);
        output.writeOptional(user, MetadataOutput::writeString);
        return output.toBytes();
    }

    /**
     * @throws IllegalArgumentException if the bytes are not a split of this version
     */
    public static ChangeSplit fromBytes(byte[] bytes)
    {
        MetadataInput input = new MetadataInput(VERSION, bytes);
        ChangeSplit split = new ChangeSplit(
                input.readLong(),
                input.readLong(),
                input.readRow(),
                input.readInt(),
                input.readList(SplitFile::read),
                input.readOptional(MetadataInput::readString),
                input.readOptional(MetadataInput::readString));
        input.expectEnd();
        return split;
    }
}
