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
package io.lookup.storage.commit;

import io.airlift.log.Logger;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.manifest.IndexManifestEntry;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.ManifestFileMeta;
import io.lookup.storage.format.manifest.ManifestMerger;
import io.lookup.storage.format.manifest.ManifestMerger.MergedManifests;
import io.lookup.storage.format.manifest.ManifestStore;
import io.lookup.storage.format.manifest.ManifestStore.WrittenList;
import io.lookup.storage.snapshot.Snapshot;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * Writes the manifests of a publication and takes them away again if it fails. What the commit itself changes
 * is written once and used by every try; the base is written for each.
 */
final class ManifestWriter
{
    private static final Logger log = Logger.get(ManifestWriter.class);

    private final ManifestStore manifests;
    private final ManifestMerger merger;
    private final FileIo fileIo;
    private final TablePaths paths;

    ManifestWriter(ManifestStore manifests, FileIo fileIo, TablePaths paths)
    {
        this.manifests = requireNonNull(manifests, "manifests is null");
        this.merger = new ManifestMerger(manifests);
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.paths = requireNonNull(paths, "paths is null");
    }

    /**
     * @param index name of the index manifest
     */
    record Lists(WrittenList base, WrittenList delta, Optional<WrittenList> changelog, Optional<String> index) {}

    Session newSession()
    {
        return new Session();
    }

    final class Session
    {
        private final List<String> baseFiles = new ArrayList<>();
        private final List<String> changeFiles = new ArrayList<>();
        private CommitChanges changes;
        private WrittenList base;
        private WrittenList delta;
        private Optional<WrittenList> changelog = Optional.empty();

        /**
         * @param previous manifests of the snapshot that is built upon
         * @param previousIndex index manifest of that snapshot
         * @param index what the snapshot does to index files, which stand in the manifest of the previous one
         * @param uncertain whether an earlier try may still turn out to have succeeded: its files are kept
         */
        Lists write(List<ManifestFileMeta> previous, CommitChanges changes, Optional<String> previousIndex, IndexUpdate index, boolean uncertain)
        {
            discard(baseFiles, uncertain);
            if (!changes.equals(this.changes)) {
                discard(changeFiles, uncertain);
                this.changes = null;
                delta = writeList(writeManifests(changes.delta(), changeFiles), changeFiles);
                changelog = changes.changelog().isEmpty() ?
                        Optional.empty() :
                        Optional.of(writeList(writeManifests(changes.changelog(), changeFiles), changeFiles));
                this.changes = changes;
            }
            MergedManifests merged = merger.merge(previous);
            merged.written().forEach(file -> baseFiles.add(file.fileName()));
            base = writeList(merged.manifests(), baseFiles);
            Optional<String> indexManifest = previousIndex;
            if (!index.isNone()) {
                // what remains comes from the snapshot that is built upon, so this too is written for each try
                List<IndexManifestEntry> before = previousIndex.map(manifests::readIndexManifest).orElse(List.of());
                List<IndexManifestEntry> after = index.apply(before);
                if (!after.equals(before)) {
                    indexManifest = after.isEmpty() ? Optional.empty() : Optional.of(manifests.writeIndexManifest(after));
                    indexManifest.ifPresent(baseFiles::add);
                }
            }
            manifests.sync();
            return new Lists(base, delta, changelog, indexManifest);
        }

        /**
         * Takes away what the snapshot does not refer to: it may be an earlier try's.
         */
        void published(Snapshot snapshot)
        {
            discard(baseFiles, base != null && base.fileName().equals(snapshot.baseManifestList()));
            discard(changeFiles, delta != null && delta.fileName().equals(snapshot.deltaManifestList()));
        }

        void abandoned(boolean uncertain)
        {
            discard(baseFiles, uncertain);
            discard(changeFiles, uncertain);
        }

        private List<ManifestFileMeta> writeManifests(List<ManifestEntry> entries, List<String> written)
        {
            List<ManifestFileMeta> files = manifests.writeManifests(entries);
            files.forEach(file -> written.add(file.fileName()));
            return files;
        }

        private WrittenList writeList(List<ManifestFileMeta> files, List<String> written)
        {
            WrittenList list = manifests.writeList(files);
            written.add(list.fileName());
            return list;
        }

        private void discard(List<String> files, boolean keep)
        {
            if (!keep) {
                files.forEach(this::delete);
            }
            files.clear();
        }

        private void delete(String fileName)
        {
            try {
                fileIo.deleteFile(paths.manifest(fileName));
            }
            catch (IOException | RuntimeException e) {
                log.warn(e, "Could not delete unused manifest %s", paths.manifest(fileName));
            }
        }
    }
}
