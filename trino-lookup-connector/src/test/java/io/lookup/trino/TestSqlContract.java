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

import io.trino.Session;
import io.trino.spi.ErrorCodeSupplier;
import io.trino.spi.type.Type;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;

import java.util.List;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.StandardErrorCode.INVALID_ARGUMENTS;
import static io.trino.spi.StandardErrorCode.INVALID_FUNCTION_ARGUMENT;
import static io.trino.spi.StandardErrorCode.INVALID_PROCEDURE_ARGUMENT;
import static io.trino.spi.StandardErrorCode.INVALID_TABLE_PROPERTY;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.StandardErrorCode.TABLE_NOT_FOUND;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.SAME_THREAD;

/**
 * What other programs rely on: the names, types and order of columns, the arguments of functions and procedures, and the class of an error.
 * Each is written here once more, so that no change of it goes unseen.
 */
@Execution(SAME_THREAD)
final class TestSqlContract
        extends AbstractTestQueryFramework
{
    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return LookupQueryRunner.createSingleNode(LookupQueryRunner.temporaryDirectory("lookup-contract"));
    }

    @Test
    void testTable()
    {
        createOrders("orders");
        assertUpdate("INSERT INTO orders VALUES (1, date '2025-06-01', 10.00, 'a'), (1, date '2025-06-01', 2.50, 'b')", 2);
        assertQuery("SELECT * FROM orders", "VALUES (1, date '2025-06-01', 12.50, 'b')");
        assertThat(columns("orders")).containsExactly("id bigint", "dt date", "amount decimal(12,2)", "note varchar");
        // primary-key columns become NOT NULL
        assertQuery("SELECT column_name FROM information_schema.columns WHERE table_schema = 'default' AND table_name = 'orders' AND is_nullable = 'NO'", "VALUES 'id', 'dt'");
        String statement = (String) computeScalar("SHOW CREATE TABLE orders");
        assertThat(statement).contains("primary_key = ARRAY['id','dt']", "partitioned_by = ARRAY['dt']", "bucket = 4", "changelog_producer = 'lookup'", "merge_engine = 'aggregation'", "options = ARRAY['fields.amount.aggregate-function=sum','fields.note.aggregate-function=last_value']");
        assertUpdate("DROP TABLE orders");
        assertUpdate(statement);
        assertThat(computeScalar("SHOW CREATE TABLE orders")).isEqualTo(statement);
        assertUpdate("DROP TABLE orders");
    }

    @Test
    void testStateTables()
    {
        createOrders("states");
        assertThat(columns("states$snapshots")).containsExactly(
                "snapshot_id bigint", "schema_id bigint", "commit_user varchar", "commit_identifier bigint", "commit_kind varchar", "commit_time timestamp(3)", "base_manifest_list varchar",
                "delta_manifest_list varchar", "changelog_manifest_list varchar", "total_record_count bigint", "delta_record_count bigint", "changelog_record_count bigint", "watermark bigint", "next_row_id bigint");
        assertThat(columns("states$files")).containsExactly(
                "partition varchar", "bucket integer", "file_path varchar", "file_format varchar", "schema_id bigint", "level integer", "record_count bigint", "file_size_in_bytes bigint", "min_key varchar", "max_key varchar",
                "null_value_counts varchar", "min_value_stats varchar", "max_value_stats varchar", "min_sequence_number bigint", "max_sequence_number bigint", "creation_time timestamp(3)", "deleterowcount bigint",
                "file_source varchar", "first_row_id bigint", "write_cols array(varchar)");
        assertThat(columns("states$audit_log")).containsExactly("rowkind varchar", "id bigint", "dt date", "amount decimal(12,2)", "note varchar");
        assertThat(columns("states$schemas")).containsExactly("schema_id bigint", "fields varchar", "partition_keys varchar", "primary_keys varchar", "options varchar", "comment varchar", "update_time timestamp(3)");
        assertThat(columns("states$options")).containsExactly("key varchar", "value varchar");
        assertThat(columns("states$manifests")).containsExactly(
                "file_name varchar", "file_size bigint", "num_added_files bigint", "num_deleted_files bigint", "schema_id bigint", "min_partition_stats varchar", "max_partition_stats varchar", "min_row_id bigint", "max_row_id bigint");
        assertThat(columns("states$partitions")).containsExactly(
                "partition varchar", "record_count bigint", "file_size_in_bytes bigint", "file_count bigint", "last_update_time timestamp(3)", "created_at timestamp(3)", "created_by varchar", "updated_by varchar", "options varchar");
        assertThat(columns("states$buckets")).containsExactly("partition varchar", "bucket integer", "record_count bigint", "file_size_in_bytes bigint", "file_count bigint", "last_update_time timestamp(3)");
        assertThat(columns("states$tags")).containsExactly("tag_name varchar", "snapshot_id bigint", "schema_id bigint", "commit_time timestamp(3)", "record_count bigint", "create_time timestamp(3)", "time_retained varchar");
        assertThat(columns("states$consumers")).containsExactly("consumer_id varchar", "next_snapshot_id bigint");
        assertThat(columns("states$branches")).containsExactly("branch_name varchar", "create_time timestamp(3)");
        assertThat(columns("states$aggregation_fields")).containsExactly("field_name varchar", "field_type varchar", "function varchar", "function_options varchar", "comment varchar");
        assertThat(columns("states$binlog")).containsExactly("rowkind varchar", "id array(bigint)", "dt array(date)", "amount array(decimal(12,2))", "note array(varchar)");
        assertThat(columns("states$ro")).containsExactly("id bigint", "dt date", "amount decimal(12,2)", "note varchar");
        for (String table : List.of("snapshots", "files", "audit_log", "schemas", "options", "manifests", "partitions", "buckets", "tags", "consumers", "branches", "aggregation_fields", "binlog", "ro")) {
            assertQuerySucceeds("SELECT * FROM \"states$" + table + "\"");
        }
        assertThat(computeActual("SHOW TABLES").getOnlyColumnAsSet()).noneMatch(name -> name.toString().contains("$"));
        assertUpdate("DROP TABLE states");
    }

    @Test
    void testLog()
    {
        assertUpdate("CREATE TABLE t (k bigint, v varchar) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO t VALUES (1, 'a'), (2, 'b')", 2);
        assertUpdate("UPDATE t SET v = 'c' WHERE k = 1", 1);
        assertUpdate("DELETE FROM t WHERE k = 2", 1);
        assertQuery("SELECT * FROM \"t$audit_log\" WHERE \"$snapshot_id\" > 2 AND \"$snapshot_id\" <= 4", "VALUES ('-U', 1, 'a'), ('+U', 1, 'c')");
        assertThat(types("SELECT \"$snapshot_id\", \"$commit_time\", \"$query_id\", \"$user\", \"$bucket\", \"$sequence_number\" FROM \"t$audit_log\""))
                .containsExactly("bigint", "timestamp(3) with time zone", "varchar", "varchar", "integer", "bigint");
        assertThat(types("SELECT \"$query_id\", \"$user\" FROM \"t$snapshots\"")).containsExactly("varchar", "varchar");
        assertQuery("SELECT changelog_record_count FROM \"t$snapshots\"", "VALUES NULL, 2, NULL, 2, NULL, 1");
        assertQuery("SELECT DISTINCT min_key FROM \"t$files\"", "VALUES '[1]'");

        String changes = "SELECT * FROM TABLE(lake.system.table_changes(schema_name => 'default', table_name => 't', start_snapshot_id => 2, end_snapshot_id => 4, scan_mode => '%s'))";
        assertThat(computeActual(changes.formatted("changelog")).getColumnNames())
                .containsExactly("rowkind", "k", "v", "_snapshot_id", "_commit_time", "_query_id", "_user", "_bucket", "_sequence_number");
        assertThat(computeActual(changes.formatted("changelog")).getRowCount()).isEqualTo(2);
        assertThat(computeActual(changes.formatted("auto")).getRowCount()).isEqualTo(2);
        assertThat(computeActual(changes.formatted("delta")).getRowCount()).isEqualTo(1);
        assertQuery("SELECT count(*) FROM TABLE(lake.system.table_changes(schema_name => 'default', table_name => 't', incremental_between => '2,4'))", "VALUES 2");
        assertQuery("SELECT count(*) FROM TABLE(lake.system.table_changes('default', 't', 2, 4))", "VALUES 2");
        assertFails("SELECT * FROM TABLE(lake.system.table_changes(schema_name => 'default', table_name => 't', end_snapshot_id => 99))", INVALID_FUNCTION_ARGUMENT);
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => 't'))");
        assertThat(computeActual("SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => 't'))").getColumnNames())
                .containsExactly("snapshot_id", "partition", "bucket", "key", "expected", "found");
        assertUpdate("DROP TABLE t");
    }

    @Test
    void testTimeTravelAndMaintenance()
    {
        assertUpdate("CREATE TABLE t (k bigint, v varchar) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO t VALUES (1, 'a')", 1);
        assertUpdate("INSERT INTO t VALUES (1, 'b')", 1);
        assertUpdate("ALTER TABLE t EXECUTE create_tag(tag => '2', snapshot_id => 4)");
        // a number is an id, a string a tag
        assertQuery("SELECT v FROM t FOR VERSION AS OF 2", "VALUES 'a'");
        assertQuery("SELECT v FROM t FOR VERSION AS OF '2'", "VALUES 'b'");
        Object commitTime = computeScalar("SELECT CAST(commit_time AS varchar) FROM \"t$snapshots\" WHERE snapshot_id = 2");
        assertQuery("SELECT v FROM t FOR TIMESTAMP AS OF timestamp '" + commitTime + " UTC'", "VALUES 'a'");
        assertQuery("SELECT count(*) FROM \"t$files\" FOR VERSION AS OF 2", "VALUES 1");
        assertFails("SELECT * FROM \"t$audit_log\" FOR VERSION AS OF 2", NOT_SUPPORTED);
        assertFails("SELECT * FROM t FOR VERSION AS OF 99", INVALID_ARGUMENTS);
        assertFails("SELECT * FROM t FOR VERSION AS OF 'none'", INVALID_ARGUMENTS);

        assertUpdate("ALTER TABLE t EXECUTE optimize");
        assertUpdate("ALTER TABLE t EXECUTE expire_snapshots(retention_threshold => '7d', retain_last => 10)");
        assertUpdate("ALTER TABLE t EXECUTE remove_orphan_files(retention_threshold => '7d')");
        assertUpdate("ALTER TABLE t EXECUTE rollback_to_snapshot(snapshot_id => 4)");
        assertUpdate("ALTER TABLE t EXECUTE delete_tag(tag => '2')");
        assertFails("ALTER TABLE t EXECUTE expire_snapshots(retention_threshold => '1h')", INVALID_PROCEDURE_ARGUMENT);
        assertFails("ALTER TABLE t EXECUTE remove_orphan_files(retention_threshold => '1h')", INVALID_PROCEDURE_ARGUMENT);
        Session unguarded = Session.builder(getSession()).setCatalogSessionProperty("lake", "expire_snapshots_min_retention", "0s").build();
        assertUpdate(unguarded, "ALTER TABLE t EXECUTE expire_snapshots(retention_threshold => '0s', retain_last => 1)");
        assertQuery("SELECT count(*) FROM \"t$snapshots\"", "VALUES 1");
        assertUpdate("DROP TABLE t");
    }

    @Test
    void testStatements()
    {
        assertUpdate("CREATE TABLE t (k bigint, v varchar) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')");
        assertUpdate("INSERT INTO t VALUES (1, 'a'), (2, 'b')", 2);
        assertUpdate("UPDATE t SET k = k + 1", 2);
        assertQuery("SELECT * FROM t", "VALUES (2, 'a'), (3, 'b')");
        Session overwriting = Session.builder(getSession()).setCatalogSessionProperty("lake", "insert_overwrite", "true").build();
        assertUpdate(overwriting, "INSERT INTO t VALUES (3, 'c')", 1);
        assertQuery("SELECT * FROM t", "VALUES (3, 'c')");
        assertUpdate("TRUNCATE TABLE t");
        assertQueryReturnsEmptyResult("SELECT * FROM t");
        assertQuery("SELECT rowkind, k, v FROM \"t$audit_log\" WHERE \"$snapshot_id\" >= 5", "VALUES ('-D', 2, 'a'), ('-U', 3, 'b'), ('+U', 3, 'c'), ('-D', 3, 'c')");
        assertUpdate("CREATE TABLE made WITH (primary_key = ARRAY['k']) AS SELECT 1 k", 1);
        assertUpdate("DROP TABLE made");
        assertUpdate("DROP TABLE t");
    }

    @Test
    void testRefusedDefinitions()
    {
        assertFails("CREATE TABLE bad (k bigint) WITH (primary_key = ARRAY['k'], options = ARRAY['num-level=4'])", INVALID_TABLE_PROPERTY, "num-levels");
        assertFails("CREATE TABLE bad (k bigint) WITH (primary_key = ARRAY['k'], options = ARRAY['record-level.expire-time=1 d'])", NOT_SUPPORTED, "record-level.expire-time");
        assertFails("CREATE TABLE \"bad$name\" (k bigint) WITH (primary_key = ARRAY['k'])", NOT_SUPPORTED);
        assertFails("CREATE TABLE bad (k bigint, rowkind varchar) WITH (primary_key = ARRAY['k'])", NOT_SUPPORTED);
        assertFails("CREATE TABLE bad (k bigint, \"$x\" varchar) WITH (primary_key = ARRAY['k'])", NOT_SUPPORTED);
        assertUpdate("CREATE TABLE good (k bigint) WITH (primary_key = ARRAY['k'])");
        assertFails("ALTER TABLE good ADD COLUMN rowkind varchar", NOT_SUPPORTED);
        assertFails("ALTER TABLE good RENAME TO \"good$x\"", NOT_SUPPORTED);
        assertFails("SELECT * FROM \"good$nothing\"", TABLE_NOT_FOUND);
        assertFails("INSERT INTO \"good$options\" VALUES ('a', 'b')", NOT_SUPPORTED);
        assertUpdate("CREATE TABLE appended (k bigint)");
        assertUpdate("INSERT INTO appended VALUES 1", 1);
        assertFails("DELETE FROM appended WHERE k = 1", NOT_SUPPORTED, "no primary key");
        assertFails("UPDATE appended SET k = 2", NOT_SUPPORTED, "no primary key");
        assertUpdate("DROP TABLE appended");
        assertUpdate("DROP TABLE good");
    }

    private void createOrders(String name)
    {
        assertUpdate("""
                CREATE TABLE lake.default.%s (
                    id bigint NOT NULL,
                    dt date NOT NULL,
                    amount decimal(12,2),
                    note varchar)
                WITH (
                    primary_key = ARRAY['id', 'dt'],
                    partitioned_by = ARRAY['dt'],
                    bucket = 4,
                    changelog_producer = 'lookup',
                    merge_engine = 'aggregation',
                    options = ARRAY['fields.amount.aggregate-function=sum', 'fields.note.aggregate-function=last_value'])
                """.formatted(name));
    }

    private List<String> columns(String table)
    {
        return computeActual("SHOW COLUMNS FROM \"" + table + "\"").getMaterializedRows().stream()
                .map(row -> row.getField(0) + " " + row.getField(1))
                .collect(toImmutableList());
    }

    private List<String> types(@Language("SQL") String query)
    {
        return computeActual(query).getTypes().stream()
                .map(Type::getDisplayName)
                .collect(toImmutableList());
    }

    private void assertFails(@Language("SQL") String statement, ErrorCodeSupplier code, String... parts)
    {
        assertTrinoExceptionThrownBy(() -> computeActual(statement)).as(statement).hasErrorCode(code);
        for (String part : parts) {
            assertTrinoExceptionThrownBy(() -> computeActual(statement)).as(statement).hasMessageContaining(part);
        }
    }
}
