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

import io.lookup.storage.snapshot.Tag;

import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

import static io.airlift.slice.Slices.utf8Slice;
import static io.trino.spi.type.Timestamps.MICROSECONDS_PER_MILLISECOND;

/**
 * Rows of {@code "t$tags"}.
 */
final class TagRows
{
    private TagRows() {}

    /**
     * @return the native value of a column, or null
     */
    static Object value(Tag tag, String column)
    {
        return switch (column) {
            case "tag_name" -> utf8Slice(tag.name());
            case "snapshot_id" -> tag.snapshot().id();
            case "schema_id" -> tag.snapshot().schemaId();
            case "commit_time" -> tag.snapshot().timeMillis() * MICROSECONDS_PER_MILLISECOND;
            case "record_count" -> tag.snapshot().totalRecordCount();
            case "create_time" -> tag.createTime().map(TagRows::micros).orElse(null);
            case "time_retained" -> tag.timeRetained().map(Duration::toString).map(text -> (Object) utf8Slice(text)).orElse(null);
            default -> throw new IllegalArgumentException("Unknown column " + column);
        };
    }

    private static Object micros(LocalDateTime time)
    {
        return time.toInstant(ZoneOffset.UTC).toEpochMilli() * MICROSECONDS_PER_MILLISECOND;
    }
}
