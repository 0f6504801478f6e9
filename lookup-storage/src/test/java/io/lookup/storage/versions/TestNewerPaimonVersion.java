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
package io.lookup.storage.versions;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.table.EngineTable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tables with features that Paimon has from 2.1 on, see {@link NewerVersionTables}: they are read as that version read them, which stands
 * beside them since the build's own version cannot say it, or refused by the name of the feature.
 */
final class TestNewerPaimonVersion
{
    @TempDir
    private Path directory;

    private Path database;
    private HadoopFileIo fileIo;

    @BeforeEach
    void unpack()
            throws Exception
    {
        database = directory.resolve("newer.db");
        VersionFiles.unpack(VersionFiles.NEWER, database);
        fileIo = new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of()));
    }

    @AfterEach
    void close()
            throws Exception
    {
        fileIo.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"multivalue_index", "column_codecs", "postponed", "tracked"})
    void testReadAlike(String name)
            throws Exception
    {
        EngineTable table = table(name);
        Map<Long, List<String>> answers = answers(name);
        assertThat(table.snapshots()).extracting(Snapshot::id).containsExactlyElementsOf(answers.keySet());
        for (Snapshot snapshot : table.snapshots()) {
            assertThat(table.readRows(snapshot)).as("snapshot %s", snapshot.id()).isEqualTo(answers.get(snapshot.id()));
        }
        assertThat(table.readRows()).isNotEmpty();
    }

    @Test
    void testTablesAreNotWritten()
    {
        assertThatThrownBy(() -> table("multivalue_index").write(ImmutableList.of(Change.insert(9, null, null))))
                .hasMessageContaining("'pk-multivalue.index.columns' = 'tags'");
        assertThatThrownBy(() -> table("shared_maps").write(ImmutableList.of(Change.insert(9, null, null))))
                .hasMessageContaining("Option 'fields.attributes.map.");
        assertThatThrownBy(() -> table("tracked").write(ImmutableList.of(Change.insert(9, null))))
                .hasMessageContaining("'row-tracking.enabled' = 'true'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"shared_maps", "shared_maps_appended", "shared_maps_orc"})
    void testMapsOfSharedColumns(String name)
            throws Exception
    {
        EngineTable table = table(name);
        // files from before the option are read
        assertThat(table.readRows(table.snapshots().getFirst())).isEqualTo(answers(name).get(1L));
        assertRefused(table::readRows, "Column 'attributes' of file ", "storage layout 'shared-shredding'", "fields.attributes.map.storage-layout");
    }

    @ParameterizedTest
    @CsvSource({
            "nested_sequence_field, 'fields.items.nested-sequence-field', 'at'",
            "nested_key_null_strategy, 'fields.items.nested-key-null-strategy', 'ignore'"})
    void testOptionsOfNestedRows(String name, String option, String value)
    {
        assertRefused(() -> table(name).readRows(), "Table " + name + " cannot be read", "'" + option + "' = '" + value + "'");
    }

    /**
     * The columns of the new table have the ids of the former ones, whose values they must not show.
     */
    @ParameterizedTest
    @ValueSource(strings = {"replaced", "replaced_appended"})
    void testReplacedTable(String name)
            throws Exception
    {
        EngineTable table = table(name);
        Map<Long, List<String>> answers = answers(name);
        List<Snapshot> snapshots = table.snapshots();
        assertThat(table.readRows(snapshots.get(1))).isEqualTo(answers.get(2L)).isEmpty();
        assertThat(table.readRows(snapshots.get(2))).isEqualTo(answers.get(3L)).containsExactly("(1, 'uno', 100)", "(3, 'tre', 300)");
        assertThat(table.readLog(snapshots.get(1))).isEmpty();
        assertThat(table.readLog(snapshots.get(2))).hasSize(2);
        String refusal = "Snapshot 1 of table " + name + " cannot be read with the columns of schema version 1, since snapshot 2 replaced the table";
        assertRefused(() -> table.readRows(snapshots.getFirst()), refusal);
        assertRefused(() -> table.readLog(snapshots.getFirst()), refusal);
        assertRefused(() -> table.open().maintenance().rollbackToSnapshot(1), "Table " + name + " cannot be rolled back to snapshot 1: snapshot 2 replaced it");
        assertThat(table.snapshots()).hasSize(3);
        // written, it goes on, and comes back as far as that
        if (!table.open().schema().primaryKeys().isEmpty()) {
            table.write(ImmutableList.of(Change.insert(4, "quattro", 400L)));
            assertThat(table.readRows()).hasSize(3);
        }
        table.open().maintenance().rollbackToSnapshot(3);
        assertThat(table.readRows()).isEqualTo(answers.get(3L));
        table.open().maintenance().rollbackToSnapshot(2);
        assertThat(table.readRows()).isEmpty();
    }

    /**
     * A branch from before the replacement has the former columns, and so has the table that goes on from it. The branch's snapshot is made of a
     * tag, without the members that are unknown here.
     */
    @Test
    void testBranchOfReplacedTable()
            throws Exception
    {
        EngineTable table = table("replaced");
        table.open().maintenance().createBranch("old", Optional.of("before"));
        table.open().maintenance().fastForward("old");
        assertThat(table.snapshots()).extracting(Snapshot::id).containsExactly(1L);
        assertThat(table.open().schema().id()).isEqualTo(0);
        assertThat(table.readRows()).isEqualTo(answers("replaced").get(1L)).hasSize(2);
        table.open().maintenance().fastForward("old");
        assertThat(table.readRows()).hasSize(2);
    }

    @Test
    void testRowFormat()
    {
        assertRefused(() -> table("row_format").readRows(), "has format 'row', which cannot be read");
    }

    @ParameterizedTest
    @CsvSource({"blobs, BLOB", "vectors, VECTOR", "shapes, GEOMETRY", "regions, GEOGRAPHY"})
    void testTypes(String name, String type)
    {
        assertThatThrownBy(() -> table(name).readRows())
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.UNSUPPORTED_TYPE))
                .hasMessageContainingAll("Column 'c': Type " + type, "is not supported", "/" + name + "/schema/schema-0");
    }

    private static void assertRefused(Runnable read, String... parts)
    {
        assertThatThrownBy(read::run)
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.UNSUPPORTED_FEATURE))
                .hasMessageContainingAll(parts);
    }

    private EngineTable table(String name)
    {
        return new EngineTable(fileIo, database.resolve(name), directory.resolve("spill"));
    }

    /**
     * The rows of each snapshot.
     */
    private Map<Long, List<String>> answers(String name)
            throws Exception
    {
        Map<Long, List<String>> answers = new LinkedHashMap<>();
        List<String> rows = null;
        for (String line : Files.readAllLines(database.resolve("answers").resolve(name + ".txt"))) {
            if (line.startsWith("snapshot ")) {
                rows = new ArrayList<>();
                answers.put(Long.parseLong(line.substring("snapshot ".length())), rows);
                continue;
            }
            rows.add(line);
        }
        return answers;
    }
}
