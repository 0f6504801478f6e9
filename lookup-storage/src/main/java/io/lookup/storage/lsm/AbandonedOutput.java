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

import io.airlift.log.Logger;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.IndexManifestEntry;
import io.lookup.storage.format.row.BinaryRow;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.util.Set;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

/**
 * Deletes the files of compactions that nobody will commit.
 */
final class AbandonedOutput
{
    private static final Logger log = Logger.get(AbandonedOutput.class);

    private AbandonedOutput() {}

    /**
     * Never throws. A file that only changed its level belongs to whoever wrote it, and stays.
     */
    static void delete(BucketCompactor.Services services, BinaryRow partition, int bucket, CompactionResult result)
    {
        Set<String> inputNames = result.before().stream().map(DataFileMeta::fileName).collect(toImmutableSet());
        for (DataFileMeta file : result.changelog()) {
            delete(services, partition, bucket, file);
        }
        for (DataFileMeta file : result.after()) {
            if (!inputNames.contains(file.fileName())) {
                delete(services, partition, bucket, file);
            }
        }
        for (IndexManifestEntry file : result.indexChanges()) {
            if (file.kind() == FileKind.ADD) {
                delete(services, services.paths().indexFile(partition, bucket, file.fileName(), file.externalPath()));
            }
        }
    }

    private static void delete(BucketCompactor.Services services, BinaryRow partition, int bucket, DataFileMeta file)
    {
        Path path = services.paths().dataFile(partition, bucket, file);
        delete(services, path);
        file.extraFiles().forEach(extra -> delete(services, new Path(path.getParent(), extra)));
    }

    private static void delete(BucketCompactor.Services services, Path path)
    {
        services.lookupFiles().ifPresent(local -> local.drop(path.toString()));
        try {
            services.fileIo().deleteFile(path);
        }
        catch (IOException | RuntimeException e) {
            log.warn(e, "File %s of an abandoned compaction could not be deleted; remove_orphan_files collects it", path);
        }
    }
}
