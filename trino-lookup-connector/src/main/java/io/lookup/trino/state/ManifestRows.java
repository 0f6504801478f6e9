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

import io.lookup.storage.format.PartitionPaths;
import io.lookup.storage.format.manifest.ManifestFileMeta;
import io.lookup.storage.format.row.BinaryRow;

import java.util.OptionalLong;

import static io.airlift.slice.Slices.utf8Slice;

/**
 * Rows of {@code "t$manifests"}: the manifests of one snapshot.
 */
final class ManifestRows
{
    private ManifestRows() {}

    /**
     * @return the native value of a column, or null
     */
    static Object value(ManifestFileMeta manifest, PartitionPaths partitions, String column)
    {
        return switch (column) {
            case "file_name" -> utf8Slice(manifest.fileName());
            case "file_size" -> manifest.fileSize();
            case "num_added_files" -> manifest.addedFiles();
            case "num_deleted_files" -> manifest.deletedFiles();
            case "schema_id" -> manifest.schemaId();
            case "min_partition_stats" -> bounds(manifest.partitionStats().minValues(), partitions);
            case "max_partition_stats" -> bounds(manifest.partitionStats().maxValues(), partitions);
            case "min_row_id" -> boxed(manifest.minRowId());
            case "max_row_id" -> boxed(manifest.maxRowId());
            default -> throw new IllegalArgumentException("Unknown column " + column);
        };
    }

    private static Object bounds(BinaryRow values, PartitionPaths partitions)
    {
        return utf8Slice(partitions.braces(values));
    }

    private static Long boxed(OptionalLong value)
    {
        return value.isPresent() ? value.getAsLong() : null;
    }
}
