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
package io.lookup.storage.maintenance;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.lookup.storage.snapshot.Snapshot;

import java.util.List;
import java.util.Optional;
import java.util.Set;

import static java.util.Objects.requireNonNull;

/**
 * Data files that tags keep. A file lives through consecutive snapshots, so that of all tags before its deletion the newest one has it, or
 * none has.
 */
final class TaggedFiles
{
    private final List<Snapshot> tagged;
    private final FileReferences references;
    private long cachedTag = -1;
    private Set<String> cachedFiles = ImmutableSet.of();

    /**
     * @param tagged by ascending id
     */
    TaggedFiles(List<Snapshot> tagged, FileReferences references)
    {
        this.tagged = ImmutableList.copyOf(tagged);
        this.references = requireNonNull(references, "references is null");
    }

    /**
     * The files of the newest tag before a snapshot.
     */
    Set<String> before(long snapshotId)
    {
        Optional<Snapshot> tag = tagged.stream()
                .filter(snapshot -> snapshot.id() < snapshotId)
                .reduce((_, later) -> later);
        if (tag.isEmpty()) {
            return ImmutableSet.of();
        }
        if (tag.get().id() != cachedTag) {
            cachedFiles = references.liveDataFiles(tag.get());
            cachedTag = tag.get().id();
        }
        return cachedFiles;
    }

    /**
     * The tagged snapshots that may share manifests with snapshots in [begin, end): those among them, and the newest one before.
     */
    static List<Snapshot> overlapping(List<Snapshot> tagged, long begin, long end)
    {
        ImmutableList.Builder<Snapshot> overlapping = ImmutableList.builder();
        for (int index = 0; index < tagged.size(); index++) {
            boolean reachesIn = index + 1 == tagged.size() || tagged.get(index + 1).id() > begin;
            if (tagged.get(index).id() < end && reachesIn) {
                overlapping.add(tagged.get(index));
            }
        }
        return overlapping.build();
    }
}
