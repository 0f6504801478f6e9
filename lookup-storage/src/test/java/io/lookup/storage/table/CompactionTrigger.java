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

import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.schema.CompactionOptions;
import io.lookup.storage.snapshot.Snapshot;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.stream.Collectors.groupingBy;

/**
 * Why a bucket was compacted, by the rules of the format alone; runs of a few rows are compared by rows.
 */
enum CompactionTrigger
{
    OPTIMIZATION_INTERVAL,
    TOTAL_SIZE,
    INCREMENTAL_SIZE,
    SIZE_AMPLIFICATION,
    SIZE_RATIO,
    FILE_NUMBER;

    /**
     * The triggers of a statement's compactions, one for each bucket that a trigger has brought to be compacted.
     */
    static List<CompactionTrigger> of(StorageTable table, Snapshot append, Snapshot compact)
    {
        Map<BucketId, List<ManifestEntry>> before = table.liveFiles().liveFiles(append, _ -> true, _ -> true).stream()
                .collect(groupingBy(BucketId::of));
        List<CompactionTrigger> triggers = new ArrayList<>();
        table.liveFiles().deltaEntries(compact, _ -> true, _ -> true).stream()
                .filter(entry -> entry.kind() == FileKind.DELETE)
                .map(BucketId::of)
                .distinct()
                .forEach(bucket -> of(table.options().compaction(), before.get(bucket).stream().map(ManifestEntry::file).toList()).ifPresent(triggers::add));
        return triggers;
    }

    private static Optional<CompactionTrigger> of(CompactionOptions options, List<DataFileMeta> files)
    {
        List<Run> runs = runs(files);
        int maxLevel = options.numLevels() - 1;
        if (runs.size() > 1) {
            if (options.optimizationInterval().isPresent()) {
                return Optional.of(OPTIMIZATION_INTERVAL);
            }
            if (options.totalSizeThresholdBytes().isPresent() && runs.stream().mapToLong(Run::bytes).sum() < options.totalSizeThresholdBytes().getAsLong()) {
                return Optional.of(TOTAL_SIZE);
            }
            if (options.incrementalSizeThresholdBytes().isPresent()
                    && runs.stream().filter(run -> run.level() != maxLevel).mapToLong(Run::bytes).sum() > options.incrementalSizeThresholdBytes().getAsLong()) {
                return Optional.of(INCREMENTAL_SIZE);
            }
        }
        if (runs.size() < options.trigger()) {
            return Optional.empty();
        }
        if (runs.subList(0, runs.size() - 1).stream().mapToLong(Run::rows).sum() * 100 > options.maxSizeAmplificationPercent() * runs.getLast().rows()) {
            return Optional.of(SIZE_AMPLIFICATION);
        }
        if (runs.size() > 1 && runs.getFirst().rows() * (100.0 + options.sizeRatio()) / 100.0 >= runs.get(1).rows()) {
            return Optional.of(SIZE_RATIO);
        }
        return runs.size() > options.trigger() ? Optional.of(FILE_NUMBER) : Optional.empty();
    }

    private static List<Run> runs(List<DataFileMeta> files)
    {
        List<Run> runs = new ArrayList<>(files.stream()
                .filter(file -> file.level() == 0)
                .sorted(Comparator.comparing(DataFileMeta::maxSequenceNumber).reversed())
                .map(file -> new Run(0, file.rowCount(), file.fileSize()))
                .collect(toImmutableList()));
        Map<Integer, Run> levels = new TreeMap<>();
        files.stream()
                .filter(file -> file.level() > 0)
                .forEach(file -> levels.merge(file.level(), new Run(file.level(), file.rowCount(), file.fileSize()), Run::plus));
        runs.addAll(levels.values());
        return runs;
    }

    private record Run(int level, long rows, long bytes)
    {
        private Run plus(Run other)
        {
            return new Run(level, rows + other.rows, bytes + other.bytes);
        }
    }
}
