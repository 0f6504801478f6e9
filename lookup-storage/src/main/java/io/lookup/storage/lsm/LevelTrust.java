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

import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.schema.CoreOptions;

import java.util.List;

import static java.util.Objects.requireNonNull;

/**
 * What the level of a file says of its rows in a bucket.
 *
 * @param complete whether records above level 0 are known to be their keys' complete states, where that matters, and
 * each key to have one that no deletion vector names, in a table whose readers do not merge
 * @param logged which files the log has told
 * @param settled whether these are the ones that the table's options say
 */
record LevelTrust(boolean complete, LoggedFiles logged, boolean settled)
{
    LevelTrust
    {
        requireNonNull(logged, "logged is null");
    }

    static LevelTrust of(BucketCompactor.Services services, List<DataFileMeta> liveFiles, Levels levels)
    {
        CoreOptions options = services.options();
        boolean complete = !options.needLookup()
                || LevelCompleteness.isProven(liveFiles, levels.maxLevel(), services.schema(), options, services.schemas());
        boolean marked = !options.deletionVectorsEnabled() || VectorCompleteness.isProven(liveFiles, services.schema(), options, services.schemas());
        LoggedFiles logged = new LoggedFiles(liveFiles, levels.maxLevel(), services.schema(), services.schemas());
        return new LevelTrust(complete && marked, logged, logged.areSettled());
    }

    /**
     * Whether a compaction must be a full one that leaves no record as it is.
     */
    boolean mergesAll()
    {
        return !complete || !settled;
    }
}
