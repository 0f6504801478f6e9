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
package io.lookup.trino.conformance;

import com.google.common.collect.ImmutableMap;
import io.trino.testing.QueryRunner;
import io.trino.testing.sql.TestTable;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Trino's suite for connectors on tables with a primary key, wherever a test's table can have one.
 */
final class TestKeyTableConnectorTest
        extends AbstractLookupConnectorTest
{
    /**
     * Keys of the tables that the suite makes without saying one, by the beginning of their names.
     */
    private static final Map<String, String> KEYS = ImmutableMap.<String, String>builder()
            .put("test_delete_", "orderkey")
            .put("test_delete_with_varchar_predicate_", "orderkey")
            .put("test_delete_all_data", "regionkey")
            .put("test_row_delete", "regionkey")
            .put("test_update_nulls", "name")
            .put("test_update_with_predicates_on_row_types", "int_t")
            .put("test_predicate_on_row_type_field", "int_t")
            .put("test_truncate", "regionkey")
            .put("test_insert", "col")
            .put("test_add_column", "col")
            .put("test_drop_column_", "a")
            .put("test_rename_column_", "x")
            .put("varchar_as_date_pred", "a")
            .buildOrThrow();

    private static final Pattern QUERY = Pattern.compile("\\bAS\\s");

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        return TpchQueryRunner.createKeyed(TABLES);
    }

    @Override
    protected TestTable newTrinoTable(String namePrefix, String tableDefinition, List<String> rowsToInsert)
    {
        return super.newTrinoTable(namePrefix, key(namePrefix, tableDefinition).map(key -> withKey(tableDefinition, key)).orElse(tableDefinition), rowsToInsert);
    }

    private static Optional<String> key(String namePrefix, String tableDefinition)
    {
        // two tests, one of which gives all nations of a region one number
        if (namePrefix.equals("test_row_update")) {
            return Optional.of(tableDefinition.contains("nation") ? "name" : "a,b");
        }
        return Optional.ofNullable(KEYS.get(namePrefix)).filter(key -> !tableDefinition.contains("COMMENT"));
    }

    @Override
    protected TestTable createTestTableForWrites(String namePrefix, String tableDefinition, String primaryKey)
    {
        return createTestTableForWrites(namePrefix, tableDefinition, List.of(), primaryKey);
    }

    @Override
    protected TestTable createTestTableForWrites(String namePrefix, String tableDefinition, List<String> rowsToInsert, String primaryKey)
    {
        return super.newTrinoTable(namePrefix, withKey(tableDefinition, primaryKey), rowsToInsert);
    }

    @Override
    protected void createTableForWrites(String createTable, String tableName, Optional<String> primaryKey, OptionalInt updateCount)
    {
        super.createTableForWrites(primaryKey.map(key -> withKey(createTable, key)).orElse(createTable), tableName, primaryKey, updateCount);
    }

    private static String withKey(String tableDefinition, String key)
    {
        String properties = "WITH (primary_key = ARRAY[" + TpchQueryRunner.keyList(key) + "], changelog_producer = 'lookup')";
        Matcher query = QUERY.matcher(tableDefinition);
        return query.find() ? tableDefinition.substring(0, query.start()) + " " + properties + " " + tableDefinition.substring(query.start()) : tableDefinition + " " + properties;
    }

    /**
     * Of two statements that change one row at the same time, one must run again.
     */
    @Override
    protected void verifyConcurrentUpdateFailurePermissible(Exception e)
    {
        assertThat(e).hasMessageMatching("Table .* changed the same rows while the statement ran; nothing was committed, run the statement again");
    }

    @Test
    @Override
    public void testShowCreateTable()
    {
        assertThat(computeScalar("SHOW CREATE TABLE orders")).isEqualTo(
                """
                CREATE TABLE lake.tpch.orders (
                   orderkey bigint NOT NULL,
                   custkey bigint,
                   orderstatus varchar(1),
                   totalprice double,
                   orderdate date,
                   orderpriority varchar(15),
                   clerk varchar(15),
                   shippriority integer,
                   comment varchar(79)
                )
                WITH (
                   bucket = 2,
                   changelog_producer = 'lookup',
                   lookup_compact = 'gentle',
                   primary_key = ARRAY['orderkey']
                )\
                """);
    }
}
