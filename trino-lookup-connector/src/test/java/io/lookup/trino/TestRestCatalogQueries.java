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
package io.lookup.trino;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.catalog.rest.FakeRestServer;
import io.lookup.storage.catalog.rest.FakeRestServer.Answer;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonOracle;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.QueryRunner;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * SQL on a catalog of {@code lookup.catalog.type=rest}: a server over tables that Paimon has written, under names that their folders do
 * not have.
 */
final class TestRestCatalogQueries
        extends AbstractTestQueryFramework
{
    private static final OracleTable ORDERS = new OracleTable("written", "a");
    private static final OracleTable NOTES = new OracleTable("written", "b");

    private final Path warehouse = LookupQueryRunner.temporaryDirectory("lookup-warehouse");
    private final PaimonOracle paimon = new PaimonOracle(warehouse, LookupQueryRunner.temporaryDirectory("lookup-scratch"));
    private FakeRestServer server;

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        paimon.createTable(ORDERS.database(), ORDERS.name(), new PaimonTableDefinition(
                ImmutableList.of(new Column("id", "BIGINT NOT NULL"), new Column("note", "STRING")),
                ImmutableList.of("id"),
                ImmutableList.of(),
                ImmutableMap.of("bucket", "2", "changelog-producer", "lookup")));
        paimon.write(ORDERS, List.of(Change.insert(1L, "one"), Change.insert(2L, "two")));
        // another schema version
        paimon.setOption(ORDERS, "snapshot.num-retained.min", "9");
        paimon.write(ORDERS, List.of(Change.insert(2L, "zwei"), Change.delete(1L, "one"), Change.insert(3L, "three")));
        paimon.createTable(NOTES.database(), NOTES.name(), new PaimonTableDefinition(
                ImmutableList.of(new Column("day", "DATE"), new Column("text", "STRING")),
                ImmutableList.of(),
                ImmutableList.of("day"),
                ImmutableMap.of()));
        paimon.write(NOTES, List.of(Change.insert(LocalDate.of(2024, 1, 2), "first"), Change.insert(LocalDate.of(2024, 1, 3), "second")));
        Path orders = folder(ORDERS);
        FileStoreTable table = FileStoreTableFactory.create(LocalFileIO.create(), new org.apache.paimon.fs.Path(orders.toUri()));
        table.createTag("start", 1);
        table.createBranch("b", "start");
        server = new FakeRestServer()
                .withDefault("prefix", "my lake")
                .withPageSize(2)
                .withTable("sales", "orders", orders)
                .withExternalTable("sales", "external", orders)
                .withTable("sales", "behind", orders, 2)
                .withTable("sales", "empty", orders, 0)
                .withTable("sales", "orders$branch_b", orders.resolve("branch/branch-b"))
                .withTable("odd name", "100% of / notes", folder(NOTES))
                .withTable("guarded", "filtered", orders, ImmutableMap.of("query-auth.enabled", "true"))
                .withTable("guarded", "format", orders, ImmutableMap.of("type", "format-table"))
                .withDatabase("nothing");

        DistributedQueryRunner queryRunner = DistributedQueryRunner.builder(LookupQueryRunner.session())
                .setWorkerCount(1)
                .build();
        queryRunner.installPlugin(new LookupPlugin());
        queryRunner.createCatalog(LookupQueryRunner.CATALOG, LookupConnectorFactory.CONNECTOR_NAME, properties(ImmutableMap.of()));
        return queryRunner;
    }

    private Map<String, String> properties(Map<String, String> others)
    {
        return ImmutableMap.<String, String>builder()
                .put("lookup.catalog.type", "rest")
                .put("lookup.catalog.rest.uri", server.uri().toString())
                .put("lookup.catalog.rest.token", FakeRestServer.TOKEN)
                .put("lookup.cache-directory", LookupQueryRunner.temporaryDirectory("lookup-cache").toString())
                .putAll(others)
                .buildKeepingLast();
    }

    private Path folder(OracleTable table)
    {
        return warehouse.resolve(table.database() + ".db").resolve(table.name());
    }

    @AfterAll
    void closeServer()
            throws Exception
    {
        server.close();
        paimon.close();
    }

    @Test
    void testLists()
    {
        assertThat(computeActual("SHOW SCHEMAS").getOnlyColumnAsSet()).containsExactlyInAnyOrder("sales", "odd name", "guarded", "nothing", "information_schema");
        assertThat(computeActual("SHOW TABLES FROM sales").getOnlyColumnAsSet()).containsExactlyInAnyOrder("orders", "external", "behind", "empty");
        assertThat(computeActual("SHOW TABLES FROM nothing").getRowCount()).isZero();
        assertThat(computeActual("SHOW TABLES FROM \"odd name\"").getOnlyColumnAsSet()).containsExactly("100% of / notes");
        assertQueryFails("SHOW TABLES FROM nowhere", ".*Schema 'nowhere' does not exist");
        assertQueryFails("SELECT * FROM sales.nothing", ".*'lake.sales.nothing' does not exist");
        assertQueryFails("SELECT * FROM nowhere.nothing", ".*Schema 'nowhere' does not exist");
        assertThat(computeActual("SHOW COLUMNS FROM sales.orders").getMaterializedRows()).extracting(row -> row.getField(0)).containsExactly("id", "note");
    }

    @Test
    void testRows()
            throws Exception
    {
        assertThat(LogReplay.rows(this::computeActual, "SELECT * FROM sales.orders")).containsExactlyElementsOf(rows(paimon.readTable(ORDERS)));
        assertThat(LogReplay.rows(this::computeActual, "SELECT * FROM sales.external")).containsExactlyElementsOf(rows(paimon.readTable(ORDERS)));
        assertQuery("SELECT text FROM \"odd name\".\"100% of / notes\" WHERE day = DATE '2024-01-03'", "VALUES 'second'");
        assertQuery("SELECT count(*) FROM sales.orders a JOIN sales.external b ON a.id = b.id", "VALUES 2");
        assertQueryReturnsEmptyResult("SELECT * FROM sales.empty");
        assertQuery("SELECT * FROM sales.\"orders$branch_b\"", "VALUES (1, 'one'), (2, 'two')");
    }

    private static List<String> rows(List<Change> changes)
    {
        return changes.stream().map(Change::values).map(Object::toString).sorted().collect(toImmutableList());
    }

    @Test
    void testTimeTravel()
    {
        // written under another schema version than the newest
        assertQuery("SELECT * FROM sales.orders FOR VERSION AS OF 1", "VALUES (1, 'one'), (2, 'two')");
        assertQuery("SELECT * FROM sales.orders FOR VERSION AS OF 'start'", "VALUES (1, 'one'), (2, 'two')");
        assertQuery("SELECT * FROM sales.orders FOR TIMESTAMP AS OF current_timestamp - INTERVAL '0.001' SECOND", "VALUES (2, 'zwei'), (3, 'three')");
        assertQueryFails("SELECT * FROM sales.orders FOR VERSION AS OF 77", ".*has no snapshot 77; retained are 1 to 4");
    }

    /**
     * The server says which snapshot is the newest of a managed table, whatever else lies in its folder.
     */
    @Test
    void testNewestSnapshotOfTheServer()
    {
        assertQuery("SELECT * FROM sales.behind", "VALUES (1, 'one'), (2, 'two')");
        assertQuery("SELECT * FROM sales.behind FOR TIMESTAMP AS OF current_timestamp - INTERVAL '0.001' SECOND", "VALUES (1, 'one'), (2, 'two')");
        assertQueryFails("SELECT * FROM sales.behind FOR VERSION AS OF 3", ".*has no snapshot 3; retained are 1 to 2");
        assertQuery("SELECT snapshot_id FROM sales.\"behind$snapshots\"", "VALUES 1, 2");
        assertQuery("SELECT rowkind, id, note FROM sales.\"behind$audit_log\"", "VALUES ('+I', 1, 'one'), ('+I', 2, 'two')");
        assertQueryReturnsEmptyResult("SELECT * FROM sales.\"empty$snapshots\"");
        assertQueryReturnsEmptyResult("SELECT * FROM sales.\"empty$audit_log\"");
    }

    @Test
    void testLogAndState()
            throws Exception
    {
        assertQuery("SELECT snapshot_id, commit_kind FROM sales.\"orders$snapshots\"", "VALUES (1, 'APPEND'), (2, 'COMPACT'), (3, 'APPEND'), (4, 'COMPACT')");
        assertQuery(
                "SELECT rowkind, id, note FROM sales.\"orders$audit_log\"",
                "VALUES ('+I', 1, 'one'), ('+I', 2, 'two'), ('-U', 2, 'two'), ('+U', 2, 'zwei'), ('-D', 1, 'one'), ('+I', 3, 'three')");
        assertQuery("SELECT count(*) FROM TABLE(system.table_changes(schema_name => 'sales', table_name => 'orders', start_snapshot_id => 2))", "VALUES 4");
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(system.verify_changelog(schema_name => 'sales', table_name => 'orders'))");
        assertQuery("SELECT schema_id FROM sales.\"orders$schemas\"", "VALUES 0, 1");
        assertQuery("SELECT count(*) > 0 FROM sales.\"orders$files\"", "VALUES true");
        assertQuery("SELECT value FROM sales.\"orders$options\" WHERE key IN ('path', 'bucket')", "VALUES 'file:%s', '2'".formatted(folder(ORDERS)));
        assertThat((String) computeScalar("SHOW CREATE TABLE sales.orders"))
                .contains("path=file:" + folder(ORDERS), "primary_key = ARRAY['id']")
                .doesNotContain(FakeRestServer.TOKEN);
        // an estimate
        assertThat(computeActual("SHOW STATS FOR sales.orders").getMaterializedRows().getLast().getField(4)).isNotNull();
    }

    @Test
    void testGuardedTables()
    {
        assertQueryFails("SELECT * FROM guarded.filtered", ".*guarded.filtered has the option 'query-auth.enabled'.*");
        assertQueryFails("SELECT * FROM guarded.\"filtered$files\"", ".*guarded.filtered has the option 'query-auth.enabled'.*");
        assertQueryFails("SELECT * FROM guarded.format", ".*guarded.format is of the type 'format-table'.*");
    }

    @Test
    void testRequests()
    {
        String schemas = "/v1/my+lake/databases";
        computeActual("SELECT * FROM sales.orders");
        server.takeRequests();
        computeActual("SELECT a.id FROM sales.orders a JOIN sales.orders b ON a.id = b.id WHERE a.note LIKE 'z%'");
        assertThat(server.takeRequests()).containsExactlyInAnyOrder(schemas + "/sales/tables/orders", schemas + "/sales/tables/orders/snapshot");

        // one request for each page
        computeActual("SELECT * FROM information_schema.columns");
        List<String> ofAll = server.takeRequests();
        assertThat(ofAll).doesNotHaveDuplicates().hasSizeLessThanOrEqualTo(2 + 2 * (1 + 1 + 3 + 1)).noneMatch(request -> request.contains("/tables/"));
        computeActual("SELECT * FROM information_schema.columns WHERE table_schema = 'sales'");
        List<String> ofSchema = server.takeRequests();
        assertThat(ofSchema).doesNotHaveDuplicates().anyMatch(request -> request.contains("/sales/table-details")).noneMatch(request -> request.contains("/tables/"));
        assertThat(ofSchema.stream().filter(request -> request.contains("/odd+name/"))).isEmpty();
        assertThat(computeActual("SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'sales'").getRowCount()).isEqualTo(4 * 2);
        server.takeRequests();
        assertThat(computeActual("SELECT * FROM system.metadata.table_comments WHERE catalog_name = 'lake' AND schema_name = 'sales'").getRowCount()).isEqualTo(4);
        assertThat(server.takeRequests()).doesNotHaveDuplicates().noneMatch(request -> request.contains("/tables/"));
    }

    @ParameterizedTest
    @ValueSource(strings = {
            "INSERT INTO sales.orders VALUES (9, 'nine')",
            "EXPLAIN INSERT INTO sales.orders VALUES (9, 'nine')",
            "UPDATE sales.orders SET note = 'x' WHERE id = 2",
            "DELETE FROM sales.orders WHERE id = 2",
            "DELETE FROM sales.orders",
            "DELETE FROM \"odd name\".\"100% of / notes\" WHERE day = DATE '2024-01-03'",
            "MERGE INTO sales.orders o USING (VALUES BIGINT '2') AS s(id) ON o.id = s.id WHEN MATCHED THEN DELETE",
            "MERGE INTO sales.orders o USING (VALUES BIGINT '2') AS s(id) ON o.id = s.id WHEN MATCHED THEN UPDATE SET note = 'x'",
            "TRUNCATE TABLE sales.orders",
            "CREATE SCHEMA another",
            "DROP SCHEMA nothing",
            "DROP SCHEMA sales CASCADE",
            "CREATE TABLE sales.another (id bigint)",
            "CREATE OR REPLACE TABLE sales.orders (id bigint)",
            "CREATE TABLE sales.another WITH (primary_key = ARRAY['id']) AS SELECT BIGINT '1' AS id",
            "DROP TABLE sales.orders",
            "ALTER TABLE sales.orders RENAME TO sales.another",
            "ALTER TABLE sales.orders SET PROPERTIES bucket = 4",
            "ALTER TABLE sales.orders ADD COLUMN town varchar",
            "ALTER TABLE sales.orders DROP COLUMN note",
            "ALTER TABLE sales.orders RENAME COLUMN note TO text",
            "ALTER TABLE sales.orders ALTER COLUMN note SET DATA TYPE varchar(7)",
            "COMMENT ON TABLE sales.orders IS 'x'",
            "COMMENT ON COLUMN sales.orders.note IS 'x'",
            "ANALYZE sales.orders",
            "ALTER TABLE sales.orders EXECUTE optimize",
            "ALTER TABLE sales.orders EXECUTE expire_snapshots(retention_threshold => '30d')",
            "ALTER TABLE sales.orders EXECUTE create_tag(tag => 'x')",
            "ALTER TABLE sales.orders EXECUTE reset_consumer(consumer_id => 'x', next_snapshot_id => 1)",
            "CALL system.clear_consumers(schema_name => 'sales', table_name => 'orders')",
            "CALL system.create_tag(schema_name => 'sales', table_name => 'orders', tag => 'x')"})
    void testWritesAreRefused(String statement)
            throws Exception
    {
        Map<String, Long> files = files();
        server.takeRequests();
        assertThatThrownBy(() -> computeActual(statement))
                .hasMessage("This catalog is read-only, since it has lookup.catalog.type=rest: schemas and tables of a REST catalog are changed by engines that commit through its server");
        assertThat(files()).isEqualTo(files);
        assertThat(server.takeRequests()).noneMatch(request -> request.contains("/commit"));
    }

    private Map<String, Long> files()
            throws Exception
    {
        Map<String, Long> files = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(warehouse)) {
            for (Path path : paths.toList()) {
                files.put(path.toString(), Files.getLastModifiedTime(path).toMillis());
            }
        }
        return files;
    }

    @Test
    void testServerThatFails()
    {
        server.answerNext(Answer.of(500, "{\"message\": \"out of order\", \"code\": 500}"));
        assertQueryFails("SELECT * FROM sales.orders", "GET http.*/v1/my\\+lake/databases/sales/tables/orders answered 500 \\(out of order\\).*");
        server.answerNext(Answer.of(200, "<html>"));
        assertQueryFails("SHOW TABLES FROM sales", "(?s).*GET http.*not JSON.*");
    }

    @Test
    void testWrongTokenAndNoServer()
    {
        QueryRunner queryRunner = getQueryRunner();
        queryRunner.createCatalog("stranger", LookupConnectorFactory.CONNECTOR_NAME, properties(ImmutableMap.of("lookup.catalog.rest.token", "not-mine")));
        assertThatThrownBy(() -> computeActual("SELECT * FROM stranger.sales.orders"))
                .hasMessageContaining("/v1/config answered 401")
                .hasMessageContaining("lookup.catalog.rest.token")
                .message().doesNotContain("not-mine");
        queryRunner.createCatalog("nobody", LookupConnectorFactory.CONNECTOR_NAME, properties(ImmutableMap.of("lookup.catalog.rest.uri", "http://127.0.0.1:1")));
        assertQueryFails("SELECT * FROM nobody.sales.orders", "GET http://127.0.0.1:1/v1/config failed: .*check lookup.catalog.rest.uri.*");
    }
}
