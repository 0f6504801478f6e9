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
import io.airlift.slice.Slice;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.snapshot.CommitKind;
import io.lookup.storage.snapshot.Snapshot;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * What must hold of every snapshot before it is published: plain predicates over
 * the live files before and the entries of the commit. Each names the damage it prevents.
 */
final class CommitInvariants
{
    private final Optional<KeyEncoder> keyEncoder;

    /**
     * @param keyEncoder of the trimmed primary key; empty for an append-only table, which has no levels
     */
    CommitInvariants(Optional<KeyEncoder> keyEncoder)
    {
        this.keyEncoder = requireNonNull(keyEncoder, "keyEncoder is null");
    }

    enum Rule
    {
        /** rows of one key would be found in two buckets */
        ONE_BUCKET_COUNT(true),
        /** expiration would delete an upgraded file that is live */
        DELETES_FIRST(false),
        /** a file would be counted and read twice */
        ADDED_ONCE(false),
        /** the file is live already, or its DELETE hides the new one */
        ADDED_IS_NEW(true),
        /** a concurrent commit took the file away, and its rows would come back */
        DELETED_IS_LIVE(true),
        /** readers take the files of a level as one sorted run */
        LEVEL_IS_ONE_RUN(true),
        /** time travel by instant searches in commit order */
        TIME_GROWS(false),
        /** counts are read instead of files */
        COUNTS_ADD_UP(false),
        /**/;

        private final boolean concurrent;

        Rule(boolean concurrent)
        {
            this.concurrent = concurrent;
        }

        /**
         * Whether another commit can be the reason, rather than a defect of the engine.
         */
        boolean concurrent()
        {
            return concurrent;
        }
    }

    record Violation(Rule rule, Optional<BucketId> bucket, String detail) {}

    /**
     * @param live all live files of the partitions that the changes touch
     */
    Optional<Violation> check(CommitKind kind, List<ManifestEntry> live, List<ManifestEntry> changes)
    {
        Optional<Violation> violation = checkOrder(changes);
        if (violation.isPresent()) {
            return violation;
        }
        if (kind != CommitKind.OVERWRITE) {
            violation = checkBucketCount(live, changes);
            if (violation.isPresent()) {
                return violation;
            }
        }
        Map<ManifestEntry.Identity, ManifestEntry> after = new LinkedHashMap<>();
        live.forEach(entry -> after.put(entry.identity(), entry));
        violation = apply(after, changes);
        if (violation.isPresent()) {
            return violation;
        }
        return checkLevels(after.values(), changes);
    }

    private static Optional<Violation> checkOrder(List<ManifestEntry> changes)
    {
        boolean added = false;
        for (ManifestEntry entry : changes) {
            if (entry.kind() == FileKind.ADD) {
                added = true;
            }
            else if (added) {
                return violation(Rule.DELETES_FIRST, entry, "file %s is deleted after a file was added", entry.file().fileName());
            }
        }
        return Optional.empty();
    }

    private static Optional<Violation> checkBucketCount(List<ManifestEntry> live, List<ManifestEntry> changes)
    {
        Map<BinaryRow, ManifestEntry> first = new HashMap<>();
        for (ManifestEntry entry : concat(live, changes)) {
            if (entry.totalBuckets() <= 0) {
                continue;
            }
            ManifestEntry known = first.putIfAbsent(entry.partition(), entry);
            if (known != null && known.totalBuckets() != entry.totalBuckets()) {
                return violation(Rule.ONE_BUCKET_COUNT, entry, "the partition has %s buckets and file %s was written for %s; overwrite the partition to change its bucket count",
                        known.totalBuckets(), entry.file().fileName(), entry.totalBuckets());
            }
        }
        return Optional.empty();
    }

