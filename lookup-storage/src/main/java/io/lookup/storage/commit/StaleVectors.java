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

import com.google.common.collect.ImmutableSet;
import io.lookup.storage.format.deletion.DeletionVectorIndex;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.IndexManifestEntry;
import io.lookup.storage.snapshot.LiveFiles;
import io.lookup.storage.snapshot.Snapshot;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

/**
 * Whether compactions know the deletion vectors that are there.
 */
final class StaleVectors
{
    private StaleVectors() {}

    /**
     * Buckets whose deletion vectors are not those that the compaction began with.
     */
    static Set<BucketId> find(List<CommitMessage> compacting, Snapshot latest, LiveFiles liveFiles)
    {
        if (compacting.stream().allMatch(message -> message.vectorChanges().isEmpty())) {
            return ImmutableSet.of();
        }
        DeletionVectorIndex index = liveFiles.deletionVectors(latest);
        return compacting.stream()
                .filter(message -> !message.vectorChanges().isEmpty())
                .filter(message -> !replacedFiles(message).equals(fileNames(index.bucket(TableCommitter.bucket(message)).files().stream())))
                .map(TableCommitter::bucket)
                .collect(toImmutableSet());
    }

    private static Set<String> replacedFiles(CommitMessage message)
    {
        return fileNames(message.vectorChanges().stream().filter(file -> file.kind() == FileKind.DELETE));
    }

    private static Set<String> fileNames(Stream<IndexManifestEntry> files)
    {
        return files.map(IndexManifestEntry::fileName).collect(toImmutableSet());
    }
}
