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
import io.airlift.slice.Slices;
import io.lookup.storage.format.MetadataInput;
import io.lookup.storage.format.MetadataOutput;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.scan.ChangeSplit;
import io.lookup.storage.scan.TableSplit;

import java.util.List;

import static java.util.Objects.requireNonNull;

/**
 * One bucket's changelog between two snapshots, with all that it is compared with.
 *
 * @param afterSnapshotId the snapshot of the state after the changes
 * @param before the logged state before the changes, in key order
 * @param after the logged state after them, in key order
 * @param steps what the snapshots in between logged and wrote, oldest first
 */
public record VerificationSplit(
        long afterSnapshotId,
        BinaryRow partition,
        int bucket,
        List<TableSplit> before,
        List<TableSplit> after,
        List<Step> steps)
{
    private static final int VERSION = 1;

    public VerificationSplit
    {
        requireNonNull(partition, "partition is null");
        before = ImmutableList.copyOf(before);
        after = ImmutableList.copyOf(after);
        steps = ImmutableList.copyOf(steps);
    }

    /**
     * What one snapshot did to the bucket. Each split is a run: its files are in key order and do not overlap.
     *
     * @param changes the changelog
     * @param written data files that hold the complete state of each of their keys as of this snapshot
     */
    public record Step(long snapshotId, List<ChangeSplit> changes, List<ChangeSplit> written)
    {
        public Step
        {
            changes = ImmutableList.copyOf(changes);
            written = ImmutableList.copyOf(written);
        }
    }

    public long sizeInBytes()
    {
        long size = 0;
        for (TableSplit split : before) {
            size += split.sizeInBytes();
        }
        for (TableSplit split : after) {
            size += split.sizeInBytes();
        }
        for (Step step : steps) {
            size += step.changes().stream().mapToLong(ChangeSplit::sizeInBytes).sum();
            size += step.written().stream().mapToLong(ChangeSplit::sizeInBytes).sum();
        }
        return size;
    }

    public byte[] toBytes()
    {
        MetadataOutput output = new MetadataOutput(VERSION);
        output.writeLong(afterSnapshotId);
        output.writeRow(partition);
        output.writeInt(bucket);
        output.writeList(before, VerificationSplit::writeState);
        output.writeList(after, VerificationSplit::writeState);
        output.writeList(steps, (target, step) -> {
            target.writeLong(step.snapshotId());
            target.writeList(step.changes(), VerificationSplit::writeChanges);
            target.writeList(step.written(), VerificationSplit::writeChanges);
        });
        return output.toBytes();
    }

    /**
     * @throws IllegalArgumentException if the bytes are not a split of this version
     */
    public static VerificationSplit fromBytes(byte[] bytes)
    {
        MetadataInput input = new MetadataInput(VERSION, bytes);
        VerificationSplit split = new VerificationSplit(
                input.readLong(),
                input.readRow(),
                input.readInt(),
                input.readList(VerificationSplit::readState),
                input.readList(VerificationSplit::readState),
                input.readList(source -> new Step(
                        source.readLong(),
                        source.readList(VerificationSplit::readChanges),
                        source.readList(VerificationSplit::readChanges))));
        input.expectEnd();
        return split;
    }

    static void writeState(MetadataOutput output, TableSplit split)
    {
        output.writeSlice(Slices.wrappedBuffer(split.toBytes()));
    }

    static TableSplit readState(MetadataInput input)
    {
        return TableSplit.fromBytes(input.readSlice().getBytes());
    }

    private static void writeChanges(MetadataOutput output, ChangeSplit split)
    {
        output.writeSlice(Slices.wrappedBuffer(split.toBytes()));
    }

    private static ChangeSplit readChanges(MetadataInput input)
    {
        return ChangeSplit.fromBytes(input.readSlice().getBytes());
    }
}
