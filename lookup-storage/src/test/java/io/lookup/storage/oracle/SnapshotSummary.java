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

import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * What a snapshot says of itself. Counts are physical rows of files.
 *
 * @param kind {@code APPEND}, {@code COMPACT}, {@code OVERWRITE} or {@code ANALYZE}
 * @param changelogRecordCount empty for a snapshot without changelog files
 */
public record SnapshotSummary(
        long id,
        String kind,
        long totalRecordCount,
        long deltaRecordCount,
        OptionalLong changelogRecordCount,
        long schemaId)
{
    public SnapshotSummary
    {
        requireNonNull(kind, "kind is null");
        requireNonNull(changelogRecordCount, "changelogRecordCount is null");
    }
}
