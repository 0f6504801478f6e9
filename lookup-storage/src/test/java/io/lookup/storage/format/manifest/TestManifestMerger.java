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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.manifest.ManifestMerger.MergedManifests;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

import static com.google.common.collect.Iterables.getOnlyElement;
import static io.lookup.storage.format.manifest.ManifestFixture.add;
import static io.lookup.storage.format.manifest.ManifestFixture.delete;
import static io.lookup.storage.format.manifest.ManifestFixture.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestManifestMerger
{
    @TempDir
    private Path directory;

    @Test
    void testFewSmallManifestsStay()
            throws IOException
    {
        ManifestStore store = store(ImmutableMap.of());
        List<ManifestFileMeta> manifests = List.of(
                write(store, add("p", 0, 1)),
                write(store, delete("p", 0, 1), add("p", 0, 2)));
        MergedManifests merged = new ManifestMerger(store).merge(manifests);
        assertThat(merged.manifests()).isEqualTo(manifests);
        assertThat(merged.written()).isEmpty();
        assertThat(fileCount()).isEqualTo(2);
        assertThat(new ManifestMerger(store).merge(ImmutableList.of()).manifests()).isEmpty();
    }

    @Test
    void testManySmallManifests()
    {
        ManifestStore store = store(ImmutableMap.of("manifest.merge-min-count", "3"));
        List<ManifestFileMeta> manifests = List.of(
                write(store, delete("p", 0, 100)),
                write(store, add("p", 0, 1), add("q", 1, 2)),
                write(store, delete("p", 0, 1), entry(FileKind.ADD, "p", 0, 1, 5)));
        MergedManifests merged = new ManifestMerger(store).merge(manifests);
        ManifestFileMeta manifest = getOnlyElement(merged.manifests());
        assertThat(merged.written()).containsExactly(manifest);
        // the deletion stays, for what it deletes is elsewhere
        assertThat(store.readManifest(manifest.fileName(), manifest.fileSize()))
                .containsExactly(delete("p", 0, 100), add("q", 1, 2), entry(FileKind.ADD, "p", 0, 1, 5));
        assertThat(manifest.addedFiles()).isEqualTo(2);
        assertThat(manifest.deletedFiles()).isEqualTo(1);
    }

    @Test
    void testNothingLeft()
    {
        ManifestStore store = store(ImmutableMap.of("manifest.merge-min-count", "2"));
        MergedManifests merged = new ManifestMerger(store).merge(List.of(write(store, add("p", 0, 1)), write(store, delete("p", 0, 1))));
        assertThat(merged.manifests()).isEmpty();
        assertThat(merged.written()).isEmpty();
    }

    @Test
    void testGroupsOfTargetSize()
    {
        ManifestStore store = store(ImmutableMap.of("manifest.target-file-size", "8 kb"));
        List<ManifestFileMeta> manifests = new ArrayList<>();
        List<ManifestEntry> entries = new ArrayList<>();
        for (int number = 0; number < 12; number++) {
            entries.add(add("p", 0, number));
            manifests.add(write(store, add("p", 0, number)));
        }
        MergedManifests merged = new ManifestMerger(store).merge(manifests);
        assertThat(merged.written()).isNotEmpty();
        assertThat(merged.manifests()).hasSizeLessThan(12);
        assertThat(read(store, merged.manifests())).isEqualTo(entries);
    }

    @Test
    void testFullMerge()
    {
        ManifestStore store = store(ImmutableMap.of("manifest.target-file-size", "4 kb", "manifest.full-compaction-threshold-size", "1 b"));
        ManifestFileMeta otherPartition = large(store, "a", 1000);
        ManifestFileMeta untouched = large(store, "p", 2000);
        ManifestFileMeta touched = large(store, "p", 3000);
        ManifestFileMeta small = write(store, delete("p", 0, 3001), add("p", 0, 1));
        assertThat(List.of(otherPartition.fileSize(), untouched.fileSize(), touched.fileSize())).allMatch(size -> size >= 4096);

        MergedManifests merged = new ManifestMerger(store).merge(List.of(small, otherPartition, touched, untouched));
        assertThat(merged.manifests()).startsWith(otherPartition, untouched);
        assertThat(merged.written()).isEqualTo(merged.manifests().subList(2, merged.manifests().size())).isNotEmpty();
        assertThat(merged.manifests()).allMatch(manifest -> manifest.deletedFiles() == 0);

        List<ManifestEntry> expected = new ArrayList<>();
        expected.add(add("p", 0, 1));
        expected.addAll(read(store, List.of(touched)));
        expected.remove(add("p", 0, 3001));
        assertThat(read(store, merged.written())).isEqualTo(expected);

        // then there is nothing to be done
        assertThat(new ManifestMerger(store).merge(List.of(otherPartition, untouched, touched)).manifests()).containsExactly(otherPartition, untouched, touched);
    }

    @Test
    void testLiveFilesStayTheSame()
    {
        Random random = new Random(9);
        for (int round = 0; round < 8; round++) {
            ManifestStore store = store(Map.of(
                    "manifest.target-file-size", (1 + random.nextInt(8)) + " kb",
                    "manifest.merge-min-count", String.valueOf(2 + random.nextInt(6)),
                    "manifest.full-compaction-threshold-size", (1 + random.nextInt(60)) + " kb"));
            ManifestMerger merger = new ManifestMerger(store);
            List<ManifestEntry> live = new ArrayList<>();
            List<ManifestFileMeta> manifests = new ArrayList<>();
            int number = 0;
            for (int commit = 0; commit < 25; commit++) {
                manifests = new ArrayList<>(merger.merge(manifests).manifests());
                List<ManifestEntry> entries = new ArrayList<>();
                for (int index = random.nextInt(4); index > 0 && !live.isEmpty(); index--) {
                    ManifestEntry removed = live.remove(random.nextInt(live.size()));
                    entries.add(new ManifestEntry(FileKind.DELETE, removed.partition(), removed.bucket(), removed.totalBuckets(), removed.file()));
                    if (random.nextBoolean()) {
                        ManifestEntry upgraded = new ManifestEntry(FileKind.ADD, removed.partition(), removed.bucket(), removed.totalBuckets(), removed.file().withLevel(removed.file().level() + 1));
                        entries.add(upgraded);
                        live.add(upgraded);
                    }
                }
                for (int index = random.nextInt(20); index > 0; index--) {
                    ManifestEntry added = add(random.nextInt(5) == 0 ? null : "p" + random.nextInt(3), random.nextInt(2), number++);
                    entries.add(added);
                    live.add(added);
                }
                manifests.addAll(store.writeManifests(entries));
                assertThat(liveFiles(store, manifests)).containsExactlyInAnyOrderElementsOf(live);
            }
        }
    }

    private static List<ManifestEntry> liveFiles(ManifestStore store, List<ManifestFileMeta> manifests)
    {
        List<ManifestEntry> entries = read(store, manifests);
        Set<ManifestEntry.Identity> deleted = new HashSet<>();
        entries.stream().filter(entry -> entry.kind() == FileKind.DELETE).forEach(entry -> deleted.add(entry.identity()));
        return entries.stream()
                .filter(entry -> entry.kind() == FileKind.ADD && !deleted.contains(entry.identity()))
                .toList();
    }

    @Test
    void testAddedTwice()
            throws IOException
    {
        ManifestStore store = store(ImmutableMap.of("manifest.merge-min-count", "2"));
        List<ManifestFileMeta> manifests = List.of(write(store, add("p", 0, 1)), write(store, add("p", 0, 1)));
        assertThatThrownBy(() -> new ManifestMerger(store).merge(manifests))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.CORRUPT_FILE))
                .hasMessageContaining("data-0123abcd-1.parquet");
        assertThat(fileCount()).isEqualTo(2);
    }

    @Test
    void testFailedMergeLeavesNothing()
            throws IOException
    {
        ManifestStore store = store(ImmutableMap.of("manifest.full-compaction-threshold-size", "1 b"));
        List<ManifestFileMeta> manifests = List.of(write(store, add("p", 0, 1)), write(store, add("p", 0, 2)));
        Files.delete(directory.resolve("manifest").resolve(manifests.get(1).fileName()));
        assertThatThrownBy(() -> new ManifestMerger(store).merge(manifests))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.MISSING_FILE));
        assertThat(fileCount()).isEqualTo(1);
    }

    private ManifestStore store(Map<String, String> options)
    {
        return new ManifestFixture(directory, options).store();
    }

    private static ManifestFileMeta write(ManifestStore store, ManifestEntry... entries)
    {
        return getOnlyElement(store.writeManifests(List.of(entries)));
    }

    /**
     * A single manifest that is larger than the target, for it is only closed once a block is full.
     */
    private static ManifestFileMeta large(ManifestStore store, String partition, int firstNumber)
    {
        List<ManifestEntry> entries = new ArrayList<>();
        for (int number = 0; number < 300; number++) {
            entries.add(add(partition, 0, firstNumber + number));
        }
        List<ManifestFileMeta> manifests = store.writeManifests(entries);
        return manifests.getFirst();
    }

    private static List<ManifestEntry> read(ManifestStore store, List<ManifestFileMeta> manifests)
    {
        List<ManifestEntry> entries = new ArrayList<>();
        for (ManifestFileMeta manifest : manifests) {
            store.readManifest(manifest.fileName(), manifest.fileSize(), entries::add);
        }
        return entries;
    }

    private long fileCount()
            throws IOException
    {
        try (Stream<Path> files = Files.list(directory.resolve("manifest"))) {
            return files.filter(file -> !file.getFileName().toString().startsWith(".")).count();
        }
    }
}
