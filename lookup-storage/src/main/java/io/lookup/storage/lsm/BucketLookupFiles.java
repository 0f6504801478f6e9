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
package io.lookup.storage.lsm;

import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.deletion.DeletionVector;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.parquet.DataFileListener;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.lookup.FileLookup;
import io.lookup.storage.lookup.LookupFileReader.LocalCopy;
import io.lookup.storage.lookup.local.DataFileLookup;
import io.lookup.storage.lookup.local.DataFileRows;
import io.lookup.storage.lookup.local.LocalLookupFiles;
import io.lookup.storage.lookup.local.LookupFileId;
import io.lookup.storage.lookup.local.LookupLayout;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.MergeEngine;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Objects.requireNonNull;

/**
 * The local lookup files of one bucket, if its table looks up and the node keeps any.
 */
final class BucketLookupFiles
{
    private final Optional<LocalLookupFiles> files;
    private final Optional<FileIo> remote;
    private final int remoteLevelThreshold;
    private final TablePaths paths;
    private final LookupLayout layout;
    private final BinaryRow partition;
    private final int bucket;

    BucketLookupFiles(Optional<LocalLookupFiles> files, FileIo fileIo, TablePaths paths, CoreOptions options, KeyValueLayout layout, KeyEncoder keyEncoder, BinaryRow partition, int bucket)
    {
        this.files = options.needLookup() ? files : Optional.empty();
        this.remote = options.compaction().lookupRemoteFileEnabled() ? Optional.of(fileIo) : Optional.empty();
        this.remoteLevelThreshold = options.compaction().lookupRemoteFileLevelThreshold();
        this.paths = requireNonNull(paths, "paths is null");
        // what the old row is does not matter where the first one stays
        this.layout = options.mergeEngine() == MergeEngine.FIRST_ROW ? LookupLayout.ofKeys(layout, keyEncoder) : LookupLayout.ofRows(layout, keyEncoder);
        this.partition = requireNonNull(partition, "partition is null");
        this.bucket = bucket;
    }

    /**
     * Makes the lookup files of data files from the same rows, where later compactions look up in them.
     */
    DataFileListener feed(int level)
    {
        if (files.isEmpty() || level == 0) {
            return DataFileListener.NONE;
        }
        return files.get().feed(layout, remote.filter(_ -> level >= remoteLevelThreshold));
    }

    LocalCopy localCopy(DataFileMeta file)
    {
        if (files.isEmpty()) {
            return LocalCopy.IMPOSSIBLE;
        }
        if (files.get().contains(id(file))) {
            return LocalCopy.PRESENT;
        }
        return files.get().makesCopies() ? LocalCopy.ABSENT : LocalCopy.IMPOSSIBLE;
    }

    /**
     * The lookup file, if there is one.
     */
    Optional<FileLookup> find(DataFileMeta file, DeletionVector deleted, DataFileLookup fallback)
    {
        return files.flatMap(local -> local.find(id(file), deleted, fallback));
    }

    /**
     * The lookup file, which is made if there is none.
     *
     * @param rows all rows of the data file, those that are deleted too
     */
    Optional<FileLookup> make(DataFileMeta file, DataFileRows rows, DeletionVector deleted, DataFileLookup fallback)
            throws IOException
    {
        if (files.isEmpty()) {
            return Optional.empty();
        }
        return files.get().build(id(file), remote, rows, deleted, fallback);
    }

    /**
     * Has the lookup file made in the background.
     *
     * @param rows as {@link #make}, to be read when this bucket's compaction has ended
     */
    boolean request(DataFileMeta file, DataFileRows rows)
    {
        return files.isPresent() && files.get().request(id(file), remote, rows);
    }

    private LookupFileId id(DataFileMeta file)
    {
        return new LookupFileId(paths.dataFile(partition, bucket, file).toString(), file, layout);
    }

    /**
     * Gives up those of data files that the bucket does not have any more.
     */
    void retain(List<DataFileMeta> liveFiles)
    {
        files.ifPresent(local -> local.retain(
                paths.bucketDirectory(partition, bucket).toString(),
                liveFiles.stream().map(file -> paths.dataFile(partition, bucket, file).toString()).collect(toImmutableSet())));
    }
}
