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
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Schemas and tables by SQL: their definition, and plain reading and writing.
 */
final class TestLookupTables
        extends AbstractTestQueryFramework
{
    private final Path warehouse = LookupQueryRunner.temporaryDirectory("lookup-warehouse");

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return LookupQueryRunner.create(warehouse, ImmutableMap.of());
    }

    @Test
    void testSchemas()
    {
        assertUpdate("CREATE SCHEMA people");
        assertQuery("SHOW SCHEMAS LIKE 'people'", "VALUES 'people'");
        assertUpdate("CREATE TABLE people.t (id bigint) WITH (primary_key = ARRAY['id'])");
        assertQueryFails("DROP SCHEMA people", ".*Cannot drop non-empty schema 'people'.*");
        assertUpdate("DROP TABLE people.t");
        assertUpdate("DROP SCHEMA people");
        assertQuery("SELECT count(*) FROM information_schema.schemata WHERE schema_name = 'people'", "VALUES 0");
        assertQueryFails("CREATE TABLE nowhere.t (id bigint)", ".*Schema 'nowhere' does not exist.*|.*Schema nowhere not found.*");
        assertQueryFails("CREATE TABLE nowhere.t WITH (primary_key = ARRAY['id']) AS SELECT 1 AS id", ".*Schema '?nowhere'? (does not exist|not found).*");
        assertQuery("SELECT count(*) FROM information_schema.schemata WHERE schema_name = 'nowhere'", "VALUES 0");
        assertThat(warehouse.resolve("nowhere.db")).doesNotExist();
    }

    @Test
    void testBrokenNewestSnapshotLocksNothing()
            throws Exception
    {
        assertUpdate("CREATE TABLE torn (id bigint, v varchar) WITH (primary_key = ARRAY['id'])");
        assertUpdate("INSERT INTO torn VALUES (1, 'a')", 1);
        assertUpdate("INSERT INTO torn VALUES (1, 'b')", 1);
        Path newest = warehouse.resolve("default.db/torn/snapshot/snapshot-2");
        Files.writeString(newest, Files.readString(newest).substring(0, 20));
        assertQueryFails("SELECT * FROM torn", ".*snapshot-2.*");
        assertQuery("SELECT v FROM torn FOR VERSION AS OF 1", "VALUES 'a'");
        assertQuery("SELECT snapshot_id FROM \"torn$snapshots\" FOR VERSION AS OF 1", "VALUES 1");
        assertThat((String) computeScalar("SHOW CREATE TABLE torn")).contains("primary_key");
        assertUpdate("COMMENT ON TABLE torn IS 'broken'");
        assertUpdate("DROP TABLE torn");
        assertThat(warehouse.resolve("default.db/torn")).doesNotExist();
    }

    @Test
    void testNamesThatNothingHas()
    {
        assertUpdate("CREATE TABLE untagged (id bigint) WITH (primary_key = ARRAY['id'])");
        assertUpdate("INSERT INTO untagged VALUES 1", 1);
        for (String tag : new String[] {"a:b", "a/b", ""}) {
            assertQueryFails("SELECT * FROM untagged FOR VERSION AS OF '%s'".formatted(tag), ".*has no tag '%s'.*".formatted(tag));
        }
        assertQueryFails("SELECT * FROM TABLE(system.table_changes(schema_name => '', table_name => 'untagged'))", ".*schema_name must not be empty.*");
        assertUpdate("DROP TABLE untagged");
    }

    @Test
    void testShowCreateTableRecreates()
    {
        assertUpdate("""
                CREATE TABLE definitions (
                    id bigint NOT NULL COMMENT 'the key',
                    dt date,
                    amount decimal(12, 2),
                    note varchar(10),
                    tags array(varchar),
                    place row(x double, y double))
                COMMENT 'what it is'
                WITH (
                    primary_key = ARRAY['id', 'dt'],
                    partitioned_by = ARRAY['dt'],
                    bucket = 3,
                    merge_engine = 'aggregation',
                    changelog_producer = 'lookup',
                    options = ARRAY['fields.amount.aggregate-function=sum', 'fields.note.aggregate-function=last_value'])
                """);
        String statement = (String) computeScalar("SHOW CREATE TABLE definitions");
        assertThat(statement)
                .contains("dt date NOT NULL")
                .contains("primary_key = ARRAY['id','dt']")
                .contains("partitioned_by = ARRAY['dt']")
                .contains("bucket = 3")
                .contains("options = ARRAY['fields.amount.aggregate-function=sum','fields.note.aggregate-function=last_value']");
        assertUpdate("DROP TABLE definitions");
        assertUpdate(statement);
        assertThat(computeScalar("SHOW CREATE TABLE definitions")).isEqualTo(statement);
        assertUpdate("DROP TABLE definitions");
    }

    @Test
    void testBucketIsAlwaysWritten()
    {
        assertUpdate("CREATE TABLE plain (id bigint, v varchar) WITH (primary_key = ARRAY['id'])");
        assertThat((String) computeScalar("SHOW CREATE TABLE plain")).contains("bucket = 1");
        assertUpdate("DROP TABLE plain");
    }

    @Test
    void testBadDefinitions()
    {
        assertQueryFails("CREATE TABLE bad (id bigint) WITH (primary_key = ARRAY['key'])", ".*Column key of primary_key is not a column of the table.*");
        assertQueryFails("CREATE TABLE bad (id bigint, dt date) WITH (primary_key = ARRAY['id'], partitioned_by = ARRAY['dt'])", ".*Partition column dt must be part of primary_key.*");
        assertQueryFails("CREATE TABLE bad (id bigint, v uuid) WITH (primary_key = ARRAY['id'])", ".*Type uuid of column v is not supported.*");
        assertQueryFails("CREATE TABLE bad (id bigint, v timestamp(10)) WITH (primary_key = ARRAY['id'])", ".*column v is not supported: the highest precision is 9.*");
        assertQueryFails("CREATE TABLE bad (id bigint, v time(6)) WITH (primary_key = ARRAY['id'])", ".*column v is not supported: the highest precision is 3.*");
        assertQueryFails("CREATE TABLE bad (id bigint, v varchar(0)) WITH (primary_key = ARRAY['id'])", ".*column v is not supported.*");
        assertQueryFails("CREATE TABLE bad (id bigint) WITH (primary_key = ARRAY['id'], bucket = 0)", ".*bucket.*");
        assertQueryFails("CREATE TABLE bad (id bigint) WITH (primary_key = ARRAY['id'], bucket = 2, options = ARRAY['bucket=2'])", ".*Option bucket is given by the table property.*");
        assertQueryFails("CREATE TABLE bad (id bigint) WITH (primary_key = ARRAY['id'], options = ARRAY['buckt=2'])", ".*Unknown option 'buckt'; did you mean 'bucket'.*");
        assertQueryFails("CREATE TABLE bad (id bigint, rowkind varchar) WITH (primary_key = ARRAY['id'])", ".*Column name rowkind is reserved.*");
        assertQueryFails("CREATE TABLE bad (id bigint, \"$v\" varchar) WITH (primary_key = ARRAY['id'])", ".*is reserved.*");
        assertQueryFails("CREATE TABLE \"bad$v\" (id bigint) WITH (primary_key = ARRAY['id'])", ".*must not contain \\$.*");
        assertQueryFails("CREATE TABLE bad WITH (primary_key = ARRAY['id'], bucket = 2, bucket_key = ARRAY['v']) AS SELECT 1 AS id, ARRAY[1] AS v", ".*bucket-key.*");
        assertThat(computeActual("SHOW TABLES LIKE 'bad%'").getRowCount()).isZero();
    }

    @Test
    void testInsertUpserts()
    {
        assertUpdate("CREATE TABLE upserts (id bigint, v varchar, n integer) WITH (primary_key = ARRAY['id'], bucket = 3)");
        assertQueryReturnsEmptyResult("SELECT * FROM upserts");
        assertUpdate("INSERT INTO upserts VALUES (1, 'a', 10), (2, 'b', 20), (3, NULL, NULL)", 3);
        assertUpdate("INSERT INTO upserts (n, id) VALUES (11, 1), (40, 4)", 2);
        assertQuery("SELECT * FROM upserts", "VALUES (1, NULL, 11), (2, 'b', 20), (3, NULL, NULL), (4, NULL, 40)");
        assertQuery("SELECT count(*) FROM upserts", "VALUES 4");
        assertQuery("SELECT v FROM upserts WHERE id = 2", "VALUES 'b'");
        assertQuery("SELECT id FROM upserts WHERE v IS NULL AND n > 10", "VALUES 1, 4");
        assertQueryFails("INSERT INTO upserts VALUES (NULL, 'x', 1)", ".*NULL value not allowed for NOT NULL column: id.*");
        assertUpdate("DROP TABLE upserts");
    }

    @Test
    void testCreateTableAsSelect()
    {
        assertUpdate("CREATE TABLE copies WITH (primary_key = ARRAY['orderkey'], bucket = 2) AS SELECT * FROM (VALUES (1, 'a'), (2, 'b')) t (orderkey, status)", 2);
        assertQuery("SELECT * FROM copies", "VALUES (1, 'a'), (2, 'b')");
        assertQueryFails("CREATE TABLE copies WITH (primary_key = ARRAY['orderkey']) AS SELECT 1 orderkey", ".*'lake.default.copies' already exists.*");
        // compacts rows of a table that is not there yet
        assertUpdate("CREATE TABLE logged_copies WITH (primary_key = ARRAY['orderkey'], bucket = 2, changelog_producer = 'lookup') AS SELECT * FROM copies", 2);
        assertQuery("SELECT rowkind, orderkey FROM \"logged_copies$audit_log\"", "VALUES ('+I', 1), ('+I', 2)");
        assertUpdate("DROP TABLE logged_copies");
        assertUpdate("CREATE TABLE empty_copy WITH (primary_key = ARRAY['orderkey']) AS SELECT * FROM copies WHERE false", 0);
        assertQueryReturnsEmptyResult("SELECT * FROM empty_copy");
        assertQueryFails("CREATE TABLE null_copy WITH (primary_key = ARRAY['k']) AS SELECT CAST(NULL AS bigint) k", ".*NULL for column k .*");
        assertThat(computeActual("SHOW TABLES LIKE 'null_copy'").getRowCount()).isZero();
        assertUpdate("DROP TABLE copies");
        assertUpdate("DROP TABLE empty_copy");
    }

    /**
     * The rows are compacted, and logged, before the table exists.
     */
    @Test
    void testCreateTableAsSelectLogs()
    {
        for (String producer : List.of("none", "input", "lookup", "full-compaction")) {
            for (boolean vectors : producer.equals("lookup") ? List.of(false, true) : List.of(false)) {
                assertUpdate("CREATE TABLE logged WITH (primary_key = ARRAY['k', 'p'], partitioned_by = ARRAY['p'], bucket = 2, changelog_producer = '%s', deletion_vectors_enabled = %s) AS SELECT n k, n %% 3 p, 'v' v FROM UNNEST(sequence(1, 30)) t (n)".formatted(producer, vectors), 30);
                assertQuery("SELECT count(*), sum(k) FROM logged", "VALUES (30, 465)");
                assertQuery("SELECT count(*), count(DISTINCT rowkind), sum(k) FROM \"logged$audit_log\"", producer.equals("full-compaction") ? "VALUES (0, 0, NULL)" : "VALUES (30, 1, 465)");
                assertUpdate("INSERT INTO logged VALUES (1, 1, 'w'), (31, 1, 'x')", 2);
                assertUpdate("ALTER TABLE logged EXECUTE optimize");
                assertQuery("SELECT count(*), sum(k), count_if(v = 'v') FROM logged", "VALUES (31, 496, 29)");
                // an upsert's input says nothing of the row before
                if (producer.equals("lookup") || producer.equals("full-compaction")) {
                    LogReplay.assertLogGivesTable(this::computeActual, "logged");
                }
                assertUpdate("DROP TABLE logged");
            }
        }
    }

    @Test
    void testPartitions()
    {
        assertUpdate("CREATE TABLE days (id bigint, dt date, v varchar) WITH (primary_key = ARRAY['id', 'dt'], partitioned_by = ARRAY['dt'], bucket = 2)");
        assertUpdate("INSERT INTO days SELECT n, date '2024-01-01' + interval '1' day * (n % 5), 'v' || CAST(n AS varchar) FROM UNNEST(sequence(1, 100)) t (n)", 100);
        assertUpdate("INSERT INTO days VALUES (5, date '2024-01-01', 'new')", 1);
        assertQuery("SELECT count(*), count(DISTINCT dt) FROM days", "VALUES (100, 5)");
        assertQuery("SELECT count(*) FROM days WHERE dt = date '2024-01-02'", "VALUES 20");
        assertQuery("SELECT v FROM days WHERE dt = date '2024-01-01' AND id = 5", "VALUES 'new'");
        // partitions are taken over from the filter
        assertThat((String) computeScalar("EXPLAIN SELECT * FROM days WHERE dt = date '2024-01-02'")).doesNotContain("ilter");
        assertUpdate("DROP TABLE days");
    }

    @Test
    void testAllTypes()
    {
        assertUpdate("""
                CREATE TABLE types (
                    k bigint, bo boolean, ti tinyint, sm smallint, i integer, r real, d double, de decimal(10, 2), dl decimal(30, 5),
                    c char(5), vc varchar(4), v varchar, vb varbinary, da date, t time(3), ts0 timestamp(0), ts3 timestamp(3), ts6 timestamp(6), ts9 timestamp(9),
                    tz3 timestamp(3) with time zone, tz6 timestamp(6) with time zone, a array(integer), m map(varchar, bigint), ro row(x integer, y varchar))
                WITH (primary_key = ARRAY['k'])
                """);
        String row = """
                BIGINT '1', true, TINYINT '1', SMALLINT '2', 3, REAL '1.5', DOUBLE '2.5', DECIMAL '12345678.12', CAST('1234567890123456789012345.12345' AS decimal(30, 5)),
                CAST('ab' AS char(5)), CAST('abcd' AS varchar(4)), VARCHAR 'x', X'00FF', DATE '1969-12-31', TIME '12:34:56.789',
                TIMESTAMP '2024-02-29 12:00:01', TIMESTAMP '1969-12-31 23:59:59.999', TIMESTAMP '2024-02-29 12:00:01.123456', TIMESTAMP '2024-02-29 12:00:01.123456789',
                TIMESTAMP '1969-12-31 23:59:59.999 UTC', TIMESTAMP '2024-02-29 12:00:01.123456 UTC', ARRAY[1, NULL, 3], MAP(ARRAY['a', 'b'], ARRAY[BIGINT '1', NULL]), CAST(ROW(1, NULL) AS row(x integer, y varchar))
                """;
        assertUpdate("INSERT INTO types VALUES (" + row + ")", 1);
        assertUpdate("INSERT INTO types (k) VALUES 2", 1);
        assertQuery("SELECT count(*) FROM types", "VALUES 2");
        assertThat(computeActual("SELECT * FROM types WHERE k = 1").getMaterializedRows())
                .isEqualTo(computeActual("SELECT " + row).getMaterializedRows());
        assertThat(computeActual("SELECT * FROM types WHERE k = 2").getMaterializedRows().getFirst().getFields().stream().skip(1)).allMatch(value -> value == null);
        assertUpdate("DROP TABLE types");
    }

    @Test
    void testTimeTravel()
    {
        assertUpdate("CREATE TABLE versions (id bigint, v varchar) WITH (primary_key = ARRAY['id'])");
        assertUpdate("INSERT INTO versions VALUES (1, 'a')", 1);
        assertUpdate("INSERT INTO versions VALUES (1, 'b')", 1);
        assertQuery("SELECT v FROM versions FOR VERSION AS OF 1", "VALUES 'a'");
        assertQuery("SELECT v FROM versions FOR VERSION AS OF 2", "VALUES 'b'");
        String firstCommit = (String) computeScalar("SELECT CAST(min(commit_time) AS varchar) FROM \"versions$snapshots\"");
        assertQuery("SELECT v FROM versions FOR TIMESTAMP AS OF TIMESTAMP '" + firstCommit + " UTC'", "VALUES 'a'");
        assertQueryFails("SELECT v FROM versions FOR VERSION AS OF 77", "Table default\\.versions has no snapshot 77; retained are 1 to 2");
        assertQueryFails("SELECT v FROM versions FOR VERSION AS OF 'x'", ".*has no tag 'x'.*");
        assertQueryFails("SELECT v FROM versions FOR TIMESTAMP AS OF TIMESTAMP '2001-01-01 00:00:00'", ".*no snapshot that was committed at or before.*");
        assertUpdate("DROP TABLE versions");
    }

    @Test
    void testComments()
    {
        assertUpdate("CREATE TABLE remarks (id bigint, v varchar) WITH (primary_key = ARRAY['id'])");
        assertUpdate("COMMENT ON TABLE remarks IS 'about'");
        assertUpdate("COMMENT ON COLUMN remarks.v IS 'value'");
        assertThat((String) computeScalar("SHOW CREATE TABLE remarks")).contains("COMMENT 'about'").contains("COMMENT 'value'");
        assertUpdate("INSERT INTO remarks VALUES (1, 'a')", 1);
        assertUpdate("COMMENT ON TABLE remarks IS NULL");
        assertQuery("SELECT * FROM remarks", "VALUES (1, 'a')");
        assertUpdate("DROP TABLE remarks");
    }

    @Test
    void testRename()
    {
        assertUpdate("CREATE TABLE before_name (id bigint) WITH (primary_key = ARRAY['id'])");
        assertUpdate("INSERT INTO before_name VALUES 1", 1);
        assertQueryFails("ALTER TABLE before_name RENAME TO \"after$name\"", ".*must not contain \\$.*");
        assertUpdate("ALTER TABLE before_name RENAME TO after_name");
        assertQuery("SELECT * FROM after_name", "VALUES 1");
        assertQueryFails("SELECT * FROM before_name", ".*does not exist.*");
        assertUpdate("DROP TABLE after_name");
    }

    @Test
    void testExplainChangesNothing()
    {
        assertUpdate("CREATE TABLE untouched (id bigint, v varchar) WITH (primary_key = ARRAY['id'])");
        assertUpdate("INSERT INTO untouched VALUES (1, 'a')", 1);
        computeActual("EXPLAIN INSERT INTO untouched VALUES (2, 'b')");
        computeActual("EXPLAIN DELETE FROM untouched");
        computeActual("EXPLAIN UPDATE untouched SET v = 'x'");
        computeActual("EXPLAIN CREATE TABLE never_made WITH (primary_key = ARRAY['id']) AS SELECT * FROM untouched");
        assertQuery("SELECT * FROM untouched", "VALUES (1, 'a')");
        assertQuery("SELECT count(*) FROM \"untouched$snapshots\"", "VALUES 1");
        assertThat(computeActual("SHOW TABLES LIKE 'never_made'").getRowCount()).isZero();
        assertUpdate("DROP TABLE untouched");
    }
}
