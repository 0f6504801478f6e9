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

import java.util.concurrent.atomic.LongAdder;

/**
 * What planning a scan read, and what it could pass over. Thread-safe.
 */
public final class PlanStatistics
{
    private final LongAdder manifests = new LongAdder();
    private final LongAdder skippedManifests = new LongAdder();
    private final LongAdder knownFiles = new LongAdder();
    private final LongAdder files = new LongAdder();

    /**
     * @param read whether the manifest can list files that matter
     */
    void addManifest(ManifestFileMeta manifest, boolean read)
    {
        (read ? manifests : skippedManifests).increment();
        // what one manifest adds another one may have deleted
        knownFiles.add(manifest.addedFiles() - manifest.deletedFiles());
    }

    void addFiles(long count)
    {
        files.add(count);
    }

    /**
     * Manifests whose files were looked at, from the store or from memory.
     */
    public long manifests()
    {
        return manifests.sum();
    }

    /**
     * Manifests none of whose files can matter.
     */
    public long skippedManifests()
    {
        return skippedManifests.sum();
    }

    /**
     * Data files that are to be read, as far as planning has come.
     */
    public long files()
    {
        return files.sum();
    }

    /**
     * Data files that are not to be read, by what manifests say of them or because planning has not come to them.
     */
    public long skippedFiles()
    {
        return Math.max(0, knownFiles.sum() - files.sum());
    }
}
