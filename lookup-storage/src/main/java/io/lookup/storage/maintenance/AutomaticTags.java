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

import io.airlift.log.Logger;
import io.lookup.storage.schema.RetentionOptions;
import io.lookup.storage.schema.TagOptions;
import io.lookup.storage.schema.TagOptions.Creation;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;
import io.lookup.storage.snapshot.Tag;
import io.lookup.storage.snapshot.TagManager;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * The tags that a commit makes by itself: the first snapshot after the end of a period, and its delay, is tagged with the period's name.
 * Snapshots that other writers made since the last such tag are looked at too, so that it does not matter who commits next.
 */
final class AutomaticTags
{
    private static final Logger log = Logger.get(AutomaticTags.class);

    private final String tableName;
    private final TagOptions options;
    private final RetentionOptions retention;
    private final SnapshotManager snapshots;
    private final TagManager tags;
    private final Consumer<Tag> removal;

    /**
     * @param removal deletes a tag, and the files that only it kept
     */
    AutomaticTags(String tableName, TagOptions options, RetentionOptions retention, SnapshotManager snapshots, TagManager tags, Consumer<Tag> removal)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.options = requireNonNull(options, "options is null");
        this.retention = requireNonNull(retention, "retention is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.tags = requireNonNull(tags, "tags is null");
        this.removal = requireNonNull(removal, "removal is null");
    }

    void create()
    {
        Creation creation = options.creation();
        if (creation != Creation.PROCESS_TIME && creation != Creation.WATERMARK) {
            return;
        }
        OptionalLong latest = snapshots.latestId();
        OptionalLong earliest = snapshots.earliestId();
        if (latest.isEmpty() || earliest.isEmpty()) {
            return;
        }
        TagPeriod period = TagPeriod.of(options);
        List<Tag> known = periodTags(period);
        long next = earliest.getAsLong();
        Optional<LocalDateTime> nextBegin = Optional.empty();
        if (!known.isEmpty()) {
            next = Math.max(next, known.getLast().snapshot().id() + 1);
            nextBegin = period.begin(known.getLast().name()).map(begin -> begin.plus(period.length()));
        }
        while (next <= latest.getAsLong()) {
            Optional<Snapshot> due = firstDue(next, latest.getAsLong(), nextBegin.map(begin -> begin.plus(period.length())));
            if (due.isEmpty()) {
                return;
            }
            LocalDateTime begin = period.lastCompleted(time(due.get()).orElseThrow());
            if (options.completes() && nextBegin.isPresent()) {
                begin = nextBegin.get();
            }
            if (tags.create(period.name(begin), due.get(), retention.tagDefaultTimeRetained())) {
                log.info("Table %s: tagged snapshot %s as '%s'", tableName, due.get().id(), period.name(begin));
            }
            removeOldest(period);
            nextBegin = Optional.of(begin.plus(period.length()));
            next = due.get().id() + 1;
        }
    }

    /**
     * The first snapshot whose time has come. Times never go back, so that most are not looked at.
     *
     * @param end of the period that is to be tagged; empty if any is
     */
    private Optional<Snapshot> firstDue(long from, long to, Optional<LocalDateTime> end)
    {
        Optional<Snapshot> found = snapshots.find(to).filter(snapshot -> isDue(snapshot, end));
        if (found.isEmpty()) {
            return Optional.empty();
        }
        long low = from;
        long high = to;
        while (low < high) {
            long middle = (low + high) >>> 1;
            Optional<Snapshot> snapshot = snapshots.find(middle);
            if (snapshot.isPresent() && isDue(snapshot.get(), end)) {
                found = snapshot;
                high = middle;
            }
            else {
                low = middle + 1;
            }
        }
        return found;
    }

    private boolean isDue(Snapshot snapshot, Optional<LocalDateTime> end)
    {
        Optional<LocalDateTime> time = time(snapshot);
        return time.isPresent() && (end.isEmpty() || !time.get().minus(options.delay()).isBefore(end.get()));
    }

    private Optional<LocalDateTime> time(Snapshot snapshot)
    {
        if (options.creation() == Creation.PROCESS_TIME) {
            return Optional.of(local(snapshot.timeMillis()));
        }
        // what a stream without a watermark says
        return snapshot.watermark().isPresent() && snapshot.watermark().getAsLong() != Long.MIN_VALUE ?
                Optional.of(local(snapshot.watermark().getAsLong())) :
                Optional.empty();
    }

    private LocalDateTime local(long epochMillis)
    {
        return LocalDateTime.ofInstant(Instant.ofEpochMilli(epochMillis), options.zone());
    }

    private List<Tag> periodTags(TagPeriod period)
    {
        return snapshots.tags().stream()
                .filter(tag -> period.begin(tag.name()).isPresent())
                .sorted(Comparator.comparingLong((Tag tag) -> tag.snapshot().id()).thenComparing(Tag::name))
                .collect(toImmutableList());
    }

    private void removeOldest(TagPeriod period)
    {
        if (options.maxRetained().isPresent()) {
            List<Tag> known = periodTags(period);
            known.stream().limit(Math.max(0, known.size() - options.maxRetained().getAsInt())).forEach(removal);
        }
    }

    /**
     * Removes tags, however they were made, whose time to live has passed.
     */
    void expire(LocalDateTime now)
    {
        if (!options.expires()) {
            return;
        }
        for (Tag tag : snapshots.tags()) {
            if (tag.createTime().isPresent() && tag.timeRetained().isPresent() && Duration.between(tag.createTime().get(), now).compareTo(tag.timeRetained().get()) > 0) {
                log.info("Table %s: tag '%s' is older than %s, and is removed", tableName, tag.name(), tag.timeRetained().get());
                removal.accept(tag);
            }
        }
    }
}
