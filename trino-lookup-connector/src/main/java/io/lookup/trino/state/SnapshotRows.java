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
package io.lookup.trino.state;

import io.lookup.storage.snapshot.Snapshot;
import io.lookup.trino.changes.SnapshotProperties;

import java.util.OptionalLong;

import static io.airlift.slice.Slices.utf8Slice;
import static io.trino.spi.type.Timestamps.MICROSECONDS_PER_MILLISECOND;

/**
 * Rows of {@code "t$snapshots"}.
 */
final class SnapshotRows
{
    private SnapshotRows() {}

    /**
     * @return the native value of a column, or null
     */
    static Object value(Snapshot snapshot, String column)
    {
        return switch (column) {
            case "snapshot_id" -> snapshot.id();
            case "schema_id" -> snapshot.schemaId();
            case "commit_user" -> utf8Slice(snapshot.commitUser());
            case "commit_identifier" -> snapshot.commitIdentifier();
            case "commit_kind" -> utf8Slice(snapshot.commitKind().name());
            case "commit_time" -> snapshot.timeMillis() * MICROSECONDS_PER_MILLISECOND;
            case "base_manifest_list" -> utf8Slice(snapshot.baseManifestList());
            case "delta_manifest_list" -> utf8Slice(snapshot.deltaManifestList());
            case "changelog_manifest_list" -> snapshot.changelogManifestList().map(name -> (Object) utf8Slice(name)).orElse(null);
            case "total_record_count" -> snapshot.totalRecordCount();
            case "delta_record_count" -> snapshot.deltaRecordCount();
            case "changelog_record_count" -> snapshot.changelogManifestList().isPresent() ? boxed(snapshot.changelogRecordCount()) : null;
            case "watermark" -> boxed(snapshot.watermark());
            case "next_row_id" -> boxed(snapshot.nextRowId());
            case "$query_id" -> SnapshotProperties.queryId(snapshot).map(text -> (Object) utf8Slice(text)).orElse(null);
            case "$user" -> SnapshotProperties.user(snapshot).map(text -> (Object) utf8Slice(text)).orElse(null);
            default -> throw new IllegalArgumentException("Unknown column " + column);
        };
    }

    private static Long boxed(OptionalLong value)
    {
        return value.isPresent() ? value.getAsLong() : null;
    }
}
