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
package io.lookup.storage.lsm;

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slice;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.manifest.DataFileMeta;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Cuts files into sections whose key ranges do not meet, and each section into as few sorted runs as it takes, so that a
 * merge reads no more runs at once than overlap somewhere.
 */
public final class IntervalPartition
{
    private IntervalPartition() {}

    /**
     * @return sections in ascending key order, each a list of runs in no order that says which is newer
     */
    public static List<List<SortedRun>> sections(List<DataFileMeta> files, KeyEncoder keyEncoder)
    {
        ImmutableList.Builder<List<SortedRun>> sections = ImmutableList.builder();
        List<KeyRange> section = new ArrayList<>();
        Slice bound = null;
        for (KeyRange range : KeyRange.sorted(files, keyEncoder)) {
            if (bound != null && range.min().compareTo(bound) > 0) {
                sections.add(runs(section));
                section.clear();
                bound = null;
            }
            section.add(range);
            if (bound == null || range.max().compareTo(bound) > 0) {
                bound = range.max();
            }
        }
        if (!section.isEmpty()) {
            sections.add(runs(section));
        }
        return sections.build();
    }

    private static List<SortedRun> runs(List<KeyRange> section)
    {
        // the run that ends first takes the next file if any run can
        PriorityQueue<List<KeyRange>> runs = new PriorityQueue<>(Comparator.comparing(run -> run.getLast().max()));
        for (KeyRange range : section) {
            List<KeyRange> run = runs.peek();
            if (run != null && range.min().compareTo(run.getLast().max()) > 0) {
                runs.remove();
            }
            else {
                run = new ArrayList<>();
            }
            run.add(range);
            runs.add(run);
        }
        return runs.stream()
                .map(IntervalPartition::sortedRun)
                .collect(ImmutableList.toImmutableList());
    }

    private static SortedRun sortedRun(List<KeyRange> ranges)
    {
        int level = ranges.getFirst().file().level();
        boolean sameLevel = ranges.stream().allMatch(range -> range.file().level() == level);
        return new SortedRun(
                sameLevel ? level : SortedRun.MIXED_LEVELS,
                ranges.stream().map(KeyRange::file).toList());
    }
}
