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
package io.lookup.storage.table;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.MetadataInput;
import io.lookup.storage.format.MetadataOutput;
import io.lookup.storage.format.row.BinaryRow;

import java.util.List;

import static java.util.Objects.requireNonNull;

/**
 * A bucket that is to be compacted.
 *
 * @param key some key of the bucket: what a row that is sent to the bucket's worker says instead of the bucket's number
 */
public record CompactionTarget(BinaryRow partition, int bucket, BinaryRow key)
{
    private static final int VERSION = 1;

    public CompactionTarget
    {
        requireNonNull(partition, "partition is null");
        requireNonNull(key, "key is null");
    }

    /**
     * For the way between coordinator and workers.
     */
    public static byte[] toBytes(List<CompactionTarget> targets)
    {
        MetadataOutput output = new MetadataOutput(VERSION);
        output.writeList(targets, (item, target) -> {
            item.writeRow(target.partition());
            item.writeInt(target.bucket());
            item.writeRow(target.key());
        });
        return output.toBytes();
    }

    /**
     * @throws IllegalArgumentException if the bytes were not written by this version
     */
    public static List<CompactionTarget> fromBytes(byte[] bytes)
    {
        MetadataInput input = new MetadataInput(VERSION, bytes);
        List<CompactionTarget> targets = ImmutableList.copyOf(input.readList(item -> new CompactionTarget(item.readRow(), item.readInt(), item.readRow())));
        input.expectEnd();
        return targets;
    }
}
