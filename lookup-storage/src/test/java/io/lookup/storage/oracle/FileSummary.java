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
 * One data or changelog file as its manifest entry describes it.
 *
 * @param partition canonical text of the partition row, {@code ()} for an unpartitioned table
 * @param fileSize bytes
 * @param minKey canonical text of the smallest key, without partition columns, in primary-key order
 */
public record FileSummary(
        String fileName,
        String partition,
        int bucket,
        int level,
        long fileSize,
        long rowCount,
        OptionalLong deleteRowCount,
        long minSequenceNumber,
        long maxSequenceNumber,
        String minKey,
        String maxKey,
        long schemaId)
{
    public FileSummary
    {
        requireNonNull(fileName, "fileName is null");
        requireNonNull(partition, "partition is null");
        requireNonNull(deleteRowCount, "deleteRowCount is null");
        requireNonNull(minKey, "minKey is null");
        requireNonNull(maxKey, "maxKey is null");
    }
}
