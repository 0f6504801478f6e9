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

import io.lookup.storage.format.row.BinaryRow;

import static java.util.Objects.requireNonNull;

/**
 * One bucket of one partition: the unit that has one LSM tree.
 */
public record BucketId(BinaryRow partition, int bucket)
{
    public BucketId
    {
        requireNonNull(partition, "partition is null");
    }

    public static BucketId of(ManifestEntry entry)
    {
        return new BucketId(entry.partition(), entry.bucket());
    }
}
