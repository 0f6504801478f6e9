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
package io.lookup.storage.catalog;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TableFilling;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TypeParser;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A table that a statement makes and fills is there with its first snapshot, or never was.
 */
final class TestUnfilledTables
{
    private static final List<DataField> FIELDS = ImmutableList.of(new DataField(0, "k", TypeParser.parse("INT")));

    @TempDir
    private java.nio.file.Path directory;

    private HadoopFileIo fileIo;
    private LookupCatalog catalog;

    @BeforeEach
    void setUp()
    {
        fileIo = new HadoopFileIo(HadoopConfigurations.create(ImmutableMap.of(), ImmutableList.of()));
        catalog = new LookupCatalog(fileIo, LookupCatalog.warehousePath(directory.resolve("w").toString()));
    }

    private UnfilledTable begin()
    {
        return catalog.createUnfilledTable("default", "t", new TableDefinition(FIELDS, ImmutableList.of(), ImmutableList.of("k"), ImmutableMap.of(), Optional.empty()));
    }

    private TableSchema create()
    {
        return catalog.createTable("default", "t", new TableDefinition(FIELDS, ImmutableList.of(), ImmutableList.of("k"), ImmutableMap.of(), Optional.empty()));
    }

    private java.nio.file.Path file(String name)
    {
        return directory.resolve("w/default.db/t").resolve(name);
    }

    private List<String> schemaFiles()
            throws IOException
    {
        try (Stream<java.nio.file.Path> files = Files.list(file("schema"))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private void assertThere(boolean there)
    {
        assertThat(catalog.tableExists("default", "t")).isEqualTo(there);
        assertThat(catalog.listTables("default").contains("t")).isEqualTo(there);
        assertThat(catalog.latestSchema("default", "t").isPresent()).isEqualTo(there);
    }

    @Test
    void testFilled()
            throws Exception
    {
        UnfilledTable table = begin();
        assertThere(false);
        Files.createDirectories(file("snapshot"));
        Files.writeString(file("snapshot/.snapshot-1.x.tmp"), "{");
        assertThere(false);
        Files.writeString(file("snapshot/snapshot-1"), "{}");
        assertThere(true);
        table.filling().end();
        assertThere(true);
        assertThat(schemaFiles()).containsExactly("schema-0");
    }

    @Test
    void testAbandoned()
            throws Exception
    {
        assertThat(begin().filling().abandon()).isTrue();
        assertThat(schemaFiles()).isEmpty();
        create();
        assertThere(true);
    }

    @Test
    void testAbandonedAfterOthersFilledIt()
            throws Exception
    {
        UnfilledTable table = begin();
        Files.createDirectories(file("snapshot"));
        Files.writeString(file("snapshot/snapshot-1"), "{}");
        assertThat(table.filling().abandon()).isFalse();
        assertThat(schemaFiles()).containsExactly("schema-0");
        assertThere(true);
    }

    @Test
    void testOthersWhileItIsFilled()
            throws Exception
    {
        UnfilledTable table = begin();
        assertAlreadyExists(this::create, "is being created by another statement");
        assertAlreadyExists(this::begin, "is being created by another statement");
        assertThat(schemaFiles()).hasSize(2);
        Files.createDirectories(file("snapshot"));
        Files.writeString(file("snapshot/snapshot-1"), "{}");
        assertAlreadyExists(this::create, "already exists");
        table.filling().end();
    }

    @Test
    void testLeftByServerThatEnded()
            throws Exception
    {
        begin();
        String mark = schemaFiles().getFirst();
        assertThat(mark).startsWith(".filling-");
        Files.setLastModifiedTime(file("schema").resolve(mark), FileTime.fromMillis(System.currentTimeMillis() - TableFilling.ABANDONED_AFTER_MILLIS - 1000));
        create();
        assertThere(true);
        assertThat(schemaFiles()).containsExactly("schema-0");
    }

    @Test
    void testMarkHidesItsOwnTableOnly()
            throws Exception
    {
        TableSchema schema = create();
        // of a statement that looked for the table just before it was made
        TableSchema other = new TableSchema(
                TableSchema.CURRENT_VERSION,
                0,
                schema.fields(),
                schema.highestFieldId(),
                schema.partitionKeys(),
                schema.primaryKeys(),
                schema.options(),
                Optional.of("another"),
                schema.timeMillis());
        TableFilling filling = TableFilling.begin(fileIo, new Path(file("").toUri()), other);
        assertThere(true);
        assertThat(filling.abandon()).isFalse();
        assertThere(true);
        assertThat(Files.readString(file("schema/schema-0"), UTF_8)).doesNotContain("another");
    }

    private static void assertAlreadyExists(Runnable action, String message)
    {
        assertThatThrownBy(action::run)
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.TABLE_ALREADY_EXISTS))
                .hasMessageContaining(message);
    }
}
