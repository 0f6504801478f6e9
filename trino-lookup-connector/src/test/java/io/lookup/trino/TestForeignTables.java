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
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.versions.VersionFiles;
import io.trino.testing.QueryRunner;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

import static io.lookup.storage.oracle.Change.delete;
import static io.lookup.storage.oracle.Change.insert;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tables that Paimon made with features that are not written here: they are read as Paimon reads them or refused, and never written.
 */
final class TestForeignTables
        extends AbstractOracleQueryTest
{
    private int tableCount;

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return LookupQueryRunner.create(warehouse, ImmutableMap.of());
    }

    @Test
    void testOtherFileFormat()
            throws Exception
    {
        OracleTable table = create(ImmutableMap.of("file.format", "avro", "changelog-producer", "lookup"));
        paimon.write(table, ImmutableList.of(insert(1, 10, "a", "+I"), insert(2, 20, "b", "+I"), insert(3, 30, "c", "+I")));
        paimon.write(table, ImmutableList.of(insert(1, 11, "A", "+I"), insert(4, 40, null, "+I")));
        paimon.write(table, ImmutableList.of(delete(3, 30, "c", "+I")));
        checkRead(table, "file.format", "avro");
        checkNotWritten(table, "'file.format' = 'avro'");
        assertUpdate("ALTER TABLE " + table.name() + " SET PROPERTIES file_format = 'parquet'");
        assertUpdate("UPDATE " + table.name() + " SET n = n + 1 WHERE k <= 2", 2);
        assertThat(rows(table)).containsExactlyElementsOf(paimonRows(table));
        assertQuery("SELECT count(*) FROM \"" + table.name() + "$audit_log\" WHERE rowkind IN ('-U', '+U')", "VALUES 6");
        LogReplay.assertLogGivesTable(this::computeActual, table.name());
        assertUpdate("ALTER TABLE " + table.name() + " EXECUTE optimize");
        assertThat(rows(table)).containsExactlyElementsOf(paimonRows(table));
        assertQuery("SELECT DISTINCT file_format FROM \"" + table.name() + "$files\"", "VALUES 'parquet'");
    }

    @Test
    void testOtherFileFormatIsNotWritten()
            throws Exception
    {
        // Paimon's writer of this format wants HDFS
        checkNotWritten(create(ImmutableMap.of("file.format", "orc")), "'file.format' = 'orc'");
    }

    @Test
    void testPostponedBuckets()
            throws Exception
    {
        OracleTable table = create(ImmutableMap.of("bucket", "-2"));
        paimon.write(table, ImmutableList.of(insert(1, 10, "a", "+I")));
        checkRead(table, "bucket", "-2");
        checkNotWritten(table, "'bucket' = '-2'");
    }

    @Test
    void testTableWithoutKey()
            throws Exception
    {
        OracleTable table = paimon.createTable("default", "t" + tableCount++, new PaimonTableDefinition(columns(), ImmutableList.of(), ImmutableList.of(), ImmutableMap.of()));
        paimon.write(table, ImmutableList.of(insert(1, 10, "a", "+I"), insert(1, 10, "a", "+I")));
        assertThat(rows(table)).containsExactlyElementsOf(paimonRows(table));
        assertUpdate("INSERT INTO " + table.name() + " VALUES (1, 10, 'a', '+I'), (2, 20, 'b', '+I')", 2);
        assertThat(rows(table)).hasSize(4).containsExactlyElementsOf(paimonRows(table));
        paimon.write(table, ImmutableList.of(insert(3, 30, "c", "+I")));
        assertThat(rows(table)).hasSize(5).containsExactlyElementsOf(paimonRows(table));
    }

    @Test
    void testVariants()
            throws Exception
    {
        for (List<String> key : ImmutableList.of(ImmutableList.of("k"), ImmutableList.<String>of())) {
            Map<String, String> options = key.isEmpty() ? ImmutableMap.of() : ImmutableMap.of("bucket", "1", "changelog-producer", "lookup");
            List<Column> columns = ImmutableList.of(
                    new Column("k", "INT NOT NULL"),
                    new Column("v", "VARIANT"),
                    new Column("a", """
                            {"type":"ARRAY","element":"VARIANT"}"""));
            OracleTable table = paimon.createTable("default", "t" + tableCount++, new PaimonTableDefinition(columns, key, ImmutableList.of(), options));
            paimon.write(table, ImmutableList.of(insert(1, "{\"b\":[1,2.5,\"x\"],\"a\":{\"deep\":true}}", Arrays.asList("1", null, "\"two\"")), insert(2, null, null)));
            paimon.write(table, ImmutableList.of(insert(key.isEmpty() ? 3 : 2, "17", ImmutableList.of())));

            assertQuery("SELECT column_name, data_type FROM information_schema.columns WHERE table_name = '" + table.name() + "'", "VALUES ('k', 'integer'), ('v', 'json'), ('a', 'array(json)')");
            assertThat(rows(table)).containsExactlyElementsOf(paimonRows(table)).hasSize(key.isEmpty() ? 3 : 2);
            assertQuery("SELECT json_extract_scalar(v, '$.b[2]'), CAST(a AS array(varchar)) FROM " + table.name() + " WHERE k = 1", "VALUES ('x', ARRAY['1', null, 'two'])");
            assertQuery("SELECT k FROM " + table.name() + " WHERE v = JSON '17'", "VALUES " + (key.isEmpty() ? 3 : 2));
            assertQuery("SELECT k FROM " + table.name() + " WHERE v = JSON '{\"a\": {\"deep\": true}, \"b\": [1, 2.5, \"x\"]}'", "VALUES 1");
            assertQuery("SELECT count(*) FROM " + table.name() + " WHERE v IS NULL", "VALUES " + (key.isEmpty() ? 1 : 0));
            assertQuery("SELECT rowkind, json_format(v) FROM \"" + table.name() + "$audit_log\" WHERE \"$snapshot_id\" > 2 AND v IS NOT NULL", key.isEmpty() ? "SELECT '', '' WHERE false" : "VALUES ('+U', '17')");
            for (@Language("SQL") String statement : List.of("INSERT INTO " + table.name() + " (k) VALUES 9", "ANALYZE " + table.name(), "ALTER TABLE " + table.name() + " EXECUTE optimize")) {
                assertQueryFails(statement, "Table default\\." + table.name() + " cannot be written: Column 'v' of type VARIANT can only be read");
            }
            assertQueryFails("CREATE TABLE copies AS SELECT * FROM " + table.name(), ".*json.*");
        }
    }

    @Test
    void testUnknownOption()
            throws Exception
    {
        OracleTable table = create(ImmutableMap.of("changelog-produser", "lookup"));
        paimon.write(table, ImmutableList.of(insert(1, 10, "a", "+I")));
        assertThat(rows(table)).containsExactlyElementsOf(paimonRows(table));
        checkNotWritten(table, "'changelog-produser' = 'lookup'", "did you mean 'changelog-producer'");
    }

    @Test
    void testSupportedTableIsWritten()
            throws Exception
    {
        OracleTable table = create(ImmutableMap.of("changelog-producer", "lookup"));
        paimon.write(table, ImmutableList.of(insert(1, 10, "a", "+I"), insert(2, 20, "b", "+I")));
        assertUpdate("UPDATE " + table.name() + " SET v = 'B' WHERE k = 2", 1);
        assertUpdate("DELETE FROM " + table.name() + " WHERE k = 1", 1);
        assertThat(rows(table)).containsExactlyElementsOf(paimonRows(table)).containsExactly("[2, 20, B, +I]");
    }

    @Test
    void testDeletionVectors()
            throws Exception
    {
        OracleTable table = create(ImmutableMap.of("deletion-vectors.enabled", "true", "changelog-producer", "lookup"));
        paimon.write(table, ImmutableList.of(insert(1, 10, "a", "+I"), insert(2, 20, "b", "+I"), insert(3, 30, "c", "+I"), insert(4, 40, "d", "+I")));
        paimon.write(table, ImmutableList.of(insert(1, 11, "A", "+I")));
        assertThat(rows(table)).containsExactlyElementsOf(paimonRows(table)).hasSize(4);
        assertUpdate("UPDATE " + table.name() + " SET v = 'B' WHERE k = 2", 1);
        assertUpdate("DELETE FROM " + table.name() + " WHERE k IN (1, 4)", 2);
        assertThat(rows(table)).containsExactlyElementsOf(paimonRows(table)).containsExactly("[2, 20, B, +I]", "[3, 30, c, +I]");
        assertQuery("SELECT count(*) FROM " + table.name(), "VALUES 2");
        assertQuery("SELECT count(*) FROM " + table.name() + " WHERE v IN ('a', 'A', 'b')", "VALUES 0");
        paimon.write(table, ImmutableList.of(insert(1, 12, "again", "+I")));
        assertThat(rows(table)).containsExactlyElementsOf(paimonRows(table)).hasSize(3);
        assertUpdate("ALTER TABLE " + table.name() + " EXECUTE optimize");
        assertThat(rows(table)).containsExactlyElementsOf(paimonRows(table)).hasSize(3);
    }

    @Test
    void testRowsDeletedFromTableWithoutKey()
            throws Exception
    {
        OracleTable table = paimon.createTable("default", "t" + tableCount++, new PaimonTableDefinition(columns(), ImmutableList.of(), ImmutableList.of(), ImmutableMap.of("deletion-vectors.enabled", "true")));
        paimon.write(table, ImmutableList.of(insert(1, 10, "a", "+I"), insert(2, 20, "b", "+I")));
        paimon.write(table, ImmutableList.of(insert(3, 30, "c", "+I"), insert(4, 40, "d", "+I")));
        assertThat(rows(table)).containsExactlyElementsOf(paimonRows(table)).hasSize(4);
        paimon.deleteByVectors(table, 1);
        assertThat(rows(table)).containsExactlyElementsOf(paimonRows(table)).containsExactly("[1, 10, a, +I]", "[3, 30, c, +I]");
        assertQuery("SELECT count(*) FROM " + table.name(), "VALUES 2");
        assertQuery("SELECT v FROM " + table.name() + " WHERE n >= 20", "VALUES 'c'");
        assertQuery("SELECT count(*) FROM " + table.name() + " FOR VERSION AS OF 2", "VALUES 4");
        assertFails("INSERT INTO " + table.name() + " VALUES (9, 90, 'z', '+I')", "Table default." + table.name() + " cannot be written", "'deletion-vectors.enabled' = 'true'");
    }

    /**
     * Those that the build's Paimon cannot make.
     */
    @Test
    void testTablesOfNewerVersion()
            throws Exception
    {
        VersionFiles.unpack(VersionFiles.NEWER, warehouse.resolve("newer.db"));
        assertQuery("SELECT * FROM newer.tracked", "VALUES (3, NULL), (4, 'four'), (5, 'five')");
        assertQuery("SELECT count(*) FROM newer.tracked", "VALUES 3");
        assertQuery("SELECT count(*), count(DISTINCT k) FROM newer.postponed", "VALUES (40, 20)");
        assertQuery("SELECT note FROM newer.postponed WHERE k = 7 AND p = 'three'", "VALUES 'row 7'");
        assertFails("SELECT * FROM newer.nested_sequence_field", "Table newer.nested_sequence_field cannot be read", "'fields.items.nested-sequence-field' = 'at'");
        assertQuery("SELECT k, note FROM newer.shared_maps", "VALUES (1, 'second'), (2, 'empty'), (3, 'none'), (4, 'fourth')");
        assertFails("SELECT attributes FROM newer.shared_maps", "'shared-shredding', which cannot be read; leave the column out");
        assertFails("SELECT * FROM newer.vectors", "Column 'c': Type VECTOR is not supported");

        assertQuery("SELECT k, note, n FROM newer.replaced", "VALUES (1, 'uno', 100), (3, 'tre', 300)");
        assertQuery("SELECT k, n, note FROM newer.replaced FOR VERSION AS OF 1", "VALUES (1, 10, '1111'), (2, 20, '2222')");
        assertQuery("SELECT k, n, note FROM newer.replaced FOR VERSION AS OF 'before'", "VALUES (1, 10, '1111'), (2, 20, '2222')");
        assertFails("SELECT * FROM newer.\"replaced$audit_log\"", "Snapshot 1 of table newer.replaced cannot be read with the columns of schema version 1, since snapshot 2 replaced the table");
        assertQuery("SELECT rowkind, k, note FROM newer.\"replaced$audit_log\" WHERE \"$snapshot_id\" > 1", "VALUES ('+I', 1, 'uno'), ('+I', 3, 'tre')");
        assertFails("ALTER TABLE newer.replaced EXECUTE rollback_to_snapshot(snapshot_id => 1)", "Table newer.replaced cannot be rolled back to snapshot 1: snapshot 2 replaced it");
    }

    /**
     * Reading gives Paimon's rows, or an error that names the option.
     */
    private void checkRead(OracleTable table, String key, String value)
            throws Exception
    {
        boolean readable = switch (key) {
            case "merge-engine" -> false;
            default -> true;
        };
        if (readable) {
            assertThat(rows(table)).containsExactlyElementsOf(paimonRows(table));
            return;
        }
        assertFails("SELECT * FROM " + table.name(), "Table default." + table.name() + " cannot be read", "'" + key + "' = '" + value + "'");
    }

    private void checkNotWritten(OracleTable table, String... parts)
            throws Exception
    {
        List<String> before = paimonRows(table);
        int snapshots = paimon.snapshots(table).size();
        String name = table.name();
        List<String> expected = ImmutableList.<String>builder().add("Table default." + name + " cannot be written").add(parts).build();
        for (String statement : List.of(
                "INSERT INTO %s VALUES (9, 90, 'z', '+I')",
                "UPDATE %s SET v = 'z'",
                "DELETE FROM %s WHERE k = 1",
                "MERGE INTO %s USING (VALUES 1) s (k) ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = 'z'")) {
            assertFails(statement.formatted(statement.startsWith("MERGE") ? name + " t" : name), expected.toArray(String[]::new));
        }
        assertThat(paimon.snapshots(table)).hasSize(snapshots);
        assertThat(paimonRows(table)).isEqualTo(before);
    }

    private OracleTable create(Map<String, String> options)
            throws Exception
    {
        return paimon.createTable("default", "t" + tableCount++, new PaimonTableDefinition(
                columns(),
                ImmutableList.of("k"),
                ImmutableList.of(),
                ImmutableMap.<String, String>builder().put("bucket", "1").putAll(options).buildKeepingLast()));
    }

    private static List<Column> columns()
    {
        return ImmutableList.of(new Column("k", "INT NOT NULL"), new Column("n", "INT"), new Column("v", "STRING"), new Column("kind", "STRING"));
    }

    private List<String> rows(OracleTable table)
    {
        return computeActual("SELECT * FROM " + table.name()).getMaterializedRows().stream()
                .map(row -> row.getFields().toString())
                .sorted()
                .toList();
    }

    private List<String> paimonRows(OracleTable table)
            throws Exception
    {
        return paimon.readTable(table).stream()
                .map(Change::values)
                .map(Object::toString)
                .sorted()
                .toList();
    }

    private void assertFails(@Language("SQL") String sql, String... parts)
    {
        assertTrinoExceptionThrownBy(() -> computeActual(sql))
                .as(sql)
                .hasErrorCode(NOT_SUPPORTED)
                .hasMessageContainingAll(parts);
    }
}
