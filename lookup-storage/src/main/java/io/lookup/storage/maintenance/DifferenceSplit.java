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
package io.lookup.storage.maintenance;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.MetadataInput;
import io.lookup.storage.format.MetadataOutput;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.scan.TableSplit;

import java.util.List;
import java.util.stream.Stream;

import static java.util.Objects.requireNonNull;

/**
 * One bucket at two snapshots, as far as its files differ.
 *
 * @param afterTimeMillis commit time of the later snapshot, epoch milliseconds
 * @param before the rows at the earlier snapshot, in key order; without what both states read from the same files
 * @param after the rows at the later snapshot, likewise
 */
public record DifferenceSplit(
        long afterSnapshotId,
        long afterTimeMillis,
        BinaryRow partition,
        int bucket,
        List<TableSplit> before,
        List<TableSplit> after)
{
    private static final int VERSION = 1;

    public DifferenceSplit
    {
        requireNonNull(partition, "partition is null");
        before = ImmutableList.copyOf(before);
        after = ImmutableList.copyOf(after);
    }

    public long sizeInBytes()
    {
        return Stream.concat(before.stream(), after.stream()).mapToLong(TableSplit::sizeInBytes).sum();
    }

    public byte[] toBytes()
    {
        MetadataOutput output = new MetadataOutput(VERSION);
        output.writeLong(afterSnapshotId);
        output.writeLong(afterTimeMillis);
        output.writeRow(partition);
        output.writeInt(bucket);
        output.writeList(before, VerificationSplit::writeState);
        output.writeList(after, VerificationSplit::writeState);
        return output.toBytes();
    }

    /**
     * @throws IllegalArgumentException if the bytes are not a split of this version
     */
    public static DifferenceSplit fromBytes(byte[] bytes)
    {
        MetadataInput input = new MetadataInput(VERSION, bytes);
        DifferenceSplit split = new DifferenceSplit(
                input.readLong(),
                input.readLong(),
                input.readRow(),
                input.readInt(),
                input.readList(VerificationSplit::readState),
                input.readList(VerificationSplit::readState));
        input.expectEnd();
        return split;
    }
}
