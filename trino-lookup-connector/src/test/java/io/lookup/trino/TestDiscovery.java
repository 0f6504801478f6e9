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
import com.google.inject.Module;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.ForwardingFileIo;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.trino.spi.Plugin;
import io.trino.spi.connector.ConnectorFactory;
import io.trino.testing.AbstractTestQueryFramework;
import io.trino.testing.MaterializedResult;
import io.trino.testing.QueryRunner;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.intellij.lang.annotations.Language;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Lists of tables in a warehouse that has many, some of them damaged: what they cost, and that they come.
 */
final class TestDiscovery
        extends AbstractTestQueryFramework
{
    private static final int TABLES = Boolean.getBoolean("lookup.thorough") ? 5_000 : 500;
    private static final int DAMAGED = 3;
    private static final int FREE_OPERATIONS = 50;

    private final java.nio.file.Path warehouse = LookupQueryRunner.temporaryDirectory("lookup-warehouse");
    private final OperationCounter files = new OperationCounter();

    @Override
    protected QueryRunner createQueryRunner()
            throws Exception
    {
        Module overrides = binder -> binder.bind(FileIo.class).toInstance(files);
        return LookupQueryRunner.createSingleNode(warehouse, Map.of(), new Plugin()
        {
            @Override
            public Iterable<ConnectorFactory> getConnectorFactories()
            {
                return ImmutableList.of(new LookupConnectorFactory(overrides));
            }
        });
    }

    @Test
    void testManyTables()
            throws Exception
    {
        assertUpdate("CREATE SCHEMA many");
        assertUpdate("CREATE TABLE many.t0 (k bigint, v varchar COMMENT 'a value') COMMENT 'one of many' WITH (primary_key = ARRAY['k'])");
        assertUpdate("INSERT INTO many.t0 VALUES (1, 'a')", 1);
        java.nio.file.Path schema = warehouse.resolve("many.db");
        byte[] table = Files.readAllBytes(schema.resolve("t0/schema/schema-0"));
        for (int number = 1; number < TABLES; number++) {
            java.nio.file.Path folder = Files.createDirectories(schema.resolve("t" + number).resolve("schema"));
            Files.write(folder.resolve("schema-0"), table);
        }
        Files.writeString(schema.resolve("t1/schema/schema-0"), "{\"version\": 3, \"id\"");
        Files.writeString(schema.resolve("t2/schema/schema-0"), new String(table, UTF_8).replace("BIGINT", "GEOMETRY"));
        Files.createDirectories(schema.resolve("t3/schema/schema-7"));
        Files.delete(schema.resolve("t3/schema/schema-0"));
        // neither of these is a table
        Files.writeString(schema.resolve("a file"), "");
        Files.createDirectories(schema.resolve("a folder").resolve("with another"));

        assertThat(list("SHOW TABLES FROM many", 1).getRowCount()).isEqualTo(TABLES);
        assertThat(list("SELECT table_name FROM information_schema.tables WHERE table_schema = 'many'", 1).getRowCount()).isEqualTo(TABLES);
        assertThat(list("SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'many'", 3).getRowCount()).isEqualTo(2 * (TABLES - DAMAGED));
        MaterializedResult comments = list("SELECT table_name, comment FROM system.metadata.table_comments WHERE catalog_name = 'lake' AND schema_name = 'many'", 3);
        assertThat(comments.getRowCount()).isEqualTo(TABLES);
        assertThat(comments.getMaterializedRows().stream().filter(row -> "one of many".equals(row.getField(1)))).hasSizeGreaterThanOrEqualTo(TABLES - DAMAGED);
        assertThat(list("SELECT column_name FROM system.jdbc.columns WHERE table_cat = 'lake' AND table_schem = 'many'", 3).getRowCount()).isEqualTo(2 * (TABLES - DAMAGED));
        // one table is not looked for among the others
        files.count.set(0);
        assertQuery("SELECT column_name FROM information_schema.columns WHERE table_schema = 'many' AND table_name = 't9'", "VALUES 'k', 'v'");
        assertThat(files.count.get()).isLessThan(FREE_OPERATIONS);

        // and each tells what is wrong with it
        assertQueryFails("SELECT * FROM many.t1", ".*t1/schema/schema-0.*");
        assertQueryFails("SELECT * FROM many.t2", ".*GEOMETRY.*");
        assertQueryFails("SELECT * FROM many.t3", ".*t3/schema/schema-7.*");
        assertUpdate("DROP SCHEMA many CASCADE");
        assertThat(schema).doesNotExist();
    }

    private MaterializedResult list(@Language("SQL") String sql, int operationsPerTable)
    {
        files.count.set(0);
        long start = System.nanoTime();
        MaterializedResult result = computeActual(sql);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        System.out.println("discovery: %s tables, %s file operations, %s ms: %s".formatted(TABLES, files.count.get(), millis, sql));
        assertThat(files.count.get()).as(sql).isLessThanOrEqualTo((long) operationsPerTable * TABLES + FREE_OPERATIONS);
        return result;
    }

    private static final class OperationCounter
            extends ForwardingFileIo
    {
        private final AtomicLong count = new AtomicLong();

        private OperationCounter()
        {
            super(new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of())));
        }

        @Override
        public FSDataInputStream open(Path path, long length)
                throws IOException
        {
            count.incrementAndGet();
            return super.open(path, length);
        }

        @Override
        public byte[] readFully(Path path)
                throws IOException
        {
            count.incrementAndGet();
            return super.readFully(path);
        }

        @Override
        public List<FileEntry> list(Path directory)
                throws IOException
        {
            count.incrementAndGet();
            return super.list(directory);
        }

        @Override
        public boolean exists(Path path)
                throws IOException
        {
            count.incrementAndGet();
            return super.exists(path);
        }

        @Override
        public FileEntry status(Path path)
                throws IOException
        {
            count.incrementAndGet();
            return super.status(path);
        }
    }
}
