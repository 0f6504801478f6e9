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
package io.lookup.storage.oracle;

import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.deletionvectors.BitmapDeletionVector;
import org.apache.paimon.deletionvectors.append.BaseAppendDeleteFileMaintainer;
import org.apache.paimon.index.IndexFileMeta;
import org.apache.paimon.io.CompactIncrement;
import org.apache.paimon.io.DataIncrement;
import org.apache.paimon.manifest.FileKind;
import org.apache.paimon.manifest.IndexManifestEntry;
import org.apache.paimon.manifest.ManifestEntry;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.table.sink.CommitMessageImpl;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * Deletes rows of tables without a primary key by deletion vectors, as Spark's DELETE does.
 */
final class PaimonRowDeletion
{
    private PaimonRowDeletion() {}

    private record Bucket(BinaryRow partition, int bucket) {}

    /**
     * One commit that deletes the row at this position of each data file.
     */
    static void delete(FileStoreTable table, long position)
            throws Exception
    {
        Map<Bucket, BaseAppendDeleteFileMaintainer> maintainers = new LinkedHashMap<>();
        for (ManifestEntry entry : table.store().newScan().plan().files()) {
            BitmapDeletionVector deleted = new BitmapDeletionVector();
            deleted.delete(position);
            maintainers.computeIfAbsent(new Bucket(entry.partition(), entry.bucket()), bucket -> maintainer(table, bucket))
                    .notifyNewDeletionVector(entry.fileName(), deleted);
        }
        List<CommitMessage> messages = new ArrayList<>();
        maintainers.forEach((bucket, maintainer) -> {
            List<IndexManifestEntry> files = maintainer.persist();
            DataIncrement increment = new DataIncrement(List.of(), List.of(), List.of(), files(files, FileKind.ADD), files(files, FileKind.DELETE));
            messages.add(new CommitMessageImpl(bucket.partition(), bucket.bucket(), null, increment, CompactIncrement.emptyIncrement()));
        });
        try (BatchTableCommit commit = table.newBatchWriteBuilder().newCommit()) {
            commit.commit(messages);
        }
    }

    private static BaseAppendDeleteFileMaintainer maintainer(FileStoreTable table, Bucket bucket)
    {
        if (table.bucketMode() == BucketMode.BUCKET_UNAWARE) {
            return BaseAppendDeleteFileMaintainer.forUnawareAppend(table.store().newIndexFileHandler(), table.snapshotManager().latestSnapshot(), bucket.partition());
        }
        return BaseAppendDeleteFileMaintainer.forBucketedAppend(table.store().newIndexFileHandler(), table.snapshotManager().latestSnapshot(), bucket.partition(), bucket.bucket());
    }

    private static List<IndexFileMeta> files(List<IndexManifestEntry> entries, FileKind kind)
    {
        return entries.stream()
                .filter(entry -> entry.kind() == kind)
                .map(IndexManifestEntry::indexFile)
                .collect(toImmutableList());
    }
}
