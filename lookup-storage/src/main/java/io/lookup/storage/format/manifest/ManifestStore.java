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

import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.schema.TableSchema;

import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Reads and writes manifest lists and manifests (fact sheet section 4) of one table. Thread-safe. */
public final class ManifestStore
{
    public ManifestStore(FileIo fileIo, TablePaths paths, TableSchema schema) { throw new UnsupportedOperationException(); }

    /** errors name the file: MISSING_FILE, CORRUPT_FILE */
    public List<ManifestFileMeta> readList(String fileName, OptionalLong size) { throw new UnsupportedOperationException(); }

    /** in file order */
    public void readManifest(String fileName, long size, Consumer<ManifestEntry> consumer) { throw new UnsupportedOperationException(); }

    /** rolls at manifest.target-file-size; nothing for no entries. Entries are written in the order given (DELETE before ADD is the caller's duty). */
    public List<ManifestFileMeta> writeManifests(List<ManifestEntry> entries) { throw new UnsupportedOperationException(); }

    public WrittenList writeList(List<ManifestFileMeta> manifests) { throw new UnsupportedOperationException(); }

    public record WrittenList(String fileName, long size) {}
}
