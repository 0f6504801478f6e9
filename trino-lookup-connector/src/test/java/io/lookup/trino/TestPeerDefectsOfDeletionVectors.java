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

import io.trino.testing.QueryFailedException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Wrong rows and wrong logs that connectors of this kind have shipped: deletion vectors.
 */
final class TestPeerDefectsOfDeletionVectors
        extends AbstractOracleQueryTest
{
    /**
     * A row that comes again after it was deleted must not be held against the dead one.
     */
    @ParameterizedTest
    @ValueSource(strings = {"", "DELETE, optimize", "optimize, DELETE", "DELETE", "DELETE, optimize, other"})
    void testInsertAgainAfterDelete(String steps)
            throws Exception
    {
        assertUpdate("CREATE TABLE again (k bigint, v varchar) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup', changelog_producer_row_deduplicate = true, deletion_vectors_enabled = true)");
        assertUpdate("INSERT INTO again VALUES (8, 'x')", 1);
        for (String step : steps.isEmpty() ? List.<String>of() : List.of(steps.split(", "))) {
            switch (step) {
                case "DELETE" -> assertUpdate("DELETE FROM again WHERE k = 8", 1);
                case "optimize" -> assertUpdate("ALTER TABLE again EXECUTE optimize");
                case "other" -> assertUpdate("INSERT INTO again VALUES (7, 'y'), (9, 'z')", 2);
                default -> throw new IllegalArgumentException(step);
            }
        }
        assertUpdate("INSERT INTO again VALUES (8, 'x')", 1);
        List<String> log = computeActual("SELECT rowkind, v FROM \"again$audit_log\" WHERE k = 8 ORDER BY \"$snapshot_id\"").getMaterializedRows().stream().map(Object::toString).toList();
        assertThat(log).isEqualTo(steps.contains("DELETE") ? List.of("[+I, x]", "[-D, x]", "[+I, x]") : List.of("[+I, x]"));
        assertLogGivesTable("again");
        assertSameInPaimon("again");
        assertUpdate("DROP TABLE again");
    }

    /**
     * Deletion vectors on a table that has several versions of a key.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testTurningDeletionVectorsOn(boolean compacted)
            throws Exception
    {
        assertUpdate("CREATE TABLE turned (k bigint, v bigint) WITH (primary_key = ARRAY['k'], changelog_producer = 'lookup', options = ARRAY['deletion-vectors.modifiable=true'])");
        assertUpdate("INSERT INTO turned VALUES (1, 1), (2, 2), (3, 3), (4, 4)", 4);
        for (int version = 10; version < 14; version++) {
            assertUpdate("INSERT INTO turned VALUES (2, %s)".formatted(version), 1);
        }
        if (compacted) {
            assertUpdate("ALTER TABLE turned EXECUTE optimize");
        }
        try {
            computeActual("ALTER TABLE turned SET PROPERTIES deletion_vectors_enabled = true");
        }
        catch (QueryFailedException e) {
            assertThat(e).hasMessageContaining("deletion-vectors.enabled");
        }
        assertQuery("SELECT * FROM turned", "VALUES (1, 1), (2, 13), (3, 3), (4, 4)");
        assertUpdate("INSERT INTO turned VALUES (2, 20), (5, 5)", 2);
        assertUpdate("DELETE FROM turned WHERE k = 3", 1);
        assertQuery("SELECT * FROM turned", "VALUES (1, 1), (2, 20), (4, 4), (5, 5)");
        assertLogGivesTable("turned");
        assertSameInPaimon("turned");
        assertUpdate("DROP TABLE turned");
    }
}
