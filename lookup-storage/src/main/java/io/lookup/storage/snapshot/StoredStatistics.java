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

import com.google.common.collect.ImmutableMap;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * What an ANALYZE found, as in {@code statistics/stat-…}. Members and texts are those of the format.
 *
 * @param snapshotId the snapshot that was analyzed; the one that names this file is a later one
 * @param schemaId schema version of the columns; a commit under another one does not carry the statistics on
 * @param mergedRecordCount rows that a reader sees
 * @param mergedRecordSize bytes of the data files, as far as readers see their rows
 * @param columns by the name that the column had
 */
public record StoredStatistics(
        long snapshotId,
        long schemaId,
        OptionalLong mergedRecordCount,
        OptionalLong mergedRecordSize,
        Map<String, StoredColumn> columns)
{
    public StoredStatistics
    {
        requireNonNull(mergedRecordCount, "mergedRecordCount is null");
        requireNonNull(mergedRecordSize, "mergedRecordSize is null");
        columns = ImmutableMap.copyOf(columns);
    }

    public StoredStatistics withSchema(long schemaId)
    {
        return new StoredStatistics(snapshotId, schemaId, mergedRecordCount, mergedRecordSize, columns);
    }

    /**
     * Statistics of one column; each may be unknown.
     *
     * @param columnId id of the column, which stays when it is renamed
     * @param min smallest value as text: numbers as Java prints them, a date as its day since 1970, a time as its
     * millisecond, a timestamp as {@code 2025-06-30 12:00:00.123} in UTC
     * @param max likewise
     * @param averageLength bytes of a value
     * @param maxLength bytes of the longest value
     */
    public record StoredColumn(
            int columnId,
            OptionalLong distinctCount,
            Optional<String> min,
            Optional<String> max,
            OptionalLong nullCount,
            OptionalLong averageLength,
            OptionalLong maxLength)
    {
        public StoredColumn
        {
            requireNonNull(distinctCount, "distinctCount is null");
            requireNonNull(min, "min is null");
            requireNonNull(max, "max is null");
            requireNonNull(nullCount, "nullCount is null");
            requireNonNull(averageLength, "averageLength is null");
            requireNonNull(maxLength, "maxLength is null");
        }
    }
}
