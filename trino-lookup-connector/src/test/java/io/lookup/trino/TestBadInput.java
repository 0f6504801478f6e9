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

import com.google.common.collect.ImmutableMap;
import io.trino.Session;
import io.trino.spi.ErrorCodeSupplier;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.MoreCollectors.onlyElement;
import static io.lookup.trino.LookupErrorCode.LOOKUP_CORRUPT_FILE;
import static io.lookup.trino.LookupErrorCode.LOOKUP_FILE_SYSTEM_ERROR;
import static io.lookup.trino.LookupErrorCode.LOOKUP_INVALID_SCHEMA;
import static io.lookup.trino.LookupErrorCode.LOOKUP_MISSING_FILE;
import static io.lookup.trino.LookupErrorCode.LOOKUP_WAREHOUSE_NOT_WRITABLE;
import static io.trino.spi.StandardErrorCode.CONSTRAINT_VIOLATION;
import static io.trino.spi.StandardErrorCode.INVALID_ARGUMENTS;
import static io.trino.spi.StandardErrorCode.INVALID_TABLE_PROPERTY;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static java.nio.file.StandardOpenOption.WRITE;
import static java.util.Locale.ENGLISH;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is wrong is refused with a message that names it, says what would be right, and leaves everything as it was.
 */
final class TestBadInput
        extends AbstractTestQueryFramework
{
    // a folder of its own around it, since the test of names looks at what lies beside the warehouse
    private final Path warehouse = LookupQueryRunner.temporaryDirectory("lookup-bad-input").resolve("warehouse");

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return LookupQueryRunner.create(warehouse, ImmutableMap.of());
    }

    @Test
    void testRetries()
    {
        assertUpdate("CREATE TABLE retried (k integer, v bigint) WITH (primary_key = ARRAY['k'])");
        assertUpdate("INSERT INTO retried VALUES (1, 1)", 1);
        for (String policy : List.of("QUERY", "TASK")) {
            Session retrying = Session.builder(getSession()).setSystemProperty("retry_policy", policy).build();
            for (String statement : List.of(
                    "INSERT INTO retried VALUES (2, 2)",
                    "UPDATE retried SET v = 2",
                    "DELETE FROM retried WHERE v = 1",
                    "MERGE INTO retried t USING (VALUES 1) s (k) ON t.k = s.k WHEN MATCHED THEN DELETE",
                    "CREATE TABLE retried_copy WITH (primary_key = ARRAY['k']) AS SELECT * FROM retried",
                    "ALTER TABLE retried EXECUTE optimize")) {
                // when it is planned
                assertTrinoExceptionThrownBy(() -> getQueryRunner().execute(retrying, "EXPLAIN " + statement))
                        .hasErrorCode(NOT_SUPPORTED)
                        .hasMessageContaining("does not support query retries")
                        .hasMessageContaining("SET SESSION retry_policy = 'NONE'");
            }
        }
        assertQuery("SELECT * FROM retried", "VALUES (1, 1)");
        Session retrying = Session.builder(getSession()).setSystemProperty("retry_policy", "QUERY").build();
        assertQuery(retrying, "SELECT * FROM retried", "VALUES (1, 1)");
        assertUpdate("DROP TABLE retried");
    }

    @Test
    void testOptions()
    {
        assertCreateFails("options = ARRAY['changelog-produser=lookup']", INVALID_TABLE_PROPERTY, "'changelog-produser'", "did you mean 'changelog-producer'");
        assertCreateFails("options = ARRAY['fields.v.agregate-function=sum']", INVALID_TABLE_PROPERTY, "'fields.v.agregate-function'", "did you mean 'fields.v.aggregate-function'");
        assertCreateFails("options = ARRAY['target-file-size=large']", INVALID_TABLE_PROPERTY, "target-file-size", "'large'", "128 mb");
        assertCreateFails("options = ARRAY['lookup']", INVALID_TABLE_PROPERTY, "'lookup'", "key=value");
        assertCreateFails("options = ARRAY['write-only=true', 'write-only=false']", INVALID_TABLE_PROPERTY, "write-only", "given twice");
        assertCreateFails("options = ARRAY['primary-key=k']", INVALID_TABLE_PROPERTY, "primary-key", "use the table property primary_key");
        assertCreateFails("merge_engine = 'deduplicate', options = ARRAY['merge-engine=aggregation']", INVALID_TABLE_PROPERTY, "merge-engine", "merge_engine", "leave one out");
        assertCreateFails("merge_engine = 'duplicate'", INVALID_TABLE_PROPERTY, "merge-engine", "'duplicate'", "deduplicate");
        assertCreateFails("changelog_producer = 'both'", INVALID_TABLE_PROPERTY, "changelog-producer", "'both'", "none, input, full-compaction, lookup");
        assertCreateFails("options = ARRAY['full-compaction.delta-commits=0']", INVALID_TABLE_PROPERTY, "full-compaction.delta-commits", "'0'", "at least 1");
        assertCreateFails("sequence_field = ARRAY['nothing']", INVALID_TABLE_PROPERTY, "sequence.field", "'nothing'");
        assertCreateFails("bucket_key = ARRAY['v']", INVALID_TABLE_PROPERTY, "bucket-key", "'v'", "primary-key column");
    }

    @Test
    void testContradictoryOptions()
    {
        assertCreateFails("options = ARRAY['snapshot.num-retained.min=20', 'snapshot.num-retained.max=10']", INVALID_TABLE_PROPERTY, "snapshot.num-retained.min", "'20'", "10");
        assertCreateFails("changelog_producer = 'lookup', options = ARRAY['streaming-read-overwrite=true']", INVALID_TABLE_PROPERTY, "streaming-read-overwrite", "changelog-producer", "lookup");
        assertCreateFails("merge_engine = 'aggregation', sequence_field = ARRAY['v'], options = ARRAY['fields.v.aggregate-function=sum']", INVALID_TABLE_PROPERTY, "fields.v.aggregate-function", "sequence field");
        assertCreateFails("merge_engine = 'aggregation', options = ARRAY['fields.s.aggregate-function=sum']", INVALID_TABLE_PROPERTY, "'s'", "'sum'");
        assertFails("CREATE TABLE bad (k bigint) WITH (changelog_producer = 'lookup')", INVALID_TABLE_PROPERTY, "changelog-producer", "primary key");
    }

    @Test
    void testBuckets()
    {
        assertCreateFails("bucket = 0", INVALID_TABLE_PROPERTY, "bucket", "'0'", "at least 1");
        assertCreateFails("bucket = -2", NOT_SUPPORTED, "'bucket' = '-2'", "copy the rows");
        assertCreateFails("bucket = -3", INVALID_TABLE_PROPERTY, "bucket", "'-3'", "at least 1");
    }

    @Test
    void testColumns()
    {
        assertFails("CREATE TABLE bad (k bigint, u uuid) WITH (primary_key = ARRAY['k'])", NOT_SUPPORTED, "uuid", "column u");
        assertFails("CREATE TABLE bad (k bigint, u array(row(x ipaddress))) WITH (primary_key = ARRAY['k'])", NOT_SUPPORTED, "ipaddress", "column u");
        assertFails("CREATE TABLE bad (k bigint) WITH (primary_key = ARRAY['key'])", INVALID_TABLE_PROPERTY, "primary_key", "key");
        assertFails("CREATE TABLE bad (k array(bigint)) WITH (primary_key = ARRAY['k'])", INVALID_TABLE_PROPERTY, "primary_key", "Column k", "nested");
        assertFails("CREATE TABLE bad (k bigint, dt date) WITH (primary_key = ARRAY['k'], partitioned_by = ARRAY['dt'])", INVALID_TABLE_PROPERTY, "dt", "primary_key");
        for (String name : List.of("rowkind", "RowKind", "$snapshot_id", "_KEY_k", "_sequence_number", "_level")) {
            assertFails("CREATE TABLE bad (k bigint, \"%s\" varchar) WITH (primary_key = ARRAY['k'])".formatted(name), NOT_SUPPORTED, name.toLowerCase(ENGLISH), "reserved", "choose another");
        }
        String deep = "array(".repeat(120) + "integer" + ")".repeat(120);
        assertFails("CREATE TABLE bad (k bigint, v %s) WITH (primary_key = ARRAY['k'])".formatted(deep), LOOKUP_INVALID_SCHEMA, "'v'", "121", "100");
        assertNoTable("bad");
    }

    @Test
    void testNames()
            throws IOException
    {
        List<String> before = files(warehouse.getParent(), 1);
        for (String name : List.of("../x", "..", ".hidden", "a/b", "a\\b", "a:b", "/etc/x")) {
            assertFails("CREATE TABLE \"%s\" (k bigint) WITH (primary_key = ARRAY['k'])".formatted(name), LOOKUP_INVALID_SCHEMA, "'" + name + "'", "must not");
            assertFails("CREATE SCHEMA \"%s\"".formatted(name), LOOKUP_INVALID_SCHEMA, "'" + name + "'", "must not");
            assertQueryFails("SELECT * FROM \"%s\"".formatted(name), ".*does not exist");
            assertQueryFails("SELECT * FROM \"%s\".t".formatted(name), ".*does not exist");
            assertQueryFails("DROP SCHEMA \"%s\"".formatted(name), ".*does not exist.*");
        }
        assertFails("CREATE SCHEMA \"a$b\"", LOOKUP_INVALID_SCHEMA, "'a$b'", "must not");
        assertFails("CREATE TABLE \"a$b\" (k bigint) WITH (primary_key = ARRAY['k'])", NOT_SUPPORTED, "a$b", "must not contain $");
        assertFails("CREATE TABLE \"a$snapshots\" WITH (primary_key = ARRAY['k']) AS SELECT 1 k", NOT_SUPPORTED, "a$snapshots", "must not contain $");
        assertUpdate("CREATE TABLE names (k bigint) WITH (primary_key = ARRAY['k'])");
        assertFails("ALTER TABLE names RENAME TO \"../names\"", LOOKUP_INVALID_SCHEMA, "'../names'", "must not");
        assertFails("ALTER TABLE names RENAME TO \"na$mes\"", NOT_SUPPORTED, "na$mes", "must not contain $");
        assertUpdate("DROP TABLE names");
        assertThat(files(warehouse.getParent(), 1)).containsAll(before).noneMatch(file -> file.endsWith("/x") || file.endsWith("/x.db"));
    }

    @Test
    void testSystemTablesAreReadOnly()
    {
        assertUpdate("CREATE TABLE told (k bigint, v varchar) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO told VALUES (1, 'a')", 1);
        for (String name : List.of("told$snapshots", "told$files", "told$audit_log")) {
            String table = "\"" + name + "\"";
            for (String statement : List.of(
                    "INSERT INTO %s SELECT * FROM %1$s",
                    "DELETE FROM %s",
                    "DROP TABLE %s",
                    "ALTER TABLE %s RENAME TO other",
                    "COMMENT ON TABLE %s IS 'x'")) {
                assertFails(statement.formatted(table), NOT_SUPPORTED, name, "read-only");
            }
        }
        assertFails("UPDATE \"told$audit_log\" SET v = 'b'", NOT_SUPPORTED, "told$audit_log", "read-only");
        assertFails("COMMENT ON COLUMN \"told$audit_log\".v IS 'x'", NOT_SUPPORTED, "told$audit_log", "read-only");
        assertQuery("SELECT count(*) FROM \"told$snapshots\"", "VALUES 2");
        assertQuery("SELECT * FROM told", "VALUES (1, 'a')");
        assertUpdate("DROP TABLE told");
    }

    @Test
    void testNullInKey()
    {
        assertUpdate("CREATE TABLE keyed (k bigint, p varchar, v varchar) WITH (primary_key = ARRAY['k', 'p'], partitioned_by = ARRAY['p'])");
        assertUpdate("INSERT INTO keyed VALUES (1, 'a', 'x')", 1);
        assertFails("INSERT INTO keyed VALUES (2, 'a', 'y'), (NULL, 'a', 'z')", CONSTRAINT_VIOLATION, "NULL", "k");
        assertFails("INSERT INTO keyed VALUES (3, NULL, 'z')", CONSTRAINT_VIOLATION, "NULL", "p");
        assertFails("UPDATE keyed SET k = nullif(k, 1)", INVALID_ARGUMENTS, "NULL", "k");
        assertFails("MERGE INTO keyed USING (VALUES (NULL, 'a')) s (k, p) ON keyed.k = s.k WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.p, 'n')", CONSTRAINT_VIOLATION, "NULL", "k");
        assertFails("CREATE TABLE nulls WITH (primary_key = ARRAY['k']) AS SELECT nullif(k, 2) k FROM (VALUES 1, 2) t (k)", CONSTRAINT_VIOLATION, "NULL", "column k", "default.nulls", "primary key");
        assertNoTable("nulls");
        assertQuery("SELECT * FROM keyed", "VALUES (1, 'a', 'x')");
        assertQuery("SELECT count(*) FROM \"keyed$snapshots\"", "VALUES 1");
        assertUpdate("DROP TABLE keyed");
    }

    @Test
    void testDamagedSnapshot()
            throws IOException
    {
        Path truncated = oneFile(damagedTable("truncated_snapshot"), "snapshot", "snapshot-1");
        truncate(truncated, Files.size(truncated) / 2);
        assertFails("SELECT * FROM truncated_snapshot", LOOKUP_CORRUPT_FILE, truncated.toString(), "truncated or not JSON");
        assertFails("INSERT INTO truncated_snapshot VALUES (2, 'b')", LOOKUP_CORRUPT_FILE, truncated.toString());

        Path empty = oneFile(damagedTable("empty_snapshot"), "snapshot", "snapshot-1");
        truncate(empty, 0);
        assertFails("SELECT * FROM empty_snapshot", LOOKUP_CORRUPT_FILE, empty.toString());

        Path text = oneFile(damagedTable("text_snapshot"), "snapshot", "snapshot-1");
        Files.writeString(text, "<html>no such key</html>");
        assertFails("SELECT * FROM text_snapshot", LOOKUP_CORRUPT_FILE, text.toString(), "not JSON");

        Path list = oneFile(damagedTable("list_snapshot"), "snapshot", "snapshot-1");
        Files.writeString(list, "[1, 2]");
        assertFails("SELECT * FROM list_snapshot", LOOKUP_CORRUPT_FILE, list.toString(), "not a JSON object");

        Path missing = oneFile(damagedTable("missing_snapshot"), "snapshot", "snapshot-1");
        assertUpdate("INSERT INTO missing_snapshot VALUES (1, 'b')", 1);
        Path newest = missing.resolveSibling("snapshot-" + computeScalar("SELECT max(snapshot_id) FROM \"missing_snapshot$snapshots\""));
        Files.delete(newest);
        assertFails("SELECT * FROM missing_snapshot", LOOKUP_MISSING_FILE, newest.toString(), "the newest of table default.missing_snapshot", "does not exist", "rollback_to_snapshot");
        assertFails("INSERT INTO missing_snapshot VALUES (2, 'b')", LOOKUP_MISSING_FILE, newest.toString());
        assertUpdate("CALL system.rollback_to_snapshot('default', 'missing_snapshot', 1)");
        assertQuery("SELECT count(*) FROM missing_snapshot", "VALUES 1");

        Path deep = oneFile(damagedTable("deep_snapshot"), "snapshot", "snapshot-1");
        Files.writeString(deep, "{\"a\":" + "[".repeat(100_000));
        assertFails("SELECT * FROM deep_snapshot", LOOKUP_CORRUPT_FILE, deep.toString());
    }

    @Test
    void testDamagedSchema()
            throws IOException
    {
        Path huge = oneFile(damagedTable("huge_schema"), "schema", "schema-0");
        try (RandomAccessFile file = new RandomAccessFile(huge.toFile(), "rw")) {
            // sparse
            file.setLength(20L << 30);
        }
        assertFails("SELECT * FROM huge_schema", LOOKUP_FILE_SYSTEM_ERROR, huge.toString(), "larger than");
        truncate(huge, 0);

        Path deep = oneFile(damagedTable("deep_schema"), "schema", "schema-0");
        String type = "{\"type\":\"ARRAY\",\"element\":".repeat(900) + "\"INT\"" + "}".repeat(900);
        Files.writeString(deep, Files.readString(deep).replace("\"STRING\"", type));
        assertThat(Files.readString(deep)).contains("ARRAY");
        assertFails("SELECT * FROM deep_schema", NOT_SUPPORTED, deep.toString(), "'v'", "901 deep", "100");
        Files.writeString(deep, "[".repeat(100_000));
        assertFails("SELECT * FROM deep_schema", LOOKUP_CORRUPT_FILE, deep.toString());
        // one such table hides no other
        assertUpdate("CREATE TABLE healthy (k bigint) WITH (primary_key = ARRAY['k'])");
        assertQuery("SELECT table_name FROM information_schema.columns WHERE table_schema = 'default' AND table_name = 'healthy'", "VALUES 'healthy'");
        assertUpdate("DROP TABLE healthy");
    }

    @Test
    void testDamagedManifests()
            throws IOException
    {
        Path manifest = oneFile(movedTable("missing_manifest"), "manifest", "manifest-");
        Files.delete(manifest);
        assertFails("SELECT * FROM missing_manifest", LOOKUP_MISSING_FILE, manifest.toString(), "does not exist");

        Path table = movedTable("missing_list");
        for (Path list : filesOf(table.resolve("manifest"), "manifest-list-")) {
            Files.delete(list);
        }
        assertFails("SELECT * FROM missing_list", LOOKUP_MISSING_FILE, table + "/manifest/manifest-list-", "does not exist");

        Path truncated = oneFile(movedTable("truncated_manifest"), "manifest", "manifest-");
        truncate(truncated, Files.size(truncated) - 10);
        assertFails("SELECT * FROM truncated_manifest", LOOKUP_CORRUPT_FILE, truncated.toString(), "truncated");
    }

    @Test
    void testDamagedDataFiles()
            throws IOException
    {
        Path missing = oneFile(damagedTable("missing_data"), "bucket-0", "data-");
        Files.delete(missing);
        assertFails("SELECT * FROM missing_data", LOOKUP_MISSING_FILE, missing.toString(), "does not exist");

        Path truncated = oneFile(damagedTable("truncated_data"), "bucket-0", "data-");
        truncate(truncated, Files.size(truncated) - 100);
        assertFails("SELECT * FROM truncated_data", LOOKUP_CORRUPT_FILE, truncated.toString(), "restore it");

        Path empty = oneFile(damagedTable("empty_data"), "bucket-0", "data-");
        truncate(empty, 0);
        assertFails("SELECT * FROM empty_data", LOOKUP_CORRUPT_FILE, empty.toString(), "restore it");

        Path footer = oneFile(damagedTable("corrupt_footer"), "bucket-0", "data-");
        byte[] content = Files.readAllBytes(footer);
        for (int index = content.length - 60; index < content.length - 8; index++) {
            content[index] = (byte) 0xA5;
        }
        Files.write(footer, content);
        assertFails("SELECT * FROM corrupt_footer", LOOKUP_CORRUPT_FILE, footer.toString(), "restore it");
        // a failed statement commits nothing
        assertFails("UPDATE corrupt_footer SET v = 'x'", LOOKUP_CORRUPT_FILE, footer.toString());
        assertQuery("SELECT count(*) FROM \"corrupt_footer$snapshots\"", "VALUES 1");
    }

    @Test
    void testWarehouseThatIsNotWritable()
            throws IOException
    {
        Path lost = LookupQueryRunner.temporaryDirectory("lookup-lost").resolve("warehouse");
        getQueryRunner().createCatalog("lost", LookupConnectorFactory.CONNECTOR_NAME, ImmutableMap.of(
                "lookup.warehouse", lost.toString(),
                "lookup.cache-directory", LookupQueryRunner.temporaryDirectory("lookup-cache").toString()));
        // permissions would not stop the superuser
        Files.writeString(lost, "in the way");
        assertFails("CREATE SCHEMA lost.s", LOOKUP_WAREHOUSE_NOT_WRITABLE, lost.toString(), "cannot be written");
        assertThat(Files.readString(lost)).isEqualTo("in the way");
    }

    /**
     * A table of one row in one snapshot that nothing has read yet.
     *
     * @return its directory
     */
    private Path damagedTable(String name)
    {
        assertUpdate("CREATE TABLE " + name + " (k bigint, v varchar) WITH (primary_key = ARRAY['k'])");
        assertUpdate("INSERT INTO " + name + " VALUES (1, 'a')", 1);
        return warehouse.resolve("default.db").resolve(name);
    }

    /**
     * The server still has the manifests that it has written in its memory, under the table's old place.
     */
    private Path movedTable(String name)
            throws IOException
    {
        Path made = damagedTable(name + "_made");
        return Files.move(made, made.resolveSibling(name));
    }

    private static Path oneFile(Path table, String directory, String prefix)
            throws IOException
    {
        return filesOf(table.resolve(directory), prefix).stream()
                .filter(file -> !file.getFileName().toString().startsWith("manifest-list-"))
                .collect(onlyElement());
    }

    private static List<Path> filesOf(Path directory, String prefix)
            throws IOException
    {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix)).collect(toImmutableList());
        }
    }

    private static List<String> files(Path directory, int depth)
            throws IOException
    {
        try (Stream<Path> files = Files.walk(directory, depth)) {
            return files.map(Path::toString).collect(toImmutableList());
        }
    }

    private static void truncate(Path file, long size)
            throws IOException
    {
        try (FileChannel channel = FileChannel.open(file, WRITE)) {
            channel.truncate(size);
        }
    }

    private void assertCreateFails(String properties, ErrorCodeSupplier code, String... parts)
    {
        assertFails("CREATE TABLE bad (k bigint, v integer, s varchar) WITH (primary_key = ARRAY['k'], %s)".formatted(properties), code, parts);
        assertNoTable("bad");
        assertFails("CREATE TABLE bad WITH (primary_key = ARRAY['k'], %s) AS SELECT BIGINT '1' k, 1 v, VARCHAR 'a' s".formatted(properties), code, parts);
        assertNoTable("bad");
    }

    private void assertNoTable(String name)
    {
        assertThat(Files.exists(warehouse.resolve("default.db").resolve(name).resolve("schema"))).as(name).isFalse();
    }

    private void assertFails(@Language("SQL") String sql, ErrorCodeSupplier code, String... parts)
    {
        assertTrinoExceptionThrownBy(() -> computeActual(sql))
                .as(sql)
                .hasErrorCode(code)
                .hasMessageContainingAll(parts);
    }
}
