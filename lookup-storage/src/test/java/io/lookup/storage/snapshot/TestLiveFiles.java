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
package io.lookup.storage.snapshot;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.ManifestFileMeta;
import io.lookup.storage.format.manifest.ManifestFixture;
import io.lookup.storage.format.manifest.ManifestStore;
import io.lookup.storage.format.manifest.ManifestStore.WrittenList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import static com.google.common.collect.Iterables.getOnlyElement;
import static io.lookup.storage.format.manifest.ManifestFixture.add;
import static io.lookup.storage.format.manifest.ManifestFixture.delete;
import static io.lookup.storage.format.manifest.ManifestFixture.entry;
import static io.lookup.storage.format.manifest.ManifestFixture.partition;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestLiveFiles
{
    @TempDir
    private Path directory;

    private ManifestStore store;
    private LiveFiles liveFiles;

    @BeforeEach
    void setUp()
    {
        store = new ManifestFixture(directory, ImmutableMap.of()).store();
        liveFiles = new LiveFiles(store);
    }

    @Test
    void testDeletionsElsewhere()
    {
        // file 1 is deleted in another manifest, 2 in the same, 3 upgraded, 4 deleted before it appears in the lists
        ManifestFileMeta first = write(add("p", 0, 1), add("p", 1, 2), delete("p", 1, 2), add("q", 0, 3));
        ManifestFileMeta second = write(delete("q", 0, 3), entry(FileKind.ADD, "q", 0, 3, 4), add("q", 1, 5));
        ManifestFileMeta third = write(delete("p", 0, 1), delete("p", 0, 4));
        ManifestFileMeta fourth = write(add("p", 0, 4), add("p", 0, 6));
        Snapshot snapshot = snapshot(List.of(first, second, third), List.of(fourth), Optional.empty());

        assertThat(liveFiles.liveFiles(snapshot, _ -> true, _ -> true)).containsExactly(
                entry(FileKind.ADD, "q", 0, 3, 4),
                add("q", 1, 5),
                add("p", 0, 6));
        assertThat(liveFiles.manifests(snapshot)).containsExactly(first, second, third, fourth);
        assertThat(liveFiles.deltaEntries(snapshot, _ -> true, _ -> true)).containsExactly(add("p", 0, 4), add("p", 0, 6));
        assertThat(liveFiles.deltaEntries(snapshot, _ -> true, entry -> entry.file().minSequenceNumber() > 4)).containsExactly(add("p", 0, 6));
        assertThat(liveFiles.deltaEntries(snapshot, _ -> false, _ -> true)).isEmpty();
        assertThat(liveFiles.changelogEntries(snapshot, _ -> true, _ -> true)).isEmpty();
    }

    @Test
    void testFilters()
    {
        ManifestFileMeta first = write(add("p", 0, 1), add("p", 0, 2));
        ManifestFileMeta second = write(add("q", 1, 3));
        ManifestFileMeta third = write(delete("p", 0, 1));
        Snapshot snapshot = snapshot(List.of(first, second), List.of(third), Optional.empty());

        // a deletion counts though the filter of entries would not have it
        assertThat(liveFiles.liveFiles(snapshot, _ -> true, entry -> entry.kind() == FileKind.ADD)).containsExactly(add("p", 0, 2), add("q", 1, 3));
        assertThat(liveFiles.liveFiles(snapshot, _ -> true, entry -> entry.partition().equals(partition("q")))).containsExactly(add("q", 1, 3));
        assertThat(liveFiles.liveFiles(snapshot, manifest -> manifest.maxBucket().orElseThrow() == 0, _ -> true)).containsExactly(add("p", 0, 2));
    }

    @Test
    void testManifestsAreSkippedByCounts()
            throws Exception
    {
        ManifestFileMeta first = write(add("p", 0, 1));
        ManifestFileMeta second = write(delete("p", 0, 9));
        Snapshot snapshot = snapshot(List.of(first), List.of(second), Optional.empty());
        assertThat(liveFiles.liveFiles(snapshot, _ -> true, _ -> true)).containsExactly(add("p", 0, 1));

        // nobody asks for what a manifest filter leaves out
        Files.delete(directory.resolve("manifest").resolve(second.fileName()));
        assertThat(liveFiles.liveFiles(snapshot, manifest -> !manifest.equals(second), _ -> true)).containsExactly(add("p", 0, 1));
        assertThatThrownBy(() -> liveFiles.liveFiles(snapshot, _ -> true, _ -> true))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.MISSING_FILE))
                .hasMessageContaining(second.fileName());
        ManifestFileMeta empty = new ManifestFileMeta(
                "manifest-gone", 1, 0, 0, second.partitionStats(), 0, second.minBucket(), second.maxBucket(), second.minLevel(), second.maxLevel(), second.minRowId(), second.maxRowId());
        assertThat(liveFiles.liveFiles(snapshot(List.of(first, empty), List.of(), Optional.empty()), _ -> true, _ -> true)).containsExactly(add("p", 0, 1));
    }

    @Test
    void testChangelog()
    {
        ManifestFileMeta changelog = write(add("p", 0, 7), add("q", 1, 8));
        Snapshot snapshot = snapshot(List.of(), List.of(write(add("p", 0, 1))), Optional.of(List.of(changelog)));
        assertThat(liveFiles.changelogEntries(snapshot, _ -> true, _ -> true)).containsExactly(add("p", 0, 7), add("q", 1, 8));
        assertThat(liveFiles.changelogEntries(snapshot, _ -> true, entry -> entry.bucket() == 1)).containsExactly(add("q", 1, 8));
        assertThat(liveFiles.liveFiles(snapshot, _ -> true, _ -> true)).containsExactly(add("p", 0, 1));
    }

    private ManifestFileMeta write(ManifestEntry... entries)
    {
        return getOnlyElement(store.writeManifests(ImmutableList.copyOf(entries)));
    }

    private Snapshot snapshot(List<ManifestFileMeta> base, List<ManifestFileMeta> delta, Optional<List<ManifestFileMeta>> changelog)
    {
        WrittenList baseList = store.writeList(base);
        WrittenList deltaList = store.writeList(delta);
        Optional<WrittenList> changelogList = changelog.map(store::writeList);
        return new Snapshot(
                Snapshot.CURRENT_VERSION,
                1,
                0,
                baseList.fileName(),
                OptionalLong.of(baseList.size()),
                deltaList.fileName(),
                // old snapshots have no sizes
                OptionalLong.empty(),
                changelogList.map(WrittenList::fileName),
                changelogList.map(list -> OptionalLong.of(list.size())).orElseGet(OptionalLong::empty),
                Optional.empty(),
                "user",
                1,
                CommitKind.APPEND,
                0,
                0,
                0,
                OptionalLong.empty(),
                OptionalLong.empty(),
                Optional.empty(),
                ImmutableMap.of(),
                OptionalLong.empty());
    }
}
