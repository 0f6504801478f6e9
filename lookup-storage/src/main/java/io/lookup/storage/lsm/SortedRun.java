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
 * Files that hold each key at most once between them: one file of level 0, a whole level from 1 on, or a run that
 * {@link IntervalPartition} has put together of both.
 *
 * @param level level of the files, -1 where they come from several
 * @param files in ascending key order, their key ranges apart
 */
public record SortedRun(int level, List<DataFileMeta> files)
{
    public static final int MIXED_LEVELS = -1;

    public SortedRun
    {
        checkArgument(level >= MIXED_LEVELS, "level is negative");
        files = ImmutableList.copyOf(files);
    }

    public static SortedRun of(DataFileMeta file)
    {
        return new SortedRun(file.level(), ImmutableList.of(file));
    }

    public boolean isEmpty()
    {
        return files.isEmpty();
    }

    public long totalSize()
    {
        long size = 0;
        for (DataFileMeta file : files) {
            size += file.fileSize();
        }
        return size;
    }

    public long rowCount()
    {
        long rows = 0;
        for (DataFileMeta file : files) {
            rows += file.rowCount();
        }
        return rows;
    }
}
