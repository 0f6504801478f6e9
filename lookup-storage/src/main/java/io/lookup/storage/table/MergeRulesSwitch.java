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
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.lsm.LevelCompleteness;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.MergeRules;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.LiveFiles;
import io.lookup.storage.snapshot.Snapshot;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Whether an option that says how the versions of a key are merged may be changed now. It may where none wait to be merged: in buckets with one run,
 * and in tables that look up also in those without level 0, since a record above it is its key's whole state. What -U and -D records do may change
 * where none of them wait.
 */
final class MergeRulesSwitch
{
    private final String tableName;
    private final TablePaths paths;
    private final LiveFiles liveFiles;
    private final SchemaManager schemas;

    MergeRulesSwitch(String tableName, TablePaths paths, LiveFiles liveFiles, SchemaManager schemas)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.paths = requireNonNull(paths, "paths is null");
        this.liveFiles = requireNonNull(liveFiles, "liveFiles is null");
        this.schemas = requireNonNull(schemas, "schemas is null");
    }

    /**
     * @throws StorageException INVALID_OPTION naming the option, the bucket and what to do
     */
    void check(Snapshot latest, TableSchema before, TableSchema after)
    {
        CoreOptions optionsBefore = new CoreOptions(before.options());
        CoreOptions optionsAfter = new CoreOptions(after.options());
        boolean looksUpAfterwards = optionsBefore.needLookup() && optionsAfter.needLookup();
        Set<String> changes = new TreeSet<>(MergeRules.changes(before, after));
        if (optionsBefore.needLookup() && !optionsAfter.needLookup() && (optionsAfter.ignoreDelete() || optionsAfter.ignoreUpdateBefore())) {
            // lookups leave deletes in the middle levels; without them these would be read, and ignored
            changes.add(CoreOptions.CHANGELOG_PRODUCER);
        }
        if (changes.isEmpty()) {
            return;
        }
        Map<BucketId, List<DataFileMeta>> buckets = new LinkedHashMap<>();
        liveFiles.liveFiles(latest, _ -> true, _ -> true).forEach(entry -> buckets.computeIfAbsent(BucketId.of(entry), _ -> new ArrayList<>()).add(entry.file()));
        buckets.forEach((bucket, files) -> {
            if (!isMerged(files, before, looksUpAfterwards)) {
                changes.forEach(key -> check(key, bucket, files, before, after));
            }
        });
    }

    private void check(String key, BucketId bucket, List<DataFileMeta> files, TableSchema before, TableSchema after)
    {
        boolean retractions = MergeRules.isOfRetractions(key);
        for (DataFileMeta file : files) {
            boolean waits = retractions ?
                    file.deleteRowCount().orElse(1) > 0 :
                    MergeRules.concerns(key, before, after, schemas.schema(file.schemaId()));
            if (waits) {
                throw new StorageException(StorageErrorCode.INVALID_OPTION, format(
                        "Option '%s' of table %s cannot be changed now: rows that others have written would change, since %s of file %s in bucket %s%s wait to be merged; compact the table first (ALTER TABLE … EXECUTE optimize), with nobody writing to it, then change the option",
                        key,
                        tableName,
                        retractions ? "deletes" : "versions",
                        file.fileName(),
                        paths.partitionDirectory(bucket.partition()),
                        bucket.bucket()));
            }
        }
    }

    private boolean isMerged(List<DataFileMeta> files, TableSchema schema, boolean looksUp)
    {
        CoreOptions options = new CoreOptions(schema.options());
        NavigableSet<Integer> levels = new TreeSet<>();
        int runs = 0;
        for (DataFileMeta file : files) {
            if (levels.add(file.level()) || file.level() == 0) {
                runs++;
            }
        }
        if (runs <= 1) {
            return true;
        }
        return looksUp
                && !levels.contains(0)
                && LevelCompleteness.isProven(files, Math.max(options.compaction().numLevels() - 1, levels.last()), schema, options, schemas);
    }
}
