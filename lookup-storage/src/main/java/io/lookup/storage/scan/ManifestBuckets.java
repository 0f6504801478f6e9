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
package io.lookup.storage.scan;

import io.lookup.storage.format.manifest.ManifestFileMeta;

import java.util.Optional;
import java.util.Set;

/**
 * Skips manifests by their range of buckets; without a range, nothing is skipped.
 */
final class ManifestBuckets
{
    private ManifestBuckets() {}

    static boolean mayContain(ManifestFileMeta manifest, Optional<Set<Integer>> buckets)
    {
        if (buckets.isEmpty() || manifest.minBucket().isEmpty() || manifest.maxBucket().isEmpty()) {
            return true;
        }
        int min = manifest.minBucket().getAsInt();
        int max = manifest.maxBucket().getAsInt();
        return buckets.get().stream().anyMatch(bucket -> bucket >= min && bucket <= max);
    }
}
