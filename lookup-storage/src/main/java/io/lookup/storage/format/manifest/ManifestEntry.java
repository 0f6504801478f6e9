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
package io.lookup.storage.format.manifest;

import io.airlift.slice.Slice;
import io.lookup.storage.format.row.BinaryRow;

import java.util.List;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * One change of a table's file set.
 *
 * @param totalBuckets bucket count of the table when the file was written; -1 dynamic, -2 postponed
 */
public record ManifestEntry(FileKind kind, BinaryRow partition, int bucket, int totalBuckets, DataFileMeta file)
{
    public ManifestEntry
    {
        requireNonNull(kind, "kind is null");
        requireNonNull(partition, "partition is null");
        requireNonNull(file, "file is null");
    }

    public Identity identity()
    {
        return new Identity(partition, bucket, file.level(), file.fileName(), file.extraFiles(), file.embeddedIndex(), file.externalPath());
    }

    /**
     * What makes two entries speak of the same file. The level belongs to it: an upgrade deletes the file at
     * one level and adds it at another.
     */
    public record Identity(
            BinaryRow partition,
            int bucket,
            int level,
            String fileName,
            List<String> extraFiles,
            Optional<Slice> embeddedIndex,
            Optional<String> externalPath) {}
}
