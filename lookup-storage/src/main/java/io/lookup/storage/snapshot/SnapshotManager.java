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

import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.TablePaths;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Finds, reads and publishes snapshots (fact sheet 1.5, 1.6, 3); also tags. Thread-safe. */
public final class SnapshotManager
{
    public SnapshotManager(FileIo fileIo, TablePaths paths) { throw new UnsupportedOperationException(); }

    public OptionalLong latestId() { throw new UnsupportedOperationException(); }
    public OptionalLong earliestId() { throw new UnsupportedOperationException(); }
    public Optional<Snapshot> latest() { throw new UnsupportedOperationException(); }
    /** SNAPSHOT_NOT_FOUND naming the retained range; CORRUPT_FILE for truncated or non-JSON */
    public Snapshot snapshot(long id) { throw new UnsupportedOperationException(); }
    /** ids in [from, to] that exist, ascending; long-lived changelog included if withChangelog and the snapshot is gone */
    public List<Snapshot> snapshots(long from, long to) { throw new UnsupportedOperationException(); }
    /** newest snapshot committed at or before the instant */
    public Optional<Snapshot> asOfTimeMillis(long timeMillis) { throw new UnsupportedOperationException(); }
    public Optional<Snapshot> tag(String name) { throw new UnsupportedOperationException(); }
    /** publishes atomically, then the LATEST hint; false if the id was taken */
    public boolean tryPublish(Snapshot snapshot) { throw new UnsupportedOperationException(); }
}
