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
package io.lookup.storage.snapshot;

import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.ManifestFileMeta;
import io.lookup.storage.format.manifest.ManifestStore;

import java.util.List;
import java.util.function.Predicate;

/** The file set of a snapshot: all ADD entries whose identity no DELETE entry names (fact sheet 4.6). */
public final class LiveFiles
{
    public LiveFiles(ManifestStore manifests) { throw new UnsupportedOperationException(); }

    /** manifestFilter skips whole manifests (partition stats, bucket range), entryFilter single entries; both must be safe to skip by */
    public List<ManifestEntry> liveFiles(Snapshot snapshot, Predicate<ManifestFileMeta> manifestFilter, Predicate<ManifestEntry> entryFilter) { throw new UnsupportedOperationException(); }
    public List<ManifestEntry> deltaEntries(Snapshot snapshot, Predicate<ManifestFileMeta> manifestFilter, Predicate<ManifestEntry> entryFilter) { throw new UnsupportedOperationException(); }
    public List<ManifestEntry> changelogEntries(Snapshot snapshot, Predicate<ManifestFileMeta> manifestFilter, Predicate<ManifestEntry> entryFilter) { throw new UnsupportedOperationException(); }
    public List<ManifestFileMeta> manifests(Snapshot snapshot) { throw new UnsupportedOperationException(); }
}
