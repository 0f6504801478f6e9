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
import com.google.common.collect.ImmutableSet;
import com.google.inject.Module;
import io.lookup.storage.filesystem.CountingFileIo;
import io.lookup.storage.filesystem.CountingFileIo.ReadRange;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.trino.spi.Plugin;
import io.trino.spi.connector.ConnectorFactory;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.QueryRunner;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What queries of single keys read: no file of another bucket, no level without the key, and of a file the pages that can have it.
 */
final class TestKeyAccess
        extends AbstractTestQueryFramework
{
    private static final Predicate<String> DATA = name -> name.startsWith("data-");
    private static final int ROWS = 100_000;
    private static final int LARGEST_PAGE = 20_000;

    private final CountingFileIo files = new CountingFileIo(new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of())));

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        Module overrides = binder -> binder.bind(FileIo.class).toInstance(files);
        return LookupQueryRunner.createSingleNode(LookupQueryRunner.temporaryDirectory("lookup-warehouse"), ImmutableMap.of(), new Plugin()
        {
            @Override
            public Iterable<ConnectorFactory> getConnectorFactories()
            {
                return ImmutableList.of(new LookupConnectorFactory(overrides));
            }
        });
    }

    @Test
    void testPagesOfAKey()
    {
        assertUpdate("CREATE TABLE pages (a integer, b bigint, v varchar, w double) WITH (primary_key = ARRAY['a', 'b'], bucket = 1, options = ARRAY['num-sorted-run.compaction-trigger=10'])");
        assertUpdate("INSERT INTO pages SELECT CAST(n / 100 AS integer), n % 100, to_hex(sha256(CAST(CAST(n AS varchar) AS varbinary))), random() FROM UNNEST(sequence(0, 9999)) AS x (m) CROSS JOIN UNNEST(sequence(m * 10, m * 10 + 9)) AS y (n)", ROWS);
        assertUpdate("INSERT INTO pages SELECT CAST(n AS integer), 7, 'second', 0 FROM UNNEST(sequence(0, 999)) AS t (n)", 1000);
        assertUpdate("INSERT INTO pages SELECT CAST(n AS integer), 8, 'third', 0 FROM UNNEST(sequence(0, 999)) AS t (n)", 1000);
        int levels = ((Long) computeScalar("SELECT count(*) FROM \"pages$files\"")).intValue();
        assertThat(levels).isEqualTo(3);
        // bounds of pages are kept once a file was read
        assertQuery("SELECT count(*), count(v), sum(w) > 0 FROM pages", "VALUES (%s, %s, true)".formatted(ROWS, ROWS));
        files.reset();
        assertQuery("SELECT count(v), count(w), count(b) FROM pages WHERE a >= 0", "VALUES (%s, %s, %s)".formatted(ROWS, ROWS, ROWS));
        long whole = files.bytes(DATA);
        assertThat(whole).isGreaterThan(2_000_000);

        // a page and a dictionary of each column a level, beyond the large first page of the loaded file
        checkRead("a = 500 AND b = 7", 1, levels, levels * 4);
        checkRead("a = 500 AND b = 55", 1, levels, levels * 4);
        // some values; their pages may be neighbours
        checkRead("a IN (300, 600, 900) AND b = 8", 3, levels, levels * 4 * 3);
        checkRead("a = 120 AND b IN (7, 8, 50)", 3, levels, levels * 4);
        // a prefix of the key: a hundred neighbours
        checkRead("a = 700", 100, levels, levels * 4 * 2);
        checkRead("a BETWEEN 700 AND 701", 200, levels, levels * 4 * 2);
        // none has it
        files.reset();
        assertQuery("SELECT count(*) FROM pages WHERE a = 5000", "VALUES 0");
        assertThat(files.opened(DATA)).isEmpty();
    }

    /**
     * @param pages at most so many are read
     */
    private void checkRead(String condition, int rows, int levels, int pages)
    {
        String query = "SELECT count(a), count(b), count(v), count(w) FROM pages WHERE " + condition;
        files.reset();
        assertQuery(query, "VALUES (%s, %s, %s, %s)".formatted(rows, rows, rows, rows));
        List<ReadRange> ranges = files.ranges(DATA);
        assertThat(ImmutableSet.copyOf(files.opened(DATA))).as(condition).hasSizeLessThanOrEqualTo(levels);
        assertThat(ranges).as(condition).isNotEmpty().hasSizeLessThanOrEqualTo(2 * pages);
        assertThat(files.bytes(DATA)).as(condition).isLessThan((long) pages * LARGEST_PAGE);
    }

    @Test
    void testBucketsOfAKey()
    {
        Map<String, String> types = ImmutableMap.<String, String>builder()
                .put("tinyint", "CAST(n - 64 AS tinyint)")
                .put("smallint", "CAST(n - 64 AS smallint)")
                .put("integer", "CAST(n - 64 AS integer)")
                .put("bigint", "n - 64")
                .put("decimal(9, 2)", "CAST(n - 64 AS decimal(9, 2))")
                .put("decimal(30, 4)", "CAST(n - 64 AS decimal(30, 4))")
                .put("varchar", "'key ' || CAST(n AS varchar)")
                .put("varchar(20)", "CAST('key ' || CAST(n AS varchar) AS varchar(20))")
                .put("varbinary", "to_utf8('key ' || CAST(n AS varchar))")
                .put("date", "date '2025-01-01' + n * interval '1' day")
                .put("time(3)", "time '00:00:00.000' + n * interval '1' second")
                .put("timestamp(3)", "timestamp '2025-01-01 00:00:00.000' + n * interval '1' hour")
                .put("timestamp(6)", "timestamp '2025-01-01 00:00:00.000001' + n * interval '1' hour")
                .put("timestamp(3) with time zone", "timestamp '2025-01-01 00:00:00.000 UTC' + n * interval '1' hour")
                .buildOrThrow();
        types.forEach((type, value) -> {
            String table = "buckets_" + type.replaceAll("[^a-z0-9]", "_");
            assertUpdate("CREATE TABLE %s (k %s, v bigint) WITH (primary_key = ARRAY['k'], bucket = 8)".formatted(table, type));
            assertUpdate("INSERT INTO %s SELECT %s, n FROM UNNEST(sequence(0, 120)) AS t (n)".formatted(table, value), 121);
            assertThat(computeActual("SELECT DISTINCT bucket FROM \"%s$files\"".formatted(table)).getRowCount()).as(type).isEqualTo(8);
            files.reset();
            assertQuery("SELECT v FROM %s WHERE k = %s".formatted(table, value.replaceFirst("\\bn\\b", "BIGINT '77'")), "VALUES 77");
            assertThat(ImmutableSet.copyOf(files.opened(DATA))).as("%s =", type).hasSize(1);
            files.reset();
            String values = "%s, %s".formatted(value.replaceFirst("\\bn\\b", "BIGINT '33'"), value.replaceFirst("\\bn\\b", "BIGINT '78'"));
            assertQuery("SELECT v FROM %s WHERE k IN (%s)".formatted(table, values), "VALUES 33, 78");
            assertThat(ImmutableSet.copyOf(files.opened(DATA))).as("%s IN", type).hasSizeBetween(1, 2);
        });
    }
}
