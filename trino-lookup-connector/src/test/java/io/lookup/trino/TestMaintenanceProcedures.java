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

import io.lookup.storage.oracle.OracleTable;
import io.trino.Session;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import static io.trino.spi.StandardErrorCode.INVALID_ARGUMENTS;
import static io.trino.spi.StandardErrorCode.INVALID_PROCEDURE_ARGUMENT;
import static io.trino.spi.StandardErrorCode.INVALID_TABLE_PROPERTY;
import static io.trino.spi.StandardErrorCode.NOT_FOUND;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.StandardErrorCode.TABLE_NOT_FOUND;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tags, rollback, expiry and removal of orphan files, as table procedures and by CALL.
 */
final class TestMaintenanceProcedures
        extends AbstractOracleQueryTest
{
    @Test
    void testTags()
            throws Exception
    {
        create("tagged");
        for (boolean call : List.of(false, true)) {
            maintain(getSession(), call, "tagged", "create_tag", "tag => 'two', snapshot_id => 4");
            maintain(getSession(), call, "tagged", "create_tag", "tag => 'newest'");
            assertQuery("SELECT tag_name, snapshot_id FROM \"tagged$tags\"", "VALUES ('two', 4), ('newest', 8)");
            assertThat(paimon.readSystemTable(new OracleTable("default", "tagged"), "tags")).hasSize(2);
            assertQuery("SELECT v FROM tagged FOR VERSION AS OF 'two'", "VALUES 2");
            maintain(getSession(), call, "tagged", "delete_tag", "tag => 'newest'");
            maintain(getSession(), call, "tagged", "delete_tag", "tag => 'two'");
            assertQueryReturnsEmptyResult("SELECT * FROM \"tagged$tags\"");
        }
        // EXPLAIN changes nothing
        assertThat(computeScalar("EXPLAIN ALTER TABLE tagged EXECUTE create_tag(tag => 'x', snapshot_id => 1)")).asString().contains("create_tag default.tagged");
        assertQueryReturnsEmptyResult("SELECT * FROM \"tagged$tags\"");
        assertUpdate("DROP TABLE tagged");
    }

    @Test
    void testExpireSnapshots()
            throws Exception
    {
        for (boolean call : List.of(false, true)) {
            create("expired");
            maintain(getSession(), false, "expired", "create_tag", "tag => 'two', snapshot_id => 4");
            // too young
            maintain(getSession(), call, "expired", "expire_snapshots", "retention_threshold => '7d', retain_last => 1");
            maintain(getSession(), call, "expired", "expire_snapshots", "");
            assertQuery("SELECT count(*) FROM \"expired$snapshots\"", "VALUES 8");
            // the table's option keeps ten
            maintain(unguarded(), call, "expired", "expire_snapshots", "retention_threshold => '0s'");
            assertQuery("SELECT count(*) FROM \"expired$snapshots\"", "VALUES 8");
            maintain(unguarded(), call, "expired", "expire_snapshots", "retention_threshold => '0s', retain_last => 2");
            assertQuery("SELECT snapshot_id FROM \"expired$snapshots\"", "VALUES 7, 8");
            assertQuery("SELECT v FROM expired", "VALUES 4");
            assertQuery("SELECT v FROM expired FOR VERSION AS OF 'two'", "VALUES 2");
            assertQuery("SELECT count(*) FROM \"expired$files\" FOR VERSION AS OF 'two'", "VALUES 1");
            assertTrinoExceptionThrownBy(() -> computeActual("SELECT v FROM expired FOR VERSION AS OF 2"))
                    .hasErrorCode(INVALID_ARGUMENTS)
                    .hasMessageContaining("has no snapshot 2; retained are 7 to 8");
            assertQuery("SELECT rowkind, v FROM \"expired$audit_log\"", "VALUES ('-U', 3), ('+U', 4)");
            assertThat(paimon.orphanFiles(new OracleTable("default", "expired"))).isEmpty();
            assertThat(paimon.readTable(new OracleTable("default", "expired"))).hasSize(1);
            assertUpdate("INSERT INTO expired VALUES (1, 5)", 1);
            assertUpdate("DROP TABLE expired");
        }
    }

    /**
     * A consumer keeps what it has not read, until it is moved on or deleted; Paimon reads what is written here, and the reverse.
     */
    @Test
    void testConsumers()
            throws Exception
    {
        for (boolean call : List.of(false, true)) {
            create("followed");
            OracleTable table = new OracleTable("default", "followed");
            maintain(getSession(), call, "followed", "reset_consumer", "consumer_id => 'Reader 1', next_snapshot_id => 3");
            assertThat(paimon.readSystemTable(table, "consumers")).hasSize(1);
            assertThat(paimon.maintenance(table).consumers()).containsExactly(Map.entry("Reader 1", 3L));
            paimon.maintenance(table).consume("theirs", 2);
            assertQuery("SELECT * FROM \"followed$consumers\"", "VALUES ('Reader 1', 3), ('theirs', 2)");

            maintain(unguarded(), call, "followed", "expire_snapshots", "retention_threshold => '0s', retain_last => 1");
            assertQuery("SELECT min(snapshot_id) FROM \"followed$snapshots\"", "VALUES 2");
            maintain(getSession(), call, "followed", "reset_consumer", "consumer_id => 'theirs', next_snapshot_id => 6");
            assertThat(paimon.maintenance(table).consumers()).containsEntry("theirs", 6L);
            maintain(unguarded(), call, "followed", "expire_snapshots", "retention_threshold => '0s', retain_last => 1");
            assertQuery("SELECT min(snapshot_id) FROM \"followed$snapshots\"", "VALUES 3");
            assertTrinoExceptionThrownBy(() -> maintain(getSession(), call, "followed", "reset_consumer", "consumer_id => 'theirs', next_snapshot_id => 2"))
                    .hasErrorCode(INVALID_ARGUMENTS)
                    .hasMessageMatching("Table .*followed has no snapshot 2; retained are 3 to 8");
            // the next one to come is no snapshot yet
            assertTrinoExceptionThrownBy(() -> maintain(getSession(), call, "followed", "reset_consumer", "consumer_id => 'new', next_snapshot_id => 9"))
                    .hasErrorCode(INVALID_ARGUMENTS)
                    .hasMessageMatching("Table .*followed has no snapshot 9; retained are 3 to 8");
            assertQuery("SELECT * FROM \"followed$consumers\"", "VALUES ('Reader 1', 3), ('theirs', 6)");

            maintain(getSession(), call, "followed", "reset_consumer", "consumer_id => 'Reader 1'");
            // one that is not there is no error, as in Paimon
            maintain(getSession(), call, "followed", "reset_consumer", "consumer_id => 'Reader 1'");
            maintain(unguarded(), call, "followed", "expire_snapshots", "retention_threshold => '0s', retain_last => 1");
            assertQuery("SELECT min(snapshot_id) FROM \"followed$snapshots\"", "VALUES 6");

            for (String id : List.of("a1", "a2", "b1")) {
                maintain(getSession(), call, "followed", "reset_consumer", "consumer_id => '" + id + "', next_snapshot_id => 8");
            }
            maintain(getSession(), call, "followed", "clear_consumers", "including_consumers => 'a.*', excluding_consumers => '.2'");
            assertQuery("SELECT consumer_id FROM \"followed$consumers\"", "VALUES 'a2', 'b1', 'theirs'");
            maintain(getSession(), call, "followed", "clear_consumers", "including_consumers => 'a'");
            maintain(getSession(), call, "followed", "clear_consumers", "including_consumers => ' ', excluding_consumers => 'a2|b.'");
            assertThat(paimon.maintenance(table).consumers()).containsOnlyKeys("a2", "b1");
            paimon.maintenance(table).clearConsumers("b.*");
            assertQuery("SELECT consumer_id FROM \"followed$consumers\"", "VALUES 'a2'");
            maintain(getSession(), call, "followed", "clear_consumers", "");
            assertQueryReturnsEmptyResult("SELECT * FROM \"followed$consumers\"");
            maintain(unguarded(), call, "followed", "expire_snapshots", "retention_threshold => '0s', retain_last => 1");
            assertQuery("SELECT min(snapshot_id) FROM \"followed$snapshots\"", "VALUES 8");
            assertUpdate("DROP TABLE followed");
        }
    }

    @Test
    void testRefusedConsumers()
    {
        create("unfollowed");
        for (boolean call : List.of(false, true)) {
            for (String id : List.of("", " ", "../x", "a/b")) {
                assertTrinoExceptionThrownBy(() -> maintain(getSession(), call, "unfollowed", "reset_consumer", "consumer_id => '" + id + "', next_snapshot_id => 1"))
                        .hasErrorCode(INVALID_PROCEDURE_ARGUMENT)
                        .hasMessage("'" + id + "' cannot be the id of a consumer: it must not be blank, and not contain a slash or control characters");
            }
            assertTrinoExceptionThrownBy(() -> maintain(getSession(), call, "unfollowed", "clear_consumers", "excluding_consumers => 'a('"))
                    .hasErrorCode(INVALID_PROCEDURE_ARGUMENT)
                    .hasMessageStartingWith("excluding_consumers is no regular expression: 'a(': Unclosed group");
        }
        assertTrinoExceptionThrownBy(() -> computeActual("ALTER TABLE unfollowed EXECUTE reset_consumer(next_snapshot_id => 1)"))
                .hasErrorCode(INVALID_PROCEDURE_ARGUMENT)
                .hasMessage("The argument consumer_id of reset_consumer is missing");
        assertThat(computeScalar("EXPLAIN ALTER TABLE unfollowed EXECUTE reset_consumer(consumer_id => 'x', next_snapshot_id => 1)")).asString().contains("reset_consumer default.unfollowed");
        assertQueryReturnsEmptyResult("SELECT * FROM \"unfollowed$consumers\"");
        assertUpdate("DROP TABLE unfollowed");
    }

    @Test
    void testExpiryByOptions()
    {
        create("bounded");
        assertUpdate("ALTER TABLE bounded SET PROPERTIES options = ARRAY['snapshot.num-retained.min=2', 'snapshot.num-retained.max=4', 'changelog.num-retained.max=6']");
        assertUpdate("INSERT INTO bounded VALUES (1, 5)", 1);
        assertQuery("SELECT snapshot_id FROM \"bounded$snapshots\"", "VALUES 7, 8, 9, 10");
        // the log goes back further than the states
        assertQuery("SELECT DISTINCT \"$snapshot_id\" FROM \"bounded$audit_log\"", "VALUES 6, 8, 10");
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => 'bounded'))");
        assertUpdate("DROP TABLE bounded");
    }

    @Test
    void testMinimumRetention()
    {
        create("guarded");
        for (boolean call : List.of(false, true)) {
            for (String procedure : List.of("expire_snapshots", "remove_orphan_files")) {
                String property = procedure.replace('_', '-');
                assertTrinoExceptionThrownBy(() -> maintain(getSession(), call, "guarded", procedure, "retention_threshold => '6d'"))
                        .hasErrorCode(INVALID_PROCEDURE_ARGUMENT)
                        .hasMessageContaining("Retention specified (6.00d) is shorter than the minimum retention configured in the system (7.00d). Minimum retention can be changed with " +
                                "lookup.%s.min-retention configuration property or %s_min_retention session property".formatted(property, procedure));
            }
        }
        assertUpdate("DROP TABLE guarded");
    }

    @Test
    void testRemoveOrphanFiles()
            throws IOException
    {
        for (boolean call : List.of(false, true)) {
            create("littered");
            Path old = warehouse.resolve("default.db/littered/bucket-0/data-left.parquet");
            Path young = warehouse.resolve("default.db/littered/bucket-0/data-young.parquet");
            Files.writeString(old, "left");
            Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofDays(8))));
            Files.writeString(young, "young");
            maintain(getSession(), call, "littered", "remove_orphan_files", "retention_threshold => '9d'");
            assertThat(old).exists();
            maintain(getSession(), call, "littered", "remove_orphan_files", "");
            assertThat(old).doesNotExist();
            assertThat(young).exists();
            assertQuery("SELECT v FROM littered", "VALUES 4");
            assertUpdate("DROP TABLE littered");
        }
    }

    @Test
    void testRollback()
            throws Exception
    {
        for (boolean call : List.of(false, true)) {
            create("rolled");
            maintain(getSession(), call, "rolled", "rollback_to_snapshot", "snapshot_id => 4");
            assertQuery("SELECT max(snapshot_id) FROM \"rolled$snapshots\"", "VALUES 4");
            assertQuery("SELECT v FROM rolled", "VALUES 2");
            assertUpdate("INSERT INTO rolled VALUES (2, 20)", 1);
            assertQuery("SELECT v FROM rolled", "VALUES 2, 20");
            assertQuery("SELECT \"$snapshot_id\", rowkind, v FROM \"rolled$audit_log\"", "VALUES (2, '+I', 1), (4, '-U', 1), (4, '+U', 2), (6, '+I', 20)");
            assertQueryReturnsEmptyResult("SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => 'rolled'))");
            assertThat(paimon.readTable(new OracleTable("default", "rolled"))).hasSize(2);
            assertUpdate("DROP TABLE rolled");
        }
    }

    /**
     * What a tag keeps of a snapshot that has expired is its state. Its changelog is gone, and must not stand in the way of the changes that follow.
     */
    @Test
    void testRollbackToExpiredSnapshotOfTag()
            throws Exception
    {
        create("revived");
        assertUpdate("ALTER TABLE revived EXECUTE create_tag(tag => 'kept', snapshot_id => 4)");
        assertUpdate(unguarded(), "ALTER TABLE revived EXECUTE expire_snapshots(retention_threshold => '0s', retain_last => 1)");
        assertQuery("SELECT min(snapshot_id) FROM \"revived$snapshots\"", "VALUES 8");
        assertUpdate("ALTER TABLE revived EXECUTE rollback_to_snapshot(snapshot_id => 4)");
        assertQuery("SELECT snapshot_id, changelog_record_count FROM \"revived$snapshots\"", "VALUES (4, NULL)");
        assertQueryReturnsEmptyResult("SELECT * FROM \"revived$audit_log\"");
        assertUpdate("INSERT INTO revived VALUES (2, 20)", 1);
        assertQuery("SELECT v FROM revived", "VALUES 2, 20");
        assertQuery("SELECT \"$snapshot_id\", rowkind, v FROM \"revived$audit_log\"", "VALUES (6, '+I', 20)");
        assertQueryReturnsEmptyResult("SELECT * FROM TABLE(lake.system.verify_changelog(schema_name => 'default', table_name => 'revived'))");
        assertThat(paimon.readTable(new OracleTable("default", "revived"))).hasSize(2);
    }

    @Test
    void testRefused()
    {
        create("refused");
        for (boolean call : List.of(false, true)) {
            assertTrinoExceptionThrownBy(() -> maintain(unguarded(), call, "refused", "expire_snapshots", "retain_last => 0"))
                    .hasErrorCode(INVALID_PROCEDURE_ARGUMENT)
                    .hasMessageContaining("retain_last must be 1 or more");
            assertTrinoExceptionThrownBy(() -> maintain(getSession(), call, "refused", "create_tag", "tag => 'x', snapshot_id => 99"))
                    .hasErrorCode(INVALID_ARGUMENTS)
                    .hasMessageContaining("has no snapshot 99; retained are 1 to 8");
            assertTrinoExceptionThrownBy(() -> maintain(getSession(), call, "refused", "delete_tag", "tag => 'x'"))
                    .hasErrorCode(INVALID_ARGUMENTS)
                    .hasMessageStartingWith("Table default.refused has no tag 'x'; it has ");
            assertTrinoExceptionThrownBy(() -> maintain(getSession(), call, "refused", "rollback_to_snapshot", "snapshot_id => 99"))
                    .hasErrorCode(INVALID_ARGUMENTS)
                    .hasMessageContaining("has no snapshot 99; retained are 1 to 8");
            assertTrinoExceptionThrownBy(() -> maintain(getSession(), call, "nothing", "delete_tag", "tag => 'x'"))
                    .hasErrorCode(call ? NOT_FOUND : TABLE_NOT_FOUND);
        }
        assertUpdate("ALTER TABLE refused EXECUTE create_tag(tag => 'x')");
        assertTrinoExceptionThrownBy(() -> computeActual("ALTER TABLE refused EXECUTE create_tag(tag => 'x')"))
                .hasErrorCode(INVALID_TABLE_PROPERTY)
                .hasMessage("Table default.refused has a tag 'x' already: delete it first, or choose another name");
        assertTrinoExceptionThrownBy(() -> computeActual("ALTER TABLE refused EXECUTE create_tag"))
                .hasErrorCode(INVALID_PROCEDURE_ARGUMENT)
                .hasMessageMatching("The argument tag of (create|delete)_tag is missing");
        assertTrinoExceptionThrownBy(() -> computeActual("ALTER TABLE refused EXECUTE rollback_to_snapshot"))
                .hasErrorCode(INVALID_PROCEDURE_ARGUMENT)
                .hasMessage("The argument snapshot_id of rollback_to_snapshot is missing");
        assertTrinoExceptionThrownBy(() -> computeActual("ALTER TABLE \"refused$snapshots\" EXECUTE expire_snapshots"))
                .hasErrorCode(NOT_SUPPORTED)
                .hasMessageContaining("is read-only");
        assertTrinoExceptionThrownBy(() -> computeActual("ALTER TABLE refused EXECUTE expire_snapshots WHERE k = 1"))
                .hasErrorCode(NOT_SUPPORTED)
                .hasMessageContaining("WHERE not supported");
        assertTrinoExceptionThrownBy(() -> computeActual("CALL lake.system.expire_snapshots('default', 'refused', 'a week')"))
                .hasErrorCode(INVALID_PROCEDURE_ARGUMENT)
                .hasMessage("'a week' is not a duration such as 7d");
        assertUpdate("DROP TABLE refused");
    }

    private void create(String name)
    {
        assertUpdate("CREATE TABLE " + name + " (k bigint, v bigint) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup')");
        for (int value = 1; value <= 4; value++) {
            assertUpdate("INSERT INTO " + name + " VALUES (1, " + value + ")", 1);
        }
    }

    private void maintain(Session session, boolean call, String table, String procedure, String arguments)
    {
        assertUpdate(session, call ?
                "CALL lake.system.%s(schema_name => 'default', table_name => '%s'%s)".formatted(procedure, table, arguments.isEmpty() ? "" : ", " + arguments) :
                "ALTER TABLE %s EXECUTE %s(%s)".formatted(table, procedure, arguments));
    }

    private Session unguarded()
    {
        return Session.builder(getSession())
                .setCatalogSessionProperty("lake", LookupSessionProperties.EXPIRE_SNAPSHOTS_MIN_RETENTION, "0s")
                .setCatalogSessionProperty("lake", LookupSessionProperties.REMOVE_ORPHAN_FILES_MIN_RETENTION, "0s")
                .build();
    }
}
