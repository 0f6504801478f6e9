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
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TypeParser;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.options.Options;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestLookupCatalog
{
    private static final List<DataField> FIELDS = ImmutableList.of(
            new DataField(7, "k", TypeParser.parse("INT")),
            new DataField(7, "v", TypeParser.parse("STRING")));

    @TempDir
    private java.nio.file.Path directory;

    private LookupCatalog catalog;
    private Catalog paimon;

    @BeforeEach
    void setUp()
    {
        HadoopFileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(ImmutableMap.of(), ImmutableList.of()));
        catalog = new LookupCatalog(fileIo, LookupCatalog.warehousePath(directory.resolve("w").toString()));
        paimon = CatalogFactory.createCatalog(CatalogContext.create(
                Options.fromMap(ImmutableMap.of("warehouse", catalog.warehouse().toString())),
                new Configuration(false)));
    }

    private TableSchema create(String schemaName, String tableName, Map<String, String> options)
    {
        return catalog.createTable(schemaName, tableName, new TableDefinition(FIELDS, ImmutableList.of(), ImmutableList.of("k"), options, Optional.of("why")));
    }

    @Test
    void testEmptyWarehouse()
    {
        catalog.checkReachable();
        assertThat(catalog.listSchemas()).containsExactly("default");
        assertThat(catalog.schemaExists("default")).isTrue();
        assertThat(catalog.listTables("default")).isEmpty();
        assertThat(catalog.tableExists("default", "t")).isFalse();
        assertFails(StorageErrorCode.TABLE_NOT_FOUND, () -> catalog.loadSchemas("default", "t"), "'default.t'");
        assertFails(StorageErrorCode.SCHEMA_NOT_FOUND, () -> catalog.listTables("other"), "'other'");
    }

    @Test
    void testPaimonOpensWhatIsCreated()
            throws Exception
    {
        catalog.createSchema("sales");
        TableSchema schema = create("sales", "orders", ImmutableMap.of("changelog-producer", "lookup"));
        assertThat(schema.options()).containsEntry("bucket", "1");
        assertThat(schema.field("k").type().nullable()).isFalse();
        assertThat(schema.field("v").id()).isEqualTo(1);

        assertThat(paimon.listDatabases()).containsExactly("sales");
        assertThat(paimon.listTables("sales")).containsExactly("orders");
        org.apache.paimon.table.Table table = paimon.getTable(Identifier.create("sales", "orders"));
        assertThat(table.primaryKeys()).containsExactly("k");
        assertThat(table.rowType()).isEqualTo(DataTypes.ROW(DataTypes.FIELD(0, "k", DataTypes.INT().notNull()), DataTypes.FIELD(1, "v", DataTypes.STRING())));
        assertThat(table.options()).containsEntry("changelog-producer", "lookup").containsEntry("bucket", "1");
        assertThat(table.comment()).contains("why");
    }

    @Test
    void testOpensWhatPaimonCreated()
            throws Exception
    {
        paimon.createDatabase("lake", false);
        paimon.createTable(
                Identifier.create("lake", "t"),
                Schema.newBuilder().column("a", DataTypes.INT()).column("b", DataTypes.ROW(DataTypes.INT())).primaryKey("a").option("bucket", "3").build(),
                false);
        assertThat(catalog.listSchemas()).containsExactly("default", "lake");
        assertThat(catalog.listTables("lake")).containsExactly("t");
        assertThat(catalog.loadSchemas("lake", "t").latest().orElseThrow().options()).containsEntry("bucket", "3");
        paimon.dropTable(Identifier.create("lake", "t"), false);
        assertThat(catalog.tableExists("lake", "t")).isFalse();
    }

    @Test
    void testCreateTableTwice()
    {
        create("default", "t", ImmutableMap.of());
        assertFails(StorageErrorCode.TABLE_ALREADY_EXISTS, () -> create("default", "t", ImmutableMap.of()), "'default.t'");
        assertFails(StorageErrorCode.SCHEMA_NOT_FOUND, () -> create("nowhere", "t", ImmutableMap.of()), "'nowhere'");
        assertFails(StorageErrorCode.INVALID_OPTION, () -> create("default", "u", ImmutableMap.of("buckett", "1")), "'buckett'");
        assertThat(catalog.listTables("default")).containsExactly("t");
        assertThat(Files.exists(directory.resolve("w/default.db/u"))).isFalse();
    }

    @Test
    void testOneCreatorWins()
            throws Exception
    {
        try (ExecutorService executor = Executors.newFixedThreadPool(4)) {
            for (int round = 0; round < 20; round++) {
                String name = "t" + round;
                List<Future<Boolean>> results = new ArrayList<>();
                for (int creator = 0; creator < 4; creator++) {
                    results.add(executor.submit(() -> {
                        try {
                            create("default", name, ImmutableMap.of());
                            return true;
                        }
                        catch (StorageException e) {
                            assertThat(e.errorCode()).isEqualTo(StorageErrorCode.TABLE_ALREADY_EXISTS);
                            return false;
                        }
                    }));
                }
                int winners = 0;
                for (Future<Boolean> result : results) {
                    winners += result.get() ? 1 : 0;
                }
                assertThat(winners).isEqualTo(1);
            }
        }
    }

    @Test
    void testRestOfAnotherTableIsRefused()
            throws Exception
    {
        Files.createDirectories(directory.resolve("w/default.db/t/snapshot"));
        Files.writeString(directory.resolve("w/default.db/t/snapshot/snapshot-1"), "{}");
        assertThat(catalog.tableExists("default", "t")).isFalse();
        assertFails(StorageErrorCode.FILE_SYSTEM_ERROR, () -> create("default", "t", ImmutableMap.of()), "'default.t'", "default.db/t");
    }

    @Test
    void testDropTable()
    {
        create("default", "t", ImmutableMap.of());
        catalog.dropTable("default", "t");
        assertThat(catalog.listTables("default")).isEmpty();
        assertThat(Files.exists(directory.resolve("w/default.db/t"))).isFalse();
        assertFails(StorageErrorCode.TABLE_NOT_FOUND, () -> catalog.dropTable("default", "t"), "'default.t'");
        create("default", "t", ImmutableMap.of());
    }

    @Test
    void testRenameTable()
    {
        catalog.createSchema("other");
        create("default", "a", ImmutableMap.of());
        create("default", "b", ImmutableMap.of());
        assertFails(StorageErrorCode.TABLE_ALREADY_EXISTS, () -> catalog.renameTable("default", "a", "default", "b"), "'default.b'");
        assertFails(StorageErrorCode.TABLE_NOT_FOUND, () -> catalog.renameTable("default", "x", "default", "y"), "'default.x'");
        assertFails(StorageErrorCode.SCHEMA_NOT_FOUND, () -> catalog.renameTable("default", "a", "nowhere", "y"), "'nowhere'");
        assertFails(StorageErrorCode.INVALID_SCHEMA, () -> catalog.renameTable("default", "a", "default", "a$files"), "'a$files'");
        catalog.renameTable("default", "a", "other", "c");
        assertThat(catalog.listTables("default")).containsExactly("b");
        assertThat(catalog.listTables("other")).containsExactly("c");
        assertThat(catalog.loadSchemas("other", "c").latest()).isPresent();
    }

    @Test
    void testNamesThatNoStatementCanSayAreNotListed()
            throws Exception
    {
        create("default", "t", ImmutableMap.of());
        Files.createDirectories(directory.resolve("w/Mixed.db"));
        Files.createDirectories(directory.resolve("w/default.db/Mixed/schema"));
        Files.copy(directory.resolve("w/default.db/t/schema/schema-0"), directory.resolve("w/default.db/Mixed/schema/schema-0"));
        assertThat(catalog.listSchemas()).containsExactly("default");
        assertThat(catalog.listTables("default")).containsExactly("t");
    }

    @Test
    void testWholeBucketIsAWarehouse()
    {
        assertThat(LookupCatalog.warehousePath("s3a://bucket").toString()).isEqualTo("s3a://bucket/");
    }

    @Test
    void testSchemas()
            throws Exception
    {
        catalog.createSchema("s");
        assertFails(StorageErrorCode.SCHEMA_ALREADY_EXISTS, () -> catalog.createSchema("s"), "'s'");
        assertFails(StorageErrorCode.SCHEMA_ALREADY_EXISTS, () -> catalog.createSchema("default"), "'default'");
        assertFails(StorageErrorCode.SCHEMA_NOT_FOUND, () -> catalog.dropSchema("x", true), "'x'");
        assertFails(StorageErrorCode.UNSUPPORTED_FEATURE, () -> catalog.dropSchema("default", true), "'default'");
        create("s", "t", ImmutableMap.of());
        assertFails(StorageErrorCode.SCHEMA_NOT_EMPTY, () -> catalog.dropSchema("s", false), "'s'");
        catalog.dropTable("s", "t");
        Files.writeString(directory.resolve("w/s.db/notes.txt"), "not a table");
        assertThat(catalog.listTables("s")).isEmpty();
        assertFails(StorageErrorCode.SCHEMA_NOT_EMPTY, () -> catalog.dropSchema("s", false), "'s'");
        create("s", "t", ImmutableMap.of());
        catalog.dropSchema("s", true);
        assertThat(catalog.listSchemas()).containsExactly("default");
        catalog.createSchema("s");
        // what a failed statement may leave
        Files.createDirectories(directory.resolve("w/s.db/t/bucket-0"));
        catalog.dropSchema("s", false);
        assertThat(catalog.schemaExists("s")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", ".", "..", ".hidden", "a/b", "../escape", "/abs", "t$files", "a:b", "a\\b", "a\nb", "a\u0000b"})
    void testBadNames(String name)
    {
        assertFails(StorageErrorCode.INVALID_SCHEMA, () -> catalog.createSchema(name), "name of a schema");
        assertFails(StorageErrorCode.INVALID_SCHEMA, () -> create("default", name, ImmutableMap.of()), "name of a table");
        assertFails(StorageErrorCode.INVALID_SCHEMA, () -> catalog.tablePath("default", name), "name of a table");
        assertThat(catalog.schemaExists(name)).isFalse();
        assertThat(catalog.tableExists("default", name)).isFalse();
        assertThat(catalog.tableExists(name, "t")).isFalse();
        assertFails(StorageErrorCode.TABLE_NOT_FOUND, () -> catalog.dropTable("default", name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "ü", "a.b", "a%2fb", "x'y\"z", "a=b", "a?b#c", "[a]*", "~"})
    void testOddNames(String name)
            throws Exception
    {
        catalog.createSchema(name);
        create(name, name, ImmutableMap.of());
        assertThat(catalog.listSchemas()).contains(name);
        assertThat(catalog.listTables(name)).containsExactly(name);
        assertThat(catalog.loadSchemas(name, name).latest()).isPresent();
        assertThat(directory.resolve("w").resolve(name + ".db").resolve(name).resolve("schema/schema-0")).exists();
        assertThat(paimon.getTable(Identifier.create(name, name)).primaryKeys()).containsExactly("k");
    }

    @Test
    void testHiddenDirectoriesAreNoTables()
            throws Exception
    {
        for (String name : ImmutableList.of(".t", "empty")) {
            Files.createDirectories(directory.resolve("w/default.db").resolve(name).resolve("schema"));
        }
        Files.writeString(directory.resolve("w/default.db/.t/schema/schema-0"), "{}");
        Files.createDirectories(directory.resolve("w/.db"));
        Files.createDirectories(directory.resolve("w/not-a-schema"));
        assertThat(catalog.listTables("default")).isEmpty();
        assertThat(catalog.listSchemas()).containsExactly("default");
    }

    @Test
    void testWarehousePath()
    {
        for (String text : ImmutableList.of("/data/w", "/data/w/", "file:/data/w", "file:///data/w", "file:///data//w/")) {
            assertThat(LookupCatalog.warehousePath(text)).hasToString("file:/data/w");
        }
        assertThat(LookupCatalog.warehousePath("s3a://bucket/a/b/")).isEqualTo(new Path("s3a://bucket/a/b"));
        assertThat(LookupCatalog.warehousePath("hdfs://host:8020/w")).hasToString("hdfs://host:8020/w");
        for (String text : ImmutableList.of("", "relative/path", "file:relative", "::")) {
            assertFails(StorageErrorCode.WAREHOUSE_UNREACHABLE, () -> LookupCatalog.warehousePath(text), "'" + text + "'");
        }
    }

    @Test
    void testUnwritableWarehouse()
            throws Exception
    {
        Files.writeString(directory.resolve("file"), "x");
        HadoopFileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(ImmutableMap.of(), ImmutableList.of()));
        LookupCatalog broken = new LookupCatalog(fileIo, new Path(directory.resolve("file").toUri()));
        assertFails(StorageErrorCode.WAREHOUSE_UNREACHABLE, broken::checkReachable, directory + "/file");
        assertFails(StorageErrorCode.WAREHOUSE_NOT_WRITABLE, () -> broken.createSchema("s"), directory + "/file");
    }

    private static void assertFails(StorageErrorCode code, Runnable runnable, String... parts)
    {
        assertThatThrownBy(runnable::run)
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(code))
                .hasMessageContainingAll(parts.length == 0 ? new String[] {""} : parts);
    }
}
