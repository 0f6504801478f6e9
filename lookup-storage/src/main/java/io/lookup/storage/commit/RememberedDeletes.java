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
package io.lookup.storage.commit;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.LookupCompactMode;
import io.lookup.storage.schema.CoreOptions.MergeEngine;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TableSchema;

import java.util.List;
import java.util.Optional;
import java.util.Set;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Deletes that wait at level 0 of a table with first values. A merge that meets the row that was there, its delete and a row that was inserted
 * later has seen a first value and takes no other, in every reader: the inserted row would have none for ever. So a delete has to be lifted
 * onto the state of its key before a row is inserted for it.
 */
final class RememberedDeletes
{
    private static final Set<String> FIRST_VALUES = ImmutableSet.of("first_value", "first_non_null_value", "first_not_null_value");

    private final String tableName;
    private final ConflictCheck conflictCheck;

    private RememberedDeletes(String tableName, ConflictCheck conflictCheck)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.conflictCheck = requireNonNull(conflictCheck, "conflictCheck is null");
    }

    /**
     * Empty for tables without first values, and for those whose deletes wait at level 0 by design: there DELETE is refused.
     */
    static Optional<RememberedDeletes> of(String tableName, TableSchema schema, CoreOptions options, ConflictCheck conflictCheck)
    {
        boolean removes = options.mergeEngine() == MergeEngine.PARTIAL_UPDATE || options.mergeEngine() == MergeEngine.AGGREGATION && options.aggregationRemoveRecordOnDelete();
        boolean lifts = options.needLookup() && options.compactsOnWrite() && options.lookupCompact() == LookupCompactMode.RADICAL;
        boolean first = schema.fields().stream()
                .map(DataField::name)
                .anyMatch(column -> options.aggregateFunction(column).filter(FIRST_VALUES::contains).isPresent());
        return removes && lifts && first ? Optional.of(new RememberedDeletes(tableName, conflictCheck)) : Optional.empty();
    }

    /**
     * @param live files of the partitions that are appended to
     * @throws StorageException COMMIT_CONFLICT if rows are inserted for keys whose deletes may wait
     */
    void check(List<ManifestEntry> appended, List<ManifestEntry> live)
    {
        for (ManifestEntry waiting : live) {
            if (waiting.file().level() != 0 || deleted(waiting.file()) == 0) {
                continue;
            }
            for (ManifestEntry entry : appended) {
                boolean inserts = entry.kind() == FileKind.ADD && entry.file().rowCount() > deleted(entry.file());
                if (inserts && BucketId.of(entry).equals(BucketId.of(waiting)) && conflictCheck.touches(ImmutableList.of(entry.file()), waiting.file())) {
                    throw new StorageException(StorageErrorCode.COMMIT_CONFLICT, format(
                            "Table %s, bucket %s: file %s holds deletes that no compaction has taken up yet, of keys that the statement may insert, and a first value cannot be taken back by what is inserted above them; " +
                                    "nothing was committed, compact the table (ALTER TABLE … EXECUTE optimize) and run the statement again",
                            tableName,
                            waiting.bucket(),
                            waiting.file().fileName()));
                }
            }
        }
    }

    private static long deleted(DataFileMeta file)
    {
        return file.deleteRowCount().orElse(0);
    }
}
