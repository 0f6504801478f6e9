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
package io.lookup.storage.format;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.JsonFiles;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.ManifestStore;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotJson;
import io.lookup.storage.snapshot.SnapshotManager;
import io.lookup.storage.testing.TestTable;
import io.lookup.storage.testing.TestTable.Row;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.util.Map;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Metadata cannot lead a reader, or an expiry that deletes, to files that are none of the table's.
 */
final class TestStoredNames
{
    @TempDir
    private java.nio.file.Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"", " ", ".", "..", "../x", "a/b", "/etc/passwd", "file:x", "s3a://other/x", "a\\b", "a\u0000b", "a\nb"})
    void testNoFileName(String name)
    {
        assertThatThrownBy(() -> StoredNames.checkFileName(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"data-1.parquet", "manifest-list-0", "...", "a..b", "mit Umlaut ä", "%2e%2e"})
    void testFileName(String name)
    {
        assertThat(StoredNames.checkFileName(name)).isEqualTo(name);
    }

    @Test
    void testExternalPaths()
    {
        Path local = new Path("file:/w/t");
        Path remote = new Path("s3a://bucket/w/t");
        assertThat(StoredNames.external(local, "file:/other/data-1")).isEqualTo(new Path("file:/other/data-1"));
        assertThat(StoredNames.external(remote, "s3a://other/x/data-1")).isEqualTo(new Path("s3a://other/x/data-1"));
        for (String path : ImmutableList.of("file:/etc/passwd", "/etc/passwd", "x/data-1", "s3a://other/x/../../data-1")) {
            assertThatThrownBy(() -> StoredNames.external(remote, path))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContainingAll(path, remote.toString());
        }
        for (String path : ImmutableList.of("", "data-1", "x/data-1", "s3a://other/../data-1", "s3a://other/x/data-1/")) {
            assertThatThrownBy(() -> StoredNames.checkExternalPath(path)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void testManifestNamesFileOutside()
            throws Exception
    {
        FileIo fileIo = TestTable.localFileIo();
        Path root = TestTable.root(directory, "escaping");
        TestTable table = TestTable.create(fileIo, root, ImmutableMap.of("manifest.compression", "none"));
        DataFileMeta file = table.writeFile(BinaryRow.EMPTY, 0, 0, Row.insert(1, 1, "a", 1));
        table.commit(table.append(BinaryRow.EMPTY, 0, file));
        Snapshot snapshot = new SnapshotManager(fileIo, root).latest().orElseThrow();
        ManifestStore manifests = new ManifestStore(fileIo, table.paths(), table.schema());
        String manifest = manifests.readList(snapshot.deltaManifestList(), snapshot.deltaManifestListSize()).getFirst().fileName();
        assertThat(manifests.readManifest(manifest, -1)).extracting(ManifestEntry::file).extracting(DataFileMeta::fileName).containsExactly(file.fileName());

        // as long as the name, so that the file stays well-formed
        String outside = "../../../" + "x".repeat(file.fileName().length() - 9);
        java.nio.file.Path path = java.nio.file.Path.of(table.paths().manifest(manifest).toUri().getPath());
        replace(path, file.fileName(), outside);
        assertThatThrownBy(() -> new ManifestStore(fileIo, table.paths(), table.schema()).readManifest(manifest, -1))
                .isInstanceOf(StorageException.class)
                .hasMessageContainingAll(manifest, outside);

        java.nio.file.Path snapshotFile = directory.resolve("default.db/escaping/snapshot/snapshot-1");
        for (Map.Entry<String, String> name : ImmutableMap.of(snapshot.deltaManifestList(), "../elsewhere", snapshot.baseManifestList(), "file:/elsewhere").entrySet()) {
            byte[] damaged = new String(SnapshotJson.write(snapshot), UTF_8).replace(name.getKey(), name.getValue()).getBytes(UTF_8);
            assertThatThrownBy(() -> SnapshotJson.read(new Path(snapshotFile.toUri()), damaged))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContainingAll("snapshot-1", name.getValue());
        }
    }

    @Test
    void testDataFolderOutside()
    {
        FileIo fileIo = TestTable.localFileIo();
        for (String folder : ImmutableList.of("../other", "/tmp", "s3a://other", "a/../../b")) {
            assertThatThrownBy(() -> TestTable.create(fileIo, TestTable.root(directory, "folder" + folder.length()), ImmutableMap.of("data-file.path-directory", folder)))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContainingAll("data-file.path-directory", folder);
        }
    }

    @Test
    void testHugeMetadataFile()
    {
        assertThatThrownBy(() -> JsonFiles.readObject(new Path("/w/snapshot-1"), new byte[(64 << 20) + 1]))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("snapshot-1");
        byte[] deep = "[".repeat(100_000).getBytes(UTF_8);
        assertThatThrownBy(() -> JsonFiles.readObject(new Path("/w/snapshot-1"), deep))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("snapshot-1");
    }

    private static void replace(java.nio.file.Path path, String from, String to)
            throws Exception
    {
        // one byte a character
        String content = new String(Files.readAllBytes(path), ISO_8859_1);
        assertThat(content).contains(from);
        Files.write(path, content.replace(from, to).getBytes(ISO_8859_1));
    }
}
