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

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slices;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.format.manifest.IndexManifestEntry;
import io.lookup.storage.format.manifest.IndexManifestEntry.DeletionVectorRange;
import io.lookup.storage.format.manifest.SimpleStats;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BinaryRowEncoder;
import io.lookup.storage.testing.TestTable;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestCommitMessageCodec
{
    private static final BinaryRow ROW = new BinaryRowEncoder(ImmutableList.of(TestTable.INT, TestTable.STRING)).encodeValues(Arrays.asList(7L, Slices.utf8Slice("a value that is longer than seven bytes, é")));
    private static final DataFileMeta FULL = new DataFileMeta(
            "data-é.parquet", 1L << 40, 3, ROW, ROW, new SimpleStats(ROW, ROW, ImmutableList.of(Optional.of(1L), Optional.empty())), SimpleStats.EMPTY, -1, Long.MAX_VALUE,
            9, 5, ImmutableList.of("x.index"), OptionalLong.of(-5), OptionalLong.of(2), Optional.of(Slices.wrappedBuffer(new byte[] {0, -1})), Optional.of(FileSource.COMPACT),
            Optional.of(ImmutableList.of("a", "b")), Optional.of("s3a://other/file"), OptionalLong.of(4), Optional.of(ImmutableList.of("c")));
    private static final DataFileMeta BARE = new DataFileMeta(
            "d", 0, 0, BinaryRow.EMPTY, BinaryRow.EMPTY, SimpleStats.EMPTY, SimpleStats.EMPTY, 0, 0,
            0, 0, ImmutableList.of(), OptionalLong.empty(), OptionalLong.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), OptionalLong.empty(), Optional.empty());

    private static final IndexManifestEntry INDEX = new IndexManifestEntry(
            FileKind.ADD, ROW, 3, IndexManifestEntry.DELETION_VECTORS, "index-1", 1L << 35, 2,
            ImmutableList.of(new DeletionVectorRange("data-é.parquet", 1, 24, OptionalLong.of(2)), new DeletionVectorRange("d", 33, 22, OptionalLong.empty())), Optional.of("s3a://other/index"));

    @Test
    void testRoundTrip()
    {
        CommitMessage message = new CommitMessage(ROW, 3, 8, List.of(FULL, BARE), List.of(BARE), List.of(FULL), List.of(BARE, FULL), List.of(FULL), List.of(INDEX.withKind(FileKind.DELETE), INDEX));
        assertThat(CommitMessageCodec.fromBytes(CommitMessageCodec.toBytes(message))).isEqualTo(message);
        CommitMessage empty = new CommitMessage(BinaryRow.EMPTY, -2, -1, List.of(), List.of(), List.of(), List.of(), List.of());
        assertThat(CommitMessageCodec.fromBytes(CommitMessageCodec.toBytes(empty))).isEqualTo(empty);
    }

    @Test
    void testForeignBytes()
    {
        byte[] bytes = CommitMessageCodec.toBytes(new CommitMessage(ROW, 3, 8, List.of(FULL), List.of(), List.of(), List.of(), List.of()));
        byte[] otherVersion = bytes.clone();
        otherVersion[0] = 77;
        assertThatThrownBy(() -> CommitMessageCodec.fromBytes(otherVersion)).hasMessageContaining("version 77 is not 2");
        assertThatThrownBy(() -> CommitMessageCodec.fromBytes(Arrays.copyOf(bytes, bytes.length + 1))).hasMessage("1 bytes left");
        assertThatThrownBy(() -> CommitMessageCodec.fromBytes(Arrays.copyOf(bytes, bytes.length - 1))).isInstanceOf(IndexOutOfBoundsException.class);
    }
}
