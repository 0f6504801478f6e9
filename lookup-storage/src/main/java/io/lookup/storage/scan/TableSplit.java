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

import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

import static java.util.Objects.requireNonNull;

/**
 * A piece of one bucket that can be read by itself: whole sections, so that all versions of a key are in one split.
 *
 * @param schemaId the schema version that is read, which may be newer than the files'
 * @param sections in key order
 * @param completeLevels whether each record above level 0 is known to be its key's complete state; says nothing
 * for tables that do not look up
 * @param mergeFree whether rows are read as they are: no key has a second version that counts, no row is a retraction
 */
public record TableSplit(
        long snapshotId,
        long schemaId,
        BinaryRow partition,
        int bucket,
        int totalBuckets,
        List<Section> sections,
        boolean completeLevels,
        boolean mergeFree)
{
    private static final int VERSION = 3;

    public TableSplit
    {
        requireNonNull(partition, "partition is null");
        sections = ImmutableList.copyOf(sections);
    }

    /**
     * Files whose key ranges touch each other.
     *
     * @param runs in no order of age, sequence numbers tell; files of a run in key order, and of one level where the
     * table looks up
     */
    public record Section(List<List<SplitFile>> runs)
    {
        public Section
        {
            runs = runs.stream().<List<SplitFile>>map(ImmutableList::copyOf).collect(ImmutableList.toImmutableList());
        }

        public Stream<SplitFile> files()
        {
            return runs.stream().flatMap(List::stream);
        }

        /**
         * Whether all rows of a run are older than all rows of the next one, in some order of the runs: then the runs tell
         * which of two versions is the newer one, and no row has to.
         */
        boolean hasRunsInSequence()
        {
            List<List<SplitFile>> ordered = runs.stream().sorted(Comparator.comparingLong(Section::minSequenceNumber)).toList();
            for (int index = 1; index < ordered.size(); index++) {
                if (minSequenceNumber(ordered.get(index)) <= ordered.get(index - 1).stream().mapToLong(SplitFile::maxSequenceNumber).max().orElseThrow()) {
                    return false;
                }
            }
            return true;
        }

        private static long minSequenceNumber(List<SplitFile> run)
        {
            return run.stream().mapToLong(SplitFile::minSequenceNumber).min().orElseThrow();
        }

        public boolean mergeFree()
        {
            return runs.size() == 1 && files().allMatch(SplitFile::hasOnlyAdds);
        }
    }

    public Stream<SplitFile> files()
    {
        return sections.stream().flatMap(Section::files);
    }

    /**
     * How many rows the split returns, if that is known without reading it.
     */
    public OptionalLong exactRowCount()
    {
        if (!mergeFree) {
            return OptionalLong.empty();
        }
        long rows = 0;
        for (Section section : sections) {
            for (List<SplitFile> run : section.runs()) {
                for (SplitFile file : run) {
                    OptionalLong count = file.undeletedRowCount();
                    if (count.isEmpty()) {
                        return OptionalLong.empty();
                    }
                    rows += count.getAsLong();
                }
            }
        }
        return OptionalLong.of(rows);
    }

    public long sizeInBytes()
    {
        return files().mapToLong(SplitFile::fileSize).sum();
    }

    public byte[] toBytes()
    {
        MetadataOutput output = new MetadataOutput(VERSION);
        output.writeLong(snapshotId);
        output.writeLong(schemaId);
        output.writeRow(partition);
        output.writeInt(bucket);
        output.writeInt(totalBuckets);
        output.writeList(sections, (target, section) -> target.writeList(section.runs(), (runTarget, run) -> runTarget.writeList(run, SplitFile::write)));
        output.writeBoolean(completeLevels);
        output.writeBoolean(mergeFree);
        return output.toBytes();
    }

    /**
     * The number of the split's bucket, without the rest.
     *
     * @throws IllegalArgumentException if the bytes are not a split of this version
     */
    public static int bucketOf(byte[] bytes)
    {
        MetadataInput input = new MetadataInput(VERSION, bytes);
        input.readLong();
        input.readLong();
        input.readRow();
        return input.readInt();
    }

    /**
     * @throws IllegalArgumentException if the bytes are not a split of this version
     */
    public static TableSplit fromBytes(byte[] bytes)
    {
        MetadataInput input = new MetadataInput(VERSION, bytes);
        TableSplit split = new TableSplit(
                input.readLong(),
                input.readLong(),
                input.readRow(),
                input.readInt(),
                input.readInt(),
                input.readList(source -> new Section(source.readList(runSource -> runSource.readList(SplitFile::read)))),
                input.readBoolean(),
                input.readBoolean());
        input.expectEnd();
        return split;
    }
}
