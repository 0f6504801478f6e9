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
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.snapshot.CommitKind;
import io.lookup.storage.snapshot.StatisticsFiles;
import io.lookup.storage.snapshot.StoredStatistics;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Publishes what an ANALYZE found as an ANALYZE snapshot, which changes nothing else. Statements that write meanwhile are no
 * conflict: the statistics say which snapshot they are of.
 */
public final class StatisticsCommitter
{
    private final String tableName;
    private final SchemaCheck schemaCheck;
    private final SnapshotPublisher publisher;
    private final StatisticsFiles files;

    public StatisticsCommitter(CommitTarget target)
    {
        this.tableName = target.tableName();
        this.schemaCheck = target.schemaCheck();
        this.publisher = target.publisher();
        this.files = new StatisticsFiles(target.fileIo(), target.paths().statisticsDirectory());
    }

    /**
     * @param properties of the snapshot
     * @return id of the snapshot
     * @throws StorageException COMMIT_CONFLICT if the table's columns have changed, or it has been emptied of snapshots: nothing was
     * published; COMMIT_FAILED and the file system's errors otherwise
     */
    public long commit(StoredStatistics statistics, Map<String, String> properties)
    {
        return UninterruptibleCall.call("analyze-" + tableName, () -> publish(statistics, properties));
    }

    private long publish(StoredStatistics statistics, Map<String, String> properties)
    {
        List<String> written = new ArrayList<>();
        long[] writtenSchema = {-1};
        try {
            long id = publisher.publish(new SnapshotPublisher.Publication(CommitKind.ANALYZE, UUID.randomUUID().toString(), properties, latest -> {
                if (latest.isEmpty() || latest.get().id() < statistics.snapshotId()) {
                    throw new StorageException(StorageErrorCode.COMMIT_CONFLICT, "Table %s was rolled back or created again while it was analyzed; nothing was committed, run the statement again".formatted(tableName));
                }
                // readers carry statistics on for as long as the schema version is the one that they name
                long schemaId = schemaCheck.latestCompatible();
                if (schemaId != writtenSchema[0]) {
                    written.add(files.write(statistics.withSchema(schemaId)));
                    writtenSchema[0] = schemaId;
                }
                return Optional.of(new SnapshotPublisher.Prepared(
                        new CommitChanges(ImmutableList.of(), ImmutableList.of()),
                        schemaId,
                        IndexUpdate.NONE,
                        Optional.of(written.getLast())));
            })).orElseThrow();
            written.subList(0, written.size() - 1).forEach(files::discard);
            return id;
        }
        catch (StorageException e) {
            // of other failures the outcome may be unknown
            if (e.errorCode() == StorageErrorCode.COMMIT_CONFLICT) {
                written.forEach(files::discard);
            }
            throw e;
        }
        finally {
            publisher.writeHint();
        }
    }
}