    private static Optional<Violation> apply(Map<ManifestEntry.Identity, ManifestEntry> files, List<ManifestEntry> changes)
    {
        Set<ManifestEntry.Identity> added = new HashSet<>();
        Set<ManifestEntry.Identity> deleted = new HashSet<>();
        for (ManifestEntry entry : changes) {
            ManifestEntry.Identity identity = entry.identity();
            if (entry.kind() == FileKind.DELETE) {
                if (files.remove(identity) == null) {
                    return violation(Rule.DELETED_IS_LIVE, entry, "file %s at level %s is not live any more", entry.file().fileName(), entry.file().level());
                }
                deleted.add(identity);
                continue;
            }
            if (!added.add(identity)) {
                return violation(Rule.ADDED_ONCE, entry, "file %s is added twice", entry.file().fileName());
            }
            // the DELETE of the same identity, although it comes first, would hide the file for ever
            if (deleted.contains(identity) || files.putIfAbsent(identity, entry) != null) {
                return violation(Rule.ADDED_IS_NEW, entry, "file %s at level %s exists already", entry.file().fileName(), entry.file().level());
            }
        }
        return Optional.empty();
    }

    private Optional<Violation> checkLevels(Iterable<ManifestEntry> files, List<ManifestEntry> changes)
    {
        if (keyEncoder.isEmpty()) {
            return Optional.empty();
        }
        record Level(BucketId bucket, int level) {}

        record Bounds(Slice min, Slice max, ManifestEntry entry) {}

        Map<Level, List<Bounds>> levels = new LinkedHashMap<>();
        for (ManifestEntry entry : changes) {
            if (entry.kind() == FileKind.ADD && entry.file().level() > 0) {
                levels.put(new Level(BucketId.of(entry), entry.file().level()), new ArrayList<>());
            }
        }
        for (ManifestEntry entry : files) {
            List<Bounds> level = levels.get(new Level(BucketId.of(entry), entry.file().level()));
            if (level != null) {
                DataFileMeta file = entry.file();
                level.add(new Bounds(keyEncoder.get().encode(file.minKey()), keyEncoder.get().encode(file.maxKey()), entry));
            }
        }
        for (List<Bounds> level : levels.values()) {
            level.sort(Comparator.comparing(Bounds::min));
            for (int index = 1; index < level.size(); index++) {
                if (level.get(index - 1).max().compareTo(level.get(index).min()) >= 0) {
                    ManifestEntry entry = level.get(index).entry();
                    return violation(Rule.LEVEL_IS_ONE_RUN, entry, "files %s and %s of level %s overlap",
                            level.get(index - 1).entry().file().fileName(), entry.file().fileName(), entry.file().level());
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Whether a snapshot may follow another.
     */
    static Optional<Violation> checkSnapshot(Optional<Snapshot> previous, Snapshot next, CommitChanges changes)
    {
        if (previous.isPresent() && next.timeMillis() < previous.get().timeMillis()) {
            return Optional.of(new Violation(Rule.TIME_GROWS, Optional.empty(), format("commit time %s is before %s", next.timeMillis(), previous.get().timeMillis())));
        }
        long total = previous.map(Snapshot::totalRecordCount).orElse(0L) + changes.deltaRecordCount();
        if (next.totalRecordCount() != total || total < 0 || next.deltaRecordCount() != changes.deltaRecordCount()) {
            return Optional.of(new Violation(Rule.COUNTS_ADD_UP, Optional.empty(), format("the total is %s and the delta %s, expected %s and %s",
                    next.totalRecordCount(), next.deltaRecordCount(), total, changes.deltaRecordCount())));
        }
        if (next.changelogManifestList().isPresent() == changes.changelog().isEmpty() ||
                next.changelogRecordCount().orElse(0) != changes.changelogRecordCount()) {
            return Optional.of(new Violation(Rule.COUNTS_ADD_UP, Optional.empty(), format("the changelog count is %s, expected %s", next.changelogRecordCount(), changes.changelogRecordCount())));
        }
        return Optional.empty();
    }

    private static List<ManifestEntry> concat(List<ManifestEntry> first, List<ManifestEntry> second)
    {
        return ImmutableList.<ManifestEntry>builder().addAll(first).addAll(second).build();
    }

    private static Optional<Violation> violation(Rule rule, ManifestEntry entry, String detail, Object... arguments)
    {
        return Optional.of(new Violation(rule, Optional.of(BucketId.of(entry)), format(detail, arguments)));
    }
}
