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
import io.lookup.storage.format.manifest.DataFileMeta;

import java.util.List;

import static com.google.common.base.Preconditions.checkArgument;

/**
 * What one compaction takes and where it puts it.
 *
 * @param outputLevel never 0
 * @param files files of the newest runs, newest run first
 * @param rewriteEachFile whether each file is to be rewritten by itself, whatever its size: files of the highest level
 * that hold dead rows
 */
public record CompactionUnit(int outputLevel, List<DataFileMeta> files, boolean rewriteEachFile)
{
    public CompactionUnit
    {
        checkArgument(outputLevel > 0, "a compaction never outputs to level 0");
        files = ImmutableList.copyOf(files);
        checkArgument(!files.isEmpty(), "a compaction needs a file");
    }

    public CompactionUnit(int outputLevel, List<DataFileMeta> files)
    {
        this(outputLevel, files, false);
    }

    static CompactionUnit ofRuns(int outputLevel, List<SortedRun> runs)
    {
        return new CompactionUnit(outputLevel, runs.stream().flatMap(run -> run.files().stream()).toList());
    }

    /**
     * Whether the unit is one file that lies where it should go.
     */
    boolean isInPlace()
    {
        return files.size() == 1 && files.getFirst().level() == outputLevel;
    }
}
