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
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.IndexManifestEntry;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import static java.util.Objects.requireNonNull;

/**
 * Removes files that a commit left without a reference; best effort, orphan removal finds the rest.
 */
final class FileDisposal
{
    private static final Logger log = Logger.get(FileDisposal.class);

    private final FileIo fileIo;
    private final TablePaths paths;

    FileDisposal(FileIo fileIo, TablePaths paths)
    {
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.paths = requireNonNull(paths, "paths is null");
    }

    /**
     * What the compaction wrote. An upgraded file is one of the inputs under another level and stays.
     */
    void discardCompaction(CommitMessage message)
    {
        Set<String> kept = new HashSet<>();
        message.newFiles().forEach(file -> kept.add(file.fileName()));
        message.newChangelogFiles().forEach(file -> kept.add(file.fileName()));
        message.compactBefore().forEach(file -> kept.add(file.fileName()));
        delete(message, message.compactAfter(), kept);
        delete(message, message.compactChangelogFiles(), kept);
        deleteIndexFiles(message, message.vectorChanges());
    }

    /**
     * Everything that the message brought. Inputs of its compaction that it did not bring are live files.
     */
    void discardAll(CommitMessage message)
    {
        discardRows(message);
        deleteIndexFiles(message, message.hashChanges());
    }

    /**
     * Everything but the index of keys: the same rows are published in other files.
     */
    void discardRows(CommitMessage message)
    {
        Set<String> brought = new HashSet<>();
        message.newFiles().forEach(file -> brought.add(file.fileName()));
        Set<String> kept = new HashSet<>();
        message.compactBefore().stream()
                .map(DataFileMeta::fileName)
                .filter(name -> !brought.contains(name))
                .forEach(kept::add);
        delete(message, message.newFiles(), kept);
        delete(message, message.newChangelogFiles(), kept);
        delete(message, message.compactAfter(), kept);
        delete(message, message.compactChangelogFiles(), kept);
        deleteIndexFiles(message, message.vectorChanges());
    }

    private void deleteIndexFiles(CommitMessage message, List<IndexManifestEntry> changes)
    {
        changes.stream()
                .filter(file -> file.kind() == FileKind.ADD)
                .forEach(file -> deleteFile(paths.indexFile(message.partition(), message.bucket(), file.fileName(), file.externalPath())));
    }

    private void delete(CommitMessage message, List<DataFileMeta> files, Set<String> kept)
    {
        for (DataFileMeta file : files) {
            if (kept.contains(file.fileName())) {
                continue;
            }
            Path path = paths.dataFile(message.partition(), message.bucket(), file);
            deleteFile(path);
            file.extraFiles().forEach(extra -> deleteFile(new Path(path.getParent(), extra)));
        }
    }

    private void deleteFile(Path path)
    {
        try {
            fileIo.deleteFile(path);
        }
        catch (IOException | RuntimeException e) {
            log.warn(e, "Could not delete unused file %s", path);
        }
    }
}
