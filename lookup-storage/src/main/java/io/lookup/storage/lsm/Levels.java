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
import io.lookup.storage.StorageException;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.manifest.DataFileMeta;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.lookup.storage.StorageErrorCode.CORRUPT_FILE;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * The live files of one bucket by level. Level 0 holds runs of one file each, which may overlap, newest first; every
 * level from 1 on holds one run. A higher level holds older data. Immutable.
 */
public final class Levels
{
    /**
     * Newest first: the larger greatest sequence number, then the smaller least one, then the earlier creation, then the
     * name. Everything behind the first is there to tell files of concurrent writers apart, in the same way at each look.
     */
    public static final Comparator<DataFileMeta> LEVEL_0_ORDER = Comparator
            .comparing(DataFileMeta::maxSequenceNumber, Comparator.reverseOrder())
            .thenComparing(DataFileMeta::minSequenceNumber)
            .thenComparing(file -> file.creationTimeMillis().orElse(0))
            .thenComparing(DataFileMeta::fileName);

    private final KeyEncoder keyEncoder;
    private final List<DataFileMeta> level0;
    // level 1 first
    private final List<SortedRun> higherLevels;

    /**
     * @param numLevels levels that the table's options ask for, level 0 included; there are more if a file lies higher,
     * as after the option was lowered
     * @throws StorageException CORRUPT_FILE if files of a level from 1 on overlap
     */
    public Levels(List<DataFileMeta> files, int numLevels, KeyEncoder keyEncoder)
    {
        this.keyEncoder = requireNonNull(keyEncoder, "keyEncoder is null");
        int levelCount = Math.max(numLevels, files.stream().mapToInt(DataFileMeta::level).max().orElse(0) + 1);
        checkArgument(levelCount >= 2, "an LSM tree needs 2 levels at least");
        level0 = files.stream()
                .filter(file -> file.level() == 0)
                .sorted(LEVEL_0_ORDER)
                .collect(toImmutableList());
        List<List<DataFileMeta>> byLevel = new ArrayList<>();
        for (int level = 1; level < levelCount; level++) {
            byLevel.add(new ArrayList<>());
        }
        for (DataFileMeta file : files) {
            if (file.level() > 0) {
                byLevel.get(file.level() - 1).add(file);
            }
        }
        ImmutableList.Builder<SortedRun> runs = ImmutableList.builder();
        for (int level = 1; level < levelCount; level++) {
            runs.add(sortedRun(level, byLevel.get(level - 1), keyEncoder));
        }
        higherLevels = runs.build();
    }

    /**
     * The runs that hold files, newest first: each file of level 0, then the levels from 1 on.
     */
    public List<SortedRun> sortedRuns()
    {
        ImmutableList.Builder<SortedRun> runs = ImmutableList.builder();
        level0.forEach(file -> runs.add(SortedRun.of(file)));
        higherLevels.stream()
                .filter(run -> !run.isEmpty())
                .forEach(runs::add);
        return runs.build();
    }

    public int numberOfLevels()
    {
        return higherLevels.size() + 1;
    }

    public int maxLevel()
    {
        return higherLevels.size();
    }

    /**
     * The highest level that holds a file, -1 if none does.
     */
    public int nonEmptyHighestLevel()
    {
        for (int level = maxLevel(); level > 0; level--) {
            if (!level(level).isEmpty()) {
                return level;
            }
        }
        return level0.isEmpty() ? -1 : 0;
    }

    /**
     * Files of level 0, newest first.
     */
    public List<DataFileMeta> level0()
    {
        return level0;
    }

    /**
     * The run of a level from 1 on, often empty.
     */
    public SortedRun level(int level)
    {
        checkArgument(level >= 1 && level <= maxLevel(), "no run of level %s", level);
        return higherLevels.get(level - 1);
    }

    public List<DataFileMeta> allFiles()
    {
        ImmutableList.Builder<DataFileMeta> files = ImmutableList.builder();
        files.addAll(level0);
        higherLevels.forEach(run -> files.addAll(run.files()));
        return files.build();
    }

    /**
     * The levels after a compaction: files are known by level and name, so an upgrade names the file in both lists.
     *
     * @throws IllegalArgumentException if a file of {@code before} is not there
     */
    public Levels update(Collection<DataFileMeta> before, Collection<DataFileMeta> after)
    {
        Set<LevelAndName> removed = new HashSet<>();
        before.forEach(file -> removed.add(LevelAndName.of(file)));
        List<DataFileMeta> files = new ArrayList<>();
        for (DataFileMeta file : allFiles()) {
            if (!removed.remove(LevelAndName.of(file))) {
                files.add(file);
            }
        }
        checkArgument(removed.isEmpty(), "files to remove are not in the tree: %s", removed);
        files.addAll(after);
        return new Levels(files, numberOfLevels(), keyEncoder);
    }

    private static SortedRun sortedRun(int level, List<DataFileMeta> files, KeyEncoder keyEncoder)
    {
        List<KeyRange> ranges = KeyRange.sorted(files, keyEncoder);
        for (int i = 1; i < ranges.size(); i++) {
            if (ranges.get(i - 1).max().compareTo(ranges.get(i).min()) >= 0) {
                throw new StorageException(CORRUPT_FILE, format(
                        "Files %s and %s of level %s overlap: a writer has broken the bucket, and a full compaction by the engine that wrote it is due",
                        ranges.get(i - 1).file().fileName(),
                        ranges.get(i).file().fileName(),
                        level));
            }
        }
        return new SortedRun(level, ranges.stream().map(KeyRange::file).collect(toImmutableList()));
    }

    private record LevelAndName(int level, String name)
    {
        static LevelAndName of(DataFileMeta file)
        {
            return new LevelAndName(file.level(), file.fileName());
        }
    }
}
