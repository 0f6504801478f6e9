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

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.format.manifest.SimpleStats;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TypeRoot;
import org.apache.paimon.data.Timestamp;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * Files that exist as metadata only, with an INT key, for us and for Paimon.
 */
final class TestingFiles
{
    static final KeyEncoder KEY_ENCODER = KeyEncoder.forKeys(ImmutableList.of(new ScalarType(TypeRoot.INTEGER, 0, 0, false)));

    private TestingFiles() {}

    static DataFileMeta file(String name, int level, int minKey, int maxKey, long size)
    {
        return file(name, level, minKey, maxKey, size, OptionalLong.of(0), 0, 0, 0);
    }

    static DataFileMeta file(String name, int level, int minKey, int maxKey, long size, OptionalLong deleteRowCount, long minSequence, long maxSequence, long creationTime)
    {
        return new DataFileMeta(
                name, size, 100, key(minKey), key(maxKey), SimpleStats.EMPTY, SimpleStats.EMPTY, minSequence, maxSequence,
                0, level, ImmutableList.of(), OptionalLong.of(creationTime), deleteRowCount, Optional.empty(), Optional.of(FileSource.APPEND),
                Optional.empty(), Optional.empty(), OptionalLong.empty(), Optional.empty());
    }

    static org.apache.paimon.io.DataFileMeta paimonFile(DataFileMeta file)
    {
        return org.apache.paimon.io.DataFileMeta.create(
                file.fileName(), file.fileSize(), file.rowCount(), paimonKey(file.minKey()), paimonKey(file.maxKey()),
                org.apache.paimon.stats.SimpleStats.EMPTY_STATS, org.apache.paimon.stats.SimpleStats.EMPTY_STATS,
                file.minSequenceNumber(), file.maxSequenceNumber(), file.schemaId(), file.level(), ImmutableList.of(),
                Timestamp.fromEpochMillis(file.creationTimeMillis().orElseThrow()),
                file.deleteRowCount().isPresent() ? file.deleteRowCount().getAsLong() : null,
                null, org.apache.paimon.manifest.FileSource.APPEND, null, null, null, null);
    }

    private static BinaryRow key(int value)
    {
        Slice bytes = Slices.allocate(16);
        bytes.setInt(8, value);
        return new BinaryRow(1, bytes);
    }

    private static org.apache.paimon.data.BinaryRow paimonKey(BinaryRow key)
    {
        return org.apache.paimon.data.BinaryRow.singleColumn(key.bytes().getInt(8));
    }
}
