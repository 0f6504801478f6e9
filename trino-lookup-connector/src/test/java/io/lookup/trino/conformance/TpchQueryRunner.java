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
import io.lookup.trino.LookupQueryRunner;
import io.trino.Session;
import io.trino.plugin.tpch.TpchPlugin;
import io.trino.testing.DistributedQueryRunner;

import java.nio.file.Files;
import java.util.List;
import java.util.Map;

import static java.lang.String.format;

/**
 * A coordinator and two workers whose catalog holds the tables of TPC-H, for the suites that come with Trino.
 */
final class TpchQueryRunner
{
    static final String SCHEMA = "tpch";

    /**
     * Each table's primary key, and a text column that the first commit writes with another value. In two tables rows must come in
     * the order of their keys: the suite of aggregations asks for a {@code max_by} of equal values.
     */
    private record Table(String key, String column, int bucketCount) {}

    private static final Map<String, Table> TABLES = ImmutableMap.<String, Table>builder()
            .put("nation", new Table("nationkey", "comment", 1))
            .put("region", new Table("regionkey", "comment", 1))
            .put("customer", new Table("custkey", "comment", 2))
            .put("orders", new Table("orderkey", "clerk", 2))
            .put("lineitem", new Table("orderkey,linenumber", "comment", 2))
            .put("part", new Table("partkey", "brand", 2))
            .put("partsupp", new Table("partkey,suppkey", "comment", 2))
            .put("supplier", new Table("suppkey", "phone", 2))
            .buildOrThrow();

    private TpchQueryRunner() {}

    /**
     * Tables with primary keys, buckets and a changelog. All rows are written twice, so that queries merge.
     */
    static DistributedQueryRunner createKeyed(List<String> tables)
            throws Exception
    {
        DistributedQueryRunner queryRunner = create();
        try {
            for (String name : tables) {
                Table table = TABLES.get(name);
                queryRunner.execute(format(
                        "CREATE TABLE %s WITH (primary_key = ARRAY[%s], bucket = %s, changelog_producer = 'lookup', lookup_compact = 'gentle') AS SELECT * FROM tpch.tiny.%s WITH NO DATA",
                        name,
                        keyList(table.key()),
                        table.bucketCount(),
                        name));
                String others = String.join(", ", queryRunner.execute("SHOW COLUMNS FROM " + name).getMaterializedRows().stream()
                        .map(row -> (String) row.getField(0))
                        .map(column -> column.equals(table.column()) ? "'?' " + column : column)
                        .toList());
                queryRunner.execute(format("INSERT INTO %s SELECT %s FROM tpch.tiny.%s", name, others, name));
                queryRunner.execute(format("INSERT INTO %s SELECT * FROM tpch.tiny.%s", name, name));
            }
            return queryRunner;
        }
        catch (Throwable failure) {
            queryRunner.close();
            throw failure;
        }
    }

    static DistributedQueryRunner createAppendOnly(List<String> tables)
            throws Exception
    {
        DistributedQueryRunner queryRunner = create();
        try {
            tables.forEach(table -> queryRunner.execute(format("CREATE TABLE %s AS SELECT * FROM tpch.tiny.%s", table, table)));
            return queryRunner;
        }
        catch (Throwable failure) {
            queryRunner.close();
            throw failure;
        }
    }

    private static DistributedQueryRunner create()
            throws Exception
    {
        Session session = Session.builder(LookupQueryRunner.session()).setSchema(SCHEMA).build();
        DistributedQueryRunner queryRunner = LookupQueryRunner.create(session, Files.createTempDirectory("lookup-warehouse"));
        try {
            queryRunner.installPlugin(new TpchPlugin());
            queryRunner.createCatalog("tpch", "tpch");
            queryRunner.execute("CREATE SCHEMA " + SCHEMA);
            return queryRunner;
        }
        catch (Throwable failure) {
            queryRunner.close();
            throw failure;
        }
    }

    /**
     * Columns that are divided by commas, as the elements of an array.
     */
    static String keyList(String columns)
    {
        return "'" + String.join("', '", columns.split(",")) + "'";
    }
}
