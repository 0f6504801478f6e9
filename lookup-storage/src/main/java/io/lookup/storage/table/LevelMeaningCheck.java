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

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.MergeEngine;
import io.lookup.storage.snapshot.LiveFiles;
import io.lookup.storage.snapshot.Snapshot;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Whether the files of a table still mean the same after its options change. Under a table that looks up, a record above
 * level 0 is its key's complete state. If the table ceases to look up, every engine takes the records of all levels for
 * increments, and would count what stands in two of them twice. The newest version, on the other hand, stays the newest.
 */
final class LevelMeaningCheck
{
    private final String tableName;
    private final TablePaths paths;
    private final LiveFiles liveFiles;

    LevelMeaningCheck(String tableName, TablePaths paths, LiveFiles liveFiles)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.paths = requireNonNull(paths, "paths is null");
        this.liveFiles = requireNonNull(liveFiles, "liveFiles is null");
    }

    /**
     * @throws StorageException INVALID_OPTION if the table must be compacted first
     */
    void check(CoreOptions before, CoreOptions after, Snapshot latest)
    {
        boolean versions = before.mergeEngine() == MergeEngine.DEDUPLICATE || before.mergeEngine() == MergeEngine.FIRST_ROW;
        if (versions || !before.needLookup() || after.needLookup()) {
            return;
        }
        Map<BucketId, Integer> levels = new HashMap<>();
        liveFiles.liveFiles(latest, _ -> true, entry -> entry.file().level() > 0).forEach(entry -> {
            Integer other = levels.putIfAbsent(BucketId.of(entry), entry.file().level());
            if (other != null && other != entry.file().level()) {
                throw new StorageException(StorageErrorCode.INVALID_OPTION, format(
                        "Option '%s' of table %s cannot be changed from %s to %s yet: bucket %s of partition '%s' holds states of merge-engine %s at levels %s and %s, which would be added up; run ALTER TABLE ... EXECUTE optimize first",
                        CoreOptions.CHANGELOG_PRODUCER,
                        tableName,
                        text(before.changelogProducer()),
                        text(after.changelogProducer()),
                        entry.bucket(),
                        paths.partitionDirectory(entry.partition()),
                        text(before.mergeEngine()),
                        other,
                        entry.file().level()));
            }
        });
    }

    private static String text(Enum<?> value)
    {
        return value.name().toLowerCase(Locale.ENGLISH).replace('_', '-');
    }
}
