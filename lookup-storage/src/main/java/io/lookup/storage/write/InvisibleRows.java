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
package io.lookup.storage.write;

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slice;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.manifest.DataFileMeta;

import java.util.List;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Rows of a bucket that are committed and that no reader sees yet, since they wait at level 0 of a table whose readers skip
 * it. A statement that changes rows which it has read must not touch them: it would undo a change that it knows nothing of.
 */
final class InvisibleRows
{
    private final String tableName;
    private final int bucket;
    private final KeyEncoder keyEncoder;
    private final List<DataFileMeta> files;

    /**
     * @param liveFiles of the bucket, at the snapshot that the statement has read
     */
    InvisibleRows(String tableName, int bucket, KeyEncoder keyEncoder, List<DataFileMeta> liveFiles)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.bucket = bucket;
        this.keyEncoder = requireNonNull(keyEncoder, "keyEncoder is null");
        this.files = liveFiles.stream()
                .filter(file -> file.level() == 0)
                .collect(toImmutableList());
    }

    static InvisibleRows none(String tableName, int bucket, KeyEncoder keyEncoder)
    {
        return new InvisibleRows(tableName, bucket, keyEncoder, ImmutableList.of());
    }

    /**
     * @throws StorageException COMMIT_CONFLICT if keys of the files may be among the invisible ones
     */
    void checkUntouched(List<DataFileMeta> newFiles)
    {
        for (DataFileMeta file : files) {
            Slice min = keyEncoder.encode(file.minKey());
            Slice max = keyEncoder.encode(file.maxKey());
            for (DataFileMeta newFile : newFiles) {
                if (keyEncoder.encode(newFile.minKey()).compareTo(max) <= 0 && min.compareTo(keyEncoder.encode(newFile.maxKey())) <= 0) {
                    throw new StorageException(StorageErrorCode.COMMIT_CONFLICT, format(
                            "Rows of table %s that the statement changes may be among those of file %s in bucket %s, which are appended but not yet visible; compact the table (ALTER TABLE … EXECUTE optimize) and run the statement again",
                            tableName,
                            file.fileName(),
                            bucket));
                }
            }
        }
    }
}
