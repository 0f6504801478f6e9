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

import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.trino.spi.ErrorCodeSupplier;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static io.trino.spi.StandardErrorCode.COLUMN_ALREADY_EXISTS;
import static io.trino.spi.StandardErrorCode.INVALID_TABLE_PROPERTY;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * ALTER TABLE: rows that were written before read as the table says now, here and in Paimon, and so does the log.
 */
final class TestAlterTable
        extends AbstractOracleQueryTest
{
    @Test
    void testSetProperties()
            throws Exception
    {
        assertUpdate("CREATE TABLE tuned (k bigint, v varchar) WITH (primary_key = ARRAY['k'], bucket = 2, options = ARRAY['snapshot.time-retained=1 d', 'num-levels=4'])");
        assertUpdate("INSERT INTO tuned VALUES (1, 'a'), (2, 'b')", 2);
        // what is set stays, what the statement does not name stays too
        assertUpdate("ALTER TABLE tuned SET PROPERTIES changelog_producer = 'lookup', target_file_size = '1 mb'");
        assertQuery("SELECT * FROM \"tuned$options\"", "VALUES ('bucket', '2'), ('changelog-producer', 'lookup'), ('num-levels', '4'), ('snapshot.time-retained', '1 d'), ('target-file-size', '1 mb')");
        assertUpdate("UPDATE tuned SET v = 'B' WHERE k = 2", 1);
        assertUpdate("UPDATE tuned SET v = 'BB' WHERE k = 2", 1);
        assertQuery("SELECT rowkind, v FROM \"tuned$audit_log\" WHERE k = 2 AND \"$snapshot_id\" > 3", "VALUES ('-U', 'B'), ('+U', 'BB')");
        // the list is replaced as a whole
        assertUpdate("ALTER TABLE tuned SET PROPERTIES options = ARRAY['num-sorted-run.compaction-trigger=7']");
        assertQuery("SELECT * FROM \"tuned$options\"", "VALUES ('bucket', '2'), ('changelog-producer', 'lookup'), ('num-sorted-run.compaction-trigger', '7'), ('target-file-size', '1 mb')");
        assertUpdate("ALTER TABLE tuned SET PROPERTIES options = DEFAULT, target_file_size = DEFAULT");
        assertQuery("SELECT * FROM \"tuned$options\"", "VALUES ('bucket', '2'), ('changelog-producer', 'lookup')");
        assertThat((String) computeScalar("SHOW CREATE TABLE tuned")).contains("changelog_producer = 'lookup'").doesNotContain("options");
        // nothing new, no new version
        long versions = (long) computeScalar("SELECT count(*) FROM \"tuned$schemas\"");
        assertUpdate("ALTER TABLE tuned SET PROPERTIES changelog_producer = 'lookup', primary_key = ARRAY['K'], bucket = 2, options = ARRAY[]");
        assertThat(computeScalar("SELECT count(*) FROM \"tuned$schemas\"")).isEqualTo(versions).isEqualTo(4L);
        assertUpdate("INSERT INTO tuned VALUES (3, 'c')", 1);
        assertSameInPaimon("tuned");
        assertUpdate("DROP TABLE tuned");
    }

    @Test
    void testPropertiesOfEmptyTable()
    {
        assertUpdate("CREATE TABLE blank (k bigint, v bigint) WITH (primary_key = ARRAY['k'], bucket = 3)");
        assertUpdate("ALTER TABLE blank SET PROPERTIES merge_engine = 'aggregation', bucket = DEFAULT, options = ARRAY['fields.v.aggregate-function=sum']");
        assertUpdate("INSERT INTO blank VALUES (1, 1)", 1);
        assertUpdate("INSERT INTO blank VALUES (1, 2)", 1);
        assertQuery("SELECT * FROM blank", "VALUES (1, 3)");
        assertQuery("SELECT value FROM \"blank$options\" WHERE key = 'bucket'", "VALUES '1'");
        assertUpdate("DROP TABLE blank");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
            "bucket = 4 | 'bucket'",
            "bucket = DEFAULT | 'bucket'",
            "bucket_key = ARRAY['k'] | 'bucket-key'",
            "merge_engine = 'aggregation' | 'merge-engine'",
            "sequence_field = ARRAY['n'] | 'sequence.field'",
            "primary_key = ARRAY['k', 'dt', 'n'] | primary_key",
            "primary_key = DEFAULT | primary_key",
            "partitioned_by = ARRAY['k'] | partitioned_by",
            "partitioned_by = DEFAULT | partitioned_by",
            "options = ARRAY['partition.default-name=none'] | 'partition.default-name'",
            "options = ARRAY['partition.legacy-name=false'] | 'partition.legacy-name'",
            "options = ARRAY['changelog-produser=lookup'] | 'changelog-producer'",
            "options = ARRAY['changelog-producer=none'] | changelog_producer",
            "options = ARRAY['file.format=orc'] | file.format",
            "options = ARRAY['record-level.expire-time=1 d'] | 'record-level.expire-time'",
            "options = ARRAY['primary-key=k'] | primary_key",
            "options = ARRAY['nothing'] | key=value",
            "options = ARRAY['num-levels=4', 'num-levels=5'] | num-levels",
            "options = ARRAY['num-levels=many'] | 'num-levels'",
            "options = ARRAY['fields.nothing.stats-mode=full'] | 'nothing'",
            "changelog_producer = 'lookups' | 'changelog-producer'",
            "changelog_producer = 'lookup', options = ARRAY['streaming-read-overwrite=true'] | 'streaming-read-overwrite'",
            "changelog_producer = 'lookup', options = ARRAY['changelog-producer=lookup'] | changelog_producer"})
    void testRefusedProperties(String properties, String named)
    {
        assertUpdate("CREATE TABLE IF NOT EXISTS fixed (k bigint, dt date, n integer, v varchar) WITH (primary_key = ARRAY['k', 'dt'], partitioned_by = ARRAY['dt'], bucket = 2, changelog_producer = 'lookup')");
        if ((long) computeScalar("SELECT count(*) FROM fixed") == 0) {
            assertUpdate("INSERT INTO fixed VALUES (1, date '2024-01-01', 1, 'a')", 1);
        }
        long versions = (long) computeScalar("SELECT count(*) FROM \"fixed$schemas\"");
        boolean unsupported = properties.matches("(primary_key|partitioned_by) = .*|.*'(file.format|record-level)[.=].*");
        assertRefused("ALTER TABLE fixed SET PROPERTIES " + properties, unsupported ? NOT_SUPPORTED : INVALID_TABLE_PROPERTY, named);
        assertThat(computeScalar("SELECT count(*) FROM \"fixed$schemas\"")).isEqualTo(versions);
    }

    @Test
    void testColumns()
            throws Exception
    {
        assertUpdate("CREATE TABLE people (id bigint, name varchar, age integer) WITH (primary_key = ARRAY['id'], changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO people VALUES (1, 'ann', 30), (2, 'bob', 40)", 2);

        assertUpdate("ALTER TABLE people ADD COLUMN town varchar COMMENT 'where'");
        assertUpdate("ALTER TABLE people ADD COLUMN born date FIRST");
        assertUpdate("ALTER TABLE people ADD COLUMN height real AFTER name");
        assertUpdate("ALTER TABLE people ADD COLUMN IF NOT EXISTS town bigint");
        assertQuery("SELECT * FROM people", "VALUES (NULL, 1, 'ann', NULL, 30, NULL), (NULL, 2, 'bob', NULL, 40, NULL)");
        assertThat((String) computeScalar("SHOW CREATE TABLE people")).contains("born date,\n   id bigint NOT NULL,\n   name varchar,\n   height real,\n   age integer,\n   town varchar COMMENT 'where'");
        assertUpdate("UPDATE people SET town = 'rome' WHERE id = 2", 1);
        assertSameInPaimon("people");

        assertUpdate("ALTER TABLE people RENAME COLUMN name TO first_name");
        assertUpdate("ALTER TABLE people RENAME COLUMN id TO number");
        assertUpdate("DELETE FROM people WHERE first_name = 'ann'", 1);
        assertUpdate("INSERT INTO people (number, first_name) VALUES (3, 'cid')", 1);
        assertQuery("SELECT number, first_name, town FROM people", "VALUES (2, 'bob', 'rome'), (3, 'cid', NULL)");
        assertSameInPaimon("people");

        assertUpdate("ALTER TABLE people DROP COLUMN age");
        assertUpdate("ALTER TABLE people ADD COLUMN age varchar");
        // it is another column now
        assertQuery("SELECT age FROM people", "VALUES NULL, NULL");
        assertUpdate("UPDATE people SET age = 'old' WHERE number = 2", 1);
        assertQuery("SELECT number, age FROM people WHERE age >= 'o'", "VALUES (2, 'old')");
        assertSameInPaimon("people");
        assertUpdate("ALTER TABLE people EXECUTE optimize");
        assertSameInPaimon("people");
        assertLogGivesTable("people");
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => 'people'))");
        assertQuery("SELECT rowkind, number, first_name, age FROM \"people$audit_log\" WHERE \"$snapshot_id\" <= 2", "VALUES ('+I', 1, 'ann', NULL), ('+I', 2, 'bob', NULL)");

        // earlier states have their own columns
        assertQuery("SELECT * FROM people FOR VERSION AS OF 2", "VALUES (1, 'ann', 30), (2, 'bob', 40)");
        assertQuery("SELECT id, name, town FROM people FOR VERSION AS OF 4", "VALUES (1, 'ann', NULL), (2, 'bob', 'rome')");
        assertUpdate("DROP TABLE people");
    }

    @Test
    void testRefusedColumns()
    {
        assertUpdate("CREATE TABLE rigid (k bigint, dt date, v bigint, s varchar, w varchar) WITH (primary_key = ARRAY['k', 'dt'], partitioned_by = ARRAY['dt'], sequence_field = ARRAY['v'], options = ARRAY['fields.w.stats-mode=full'])");
        assertUpdate("INSERT INTO rigid VALUES (1, date '2024-01-01', 1, 'a', 'b')", 1);
        assertRefused("ALTER TABLE rigid DROP COLUMN k", NOT_SUPPORTED, "default.rigid", "'k'");
        assertRefused("ALTER TABLE rigid DROP COLUMN dt", NOT_SUPPORTED, "'dt'");
        assertRefused("ALTER TABLE rigid DROP COLUMN v", INVALID_TABLE_PROPERTY, "'v'", "'sequence.field'");
        assertRefused("ALTER TABLE rigid DROP COLUMN w", INVALID_TABLE_PROPERTY, "'w'", "'fields.w.stats-mode'");
        assertRefused("ALTER TABLE rigid RENAME COLUMN dt TO day", NOT_SUPPORTED, "'dt'");
        assertRefused("ALTER TABLE rigid RENAME COLUMN s TO v", COLUMN_ALREADY_EXISTS, "v");
        for (String name : List.of("rowkind", "\"$snapshot_id\"", "_key_k", "_sequence_number", "_value_kind", "_level", "_row_id")) {
            assertRefused("ALTER TABLE rigid RENAME COLUMN s TO " + name, NOT_SUPPORTED, name.replace("\"", ""));
            assertRefused("ALTER TABLE rigid ADD COLUMN " + name + " bigint", NOT_SUPPORTED, name.replace("\"", ""));
        }
        assertRefused("ALTER TABLE rigid ADD COLUMN x bigint NOT NULL", NOT_SUPPORTED, "'x'", "NOT NULL");
        assertRefused("ALTER TABLE rigid ADD COLUMN x uuid", NOT_SUPPORTED, "uuid", "x");
        assertRefused("ALTER TABLE rigid ALTER COLUMN k SET DATA TYPE varchar", NOT_SUPPORTED, "'k'");
        assertRefused("ALTER TABLE rigid ALTER COLUMN dt SET DATA TYPE timestamp(3)", NOT_SUPPORTED, "'dt'");
        assertRefused("ALTER TABLE rigid ALTER COLUMN v SET DATA TYPE integer", NOT_SUPPORTED, "'v'", "BIGINT", "INT");
        assertRefused("ALTER TABLE rigid ALTER COLUMN v SET DATA TYPE varchar", NOT_SUPPORTED, "'v'", "'sequence.field'");
        assertRefused("ALTER TABLE rigid ALTER COLUMN s SET DATA TYPE varchar(1)", NOT_SUPPORTED, "'s'");
        assertRefused("ALTER TABLE rigid ALTER COLUMN k DROP NOT NULL", NOT_SUPPORTED, "'k'");
        assertRefused("ALTER TABLE \"rigid$files\" ADD COLUMN x bigint", NOT_SUPPORTED, "read-only");
        assertRefused("ALTER TABLE \"rigid$files\" SET PROPERTIES bucket = 1", NOT_SUPPORTED, "read-only");
        assertRefused("ALTER TABLE rigid RENAME TO \"a$b\"", NOT_SUPPORTED, "$");
        assertQuery("SELECT count(*) FROM \"rigid$schemas\"", "VALUES 1");
        assertUpdate("DROP TABLE rigid");
    }

    @ParameterizedTest
    @ValueSource(strings = {"lookup", "none"})
    void testTypes(String producer)
            throws Exception
    {
        assertUpdate("""
                CREATE TABLE wider (k bigint, t tinyint, i integer, r real, d decimal(6,2), c varchar(3), ts timestamp(3), tz timestamp(3) with time zone, n integer NOT NULL)
                WITH (primary_key = ARRAY['k'], bucket = 2, changelog_producer = '%s', changelog_producer_row_deduplicate = true)
                """.formatted(producer));
        String rows = "(%s, 1, 2, real '1.5', 1.25, 'abc', timestamp '1969-12-31 23:59:59.999', timestamp '1969-12-31 23:59:59.999 UTC', 7)";
        assertUpdate("INSERT INTO wider VALUES " + rows.formatted(1) + ", " + rows.formatted(2) + ", " + rows.formatted(3), 3);
        assertUpdate("ALTER TABLE wider ALTER COLUMN t SET DATA TYPE integer");
        assertUpdate("ALTER TABLE wider ALTER COLUMN i SET DATA TYPE decimal(20,3)");
        assertUpdate("ALTER TABLE wider ALTER COLUMN r SET DATA TYPE double");
        assertUpdate("ALTER TABLE wider ALTER COLUMN d SET DATA TYPE decimal(30,4)");
        assertUpdate("ALTER TABLE wider ALTER COLUMN c SET DATA TYPE varchar");
        assertUpdate("ALTER TABLE wider ALTER COLUMN ts SET DATA TYPE timestamp(6)");
        assertUpdate("ALTER TABLE wider ALTER COLUMN tz SET DATA TYPE timestamp(9) with time zone");
        assertUpdate("ALTER TABLE wider ALTER COLUMN n DROP NOT NULL");
        assertUpdate("ALTER TABLE wider ALTER COLUMN n SET DATA TYPE bigint");
        // the same values in other types are no change, other values are
        assertUpdate("INSERT INTO wider VALUES " + rows.formatted(1), 1);
        assertUpdate("UPDATE wider SET t = 100000, i = 2.001, r = 1e300, d = 1.2501, c = 'abcd', ts = timestamp '1969-12-31 23:59:59.999001', tz = timestamp '1969-12-31 23:59:59.999000001 UTC', n = NULL WHERE k = 2", 1);
        assertUpdate("DELETE FROM wider WHERE k = 3", 1);
        assertQuery(
                "SELECT k, t, i, r, d, c, CAST(ts AS varchar), CAST(tz AS varchar), n FROM wider",
                """
                VALUES
                (1, 1, 2.000, 1.5e0, 1.2500, 'abc', '1969-12-31 23:59:59.999000', '1969-12-31 23:59:59.999000000 UTC', 7),
                (2, 100000, 2.001, 1e300, 1.2501, 'abcd', '1969-12-31 23:59:59.999001', '1969-12-31 23:59:59.999000001 UTC', NULL)
                """);
        if (producer.equals("lookup")) {
            assertLogGivesTable("wider");
            assertQueryReturnsEmptyResult("SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => 'wider'))");
            assertQuery("SELECT rowkind, k, n FROM \"wider$audit_log\" WHERE \"$snapshot_id\" > 2", "VALUES ('-U', 2, 7), ('+U', 2, NULL), ('-D', 3, 7)");
        }
        assertUpdate("ALTER TABLE wider EXECUTE optimize");
        assertQuery("SELECT k FROM wider WHERE d = 1.25 AND t < 2 AND r = 1.5e0 AND tz < timestamp '1970-01-01 00:00:00 UTC' AND n = 7", "VALUES 1");
        assertUpdate("DROP TABLE wider");
    }

    @Test
    void testFieldsOfRows()
            throws Exception
    {
        assertUpdate("CREATE TABLE nested (k bigint, r row(a integer, b varchar), l array(row(a integer, b varchar))) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO nested VALUES (1, ROW(1, 'x'), ARRAY[ROW(1, 'x'), NULL]), (2, NULL, NULL), (3, ROW(3, 'z'), ARRAY[])", 3);
        assertUpdate("ALTER TABLE nested ADD COLUMN r.c date");
        assertUpdate("ALTER TABLE nested RENAME COLUMN r.b TO bb");
        assertUpdate("ALTER TABLE nested ALTER COLUMN r.a SET DATA TYPE bigint");
        assertUpdate("ALTER TABLE nested ADD COLUMN l.element.c date");
        assertUpdate("ALTER TABLE nested DROP COLUMN r.c");
        assertUpdate("ALTER TABLE nested ADD COLUMN r.c varchar");
        assertUpdate("ALTER TABLE nested ALTER COLUMN l SET DATA TYPE array(row(b varchar, a bigint, d double))");
        assertUpdate("INSERT INTO nested VALUES (2, ROW(5, 'y', 'c'), ARRAY[ROW('y', 5, 1e0)])", 1);
        assertQuery("SELECT k, r.a, r.bb, r.c, l[1].b, l[1].a, l[1].d FROM nested WHERE cardinality(l) > 0", "VALUES (1, 1, 'x', NULL, 'x', 1, NULL), (2, 5, 'y', 'c', 'y', 5, 1e0)");
        assertUpdate("ALTER TABLE nested EXECUTE optimize");
        assertLogGivesTable("nested");
        assertThat(paimon.readTable(new OracleTable("default", "nested"))).extracting(Change::rowText)
                .containsExactly("(1, [1, 'x', null], [['x', 1, null], null])", "(2, [5, 'y', 'c'], [['y', 5, 1.0]])", "(3, [3, 'z', null], [])");
        assertUpdate("DROP TABLE nested");
    }

    @Test
    void testOptionsFollowRenamedColumns()
            throws Exception
    {
        assertUpdate("""
                CREATE TABLE sums (k1 bigint, k2 bigint, n bigint, m bigint)
                WITH (primary_key = ARRAY['k1', 'k2'], bucket = 4, bucket_key = ARRAY['k2'], merge_engine = 'aggregation', changelog_producer = 'lookup',
                    options = ARRAY['fields.n.aggregate-function=sum', 'fields.m.aggregate-function=max'])
                """);
        assertUpdate("INSERT INTO sums SELECT i % 3, i, i, i FROM UNNEST(sequence(1, 30)) t (i)", 30);
        assertUpdate("ALTER TABLE sums RENAME COLUMN n TO total");
        assertUpdate("ALTER TABLE sums RENAME COLUMN k2 TO key");
        assertQuery("SELECT value FROM \"sums$options\" WHERE key IN ('bucket-key', 'fields.total.aggregate-function')", "VALUES 'key', 'sum'");
        assertUpdate("INSERT INTO sums SELECT i % 3, i, i, i - 100 FROM UNNEST(sequence(1, 30)) t (i)", 30);
        assertQuery("SELECT count(*), count(*) FILTER (WHERE total = 2 * key AND m = key) FROM sums", "VALUES (30, 30)");
        assertQuery("SELECT total FROM sums WHERE key = 17", "VALUES 34");
        assertSameInPaimon("sums");
        assertLogGivesTable("sums");
        assertUpdate("DROP TABLE sums");
    }

    @Test
    void testFewerLevels()
            throws Exception
    {
        assertUpdate("CREATE TABLE levels (k bigint, v bigint) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup', options = ARRAY['num-levels=9'])");
        assertUpdate("INSERT INTO levels SELECT i, i FROM UNNEST(sequence(1, 20)) t (i)", 20);
        assertUpdate("ALTER TABLE levels EXECUTE optimize");
        assertQuery("SELECT max(level) FROM \"levels$files\"", "VALUES 8");
        assertUpdate("ALTER TABLE levels SET PROPERTIES options = ARRAY['num-levels=3']");
        assertUpdate("INSERT INTO levels VALUES (1, 100)", 1);
        assertUpdate("UPDATE levels SET v = 200 WHERE k = 2", 1);
        assertUpdate("DELETE FROM levels WHERE k = 3", 1);
        assertQuery("SELECT count(*), sum(v) FROM levels", "VALUES (19, 504)");
        assertLogGivesTable("levels");
        assertSameInPaimon("levels");
        assertUpdate("DROP TABLE levels");
    }

    @Test
    void testComments()
    {
        assertUpdate("CREATE TABLE told (k bigint, v bigint) WITH (primary_key = ARRAY['k'])");
        assertUpdate("INSERT INTO told VALUES (1, 1)", 1);
        assertUpdate("COMMENT ON TABLE told IS 'a table'");
        assertUpdate("COMMENT ON COLUMN told.v IS 'a value'");
        assertThat((String) computeScalar("SHOW CREATE TABLE told")).contains("v bigint COMMENT 'a value'").contains("COMMENT 'a table'");
        assertUpdate("ALTER TABLE told RENAME TO retold");
        assertUpdate("ALTER TABLE retold RENAME COLUMN v TO w");
        assertQuery("SELECT comment FROM \"retold$schemas\" WHERE schema_id = 3", "VALUES 'a table'");
        assertQuery("SELECT w FROM retold", "VALUES 1");
        assertUpdate("DROP TABLE retold");
    }

    @Test
    void testAlterationsAtOnce()
            throws Exception
    {
        assertUpdate("CREATE TABLE busy (k bigint) WITH (primary_key = ARRAY['k'])");
        CountDownLatch start = new CountDownLatch(1);
        try (ExecutorService executor = Executors.newFixedThreadPool(4)) {
            List<Future<?>> alterations = new ArrayList<>();
            for (int index = 0; index < 4; index++) {
                String column = "c" + index;
                alterations.add(executor.submit(() -> {
                    start.await();
                    return computeActual("ALTER TABLE busy ADD COLUMN " + column + " bigint");
                }));
            }
            start.countDown();
            for (Future<?> alteration : alterations) {
                alteration.get();
            }
        }
        // each builds upon the one before
        assertQuery("SELECT count(*), max(schema_id) FROM \"busy$schemas\"", "VALUES (5, 4)");
        assertQuery("SELECT column_name FROM information_schema.columns WHERE table_name = 'busy'", "VALUES 'k', 'c0', 'c1', 'c2', 'c3'");
        assertUpdate("DROP TABLE busy");
    }

    private void assertRefused(@Language("SQL") String sql, ErrorCodeSupplier code, String... parts)
    {
        assertTrinoExceptionThrownBy(() -> computeActual(sql))
                .as(sql)
                .hasErrorCode(code)
                .hasMessageContainingAll(parts);
    }
}
