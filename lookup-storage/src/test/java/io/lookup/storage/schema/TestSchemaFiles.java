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
package io.lookup.storage.schema;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.schema.FieldIds.NumberedFields;
import org.apache.hadoop.fs.Path;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestSchemaFiles
{
    @TempDir
    private java.nio.file.Path directory;

    private SchemaManager manager;
    private org.apache.paimon.schema.SchemaManager paimon;

    @BeforeEach
    void setUp()
    {
        HadoopFileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(ImmutableMap.of(), ImmutableList.of()));
        manager = new SchemaManager(fileIo, new Path(directory.toUri()));
        paimon = new org.apache.paimon.schema.SchemaManager(LocalFileIO.create(), new org.apache.paimon.fs.Path(directory.toUri()));
    }

    private static org.apache.paimon.schema.Schema everyType()
    {
        return org.apache.paimon.schema.Schema.newBuilder()
                .column("k", DataTypes.BIGINT().notNull(), "the \"key\" ü")
                .column("dt", DataTypes.STRING())
                .column("c_char", DataTypes.CHAR(5))
                .column("c_varchar", DataTypes.VARCHAR(20).notNull())
                .column("c_boolean", DataTypes.BOOLEAN())
                .column("c_binary", DataTypes.BINARY(4))
                .column("c_varbinary", DataTypes.VARBINARY(20))
                .column("c_bytes", DataTypes.BYTES())
                .column("c_decimal", DataTypes.DECIMAL(38, 18))
                .column("c_tinyint", DataTypes.TINYINT())
                .column("c_smallint", DataTypes.SMALLINT())
                .column("c_int", DataTypes.INT(), null, "42")
                .column("c_float", DataTypes.FLOAT())
                .column("c_double", DataTypes.DOUBLE())
                .column("c_date", DataTypes.DATE())
                .column("c_time", DataTypes.TIME(3))
                .column("c_timestamp", DataTypes.TIMESTAMP(9))
                .column("c_timestamp_ltz", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3))
                .column("c_variant", DataTypes.VARIANT())
                .column("c_row", DataTypes.ROW(DataTypes.FIELD(0, "a", DataTypes.INT(), "inner"), DataTypes.FIELD(1, "b", DataTypes.ARRAY(DataTypes.ROW(DataTypes.FIELD(2, "c", DataTypes.STRING()))))))
                .column("c_map", DataTypes.MAP(DataTypes.ROW(DataTypes.FIELD(0, "x", DataTypes.INT())), DataTypes.ROW(DataTypes.FIELD(0, "y", DataTypes.INT()))))
                .column("c_multiset", DataTypes.MULTISET(DataTypes.STRING()).notNull())
                .column("c_last", DataTypes.INT())
                .partitionKeys("dt")
                .primaryKey("dt", "k")
                .option("bucket", "2")
                .option("changelog-producer", "lookup")
                .comment("a table")
                .build();
    }

    @Test
    void testReadsWhatPaimonWrites()
            throws Exception
    {
        paimon.createTable(everyType());
        TableSchema schema = manager.latest().orElseThrow();

        assertThat(schema.version()).isEqualTo(TableSchema.CURRENT_VERSION);
        assertThat(schema.primaryKeys()).containsExactly("dt", "k");
        assertThat(schema.trimmedPrimaryKeys()).containsExactly("k");
        assertThat(schema.partitionKeys()).containsExactly("dt");
        assertThat(schema.options()).containsEntry("bucket", "2").containsEntry("changelog-producer", "lookup");
        assertThat(schema.comment()).contains("a table");
        assertThat(schema.field("k").description()).contains("the \"key\" ü");
        assertThat(schema.field("c_int").defaultValue()).contains("42");

        // written again it is the same file, byte for byte but for the order of the options
        byte[] written = SchemaJson.write(schema);
        assertThat(org.apache.paimon.schema.TableSchema.fromJson(new String(written, UTF_8))).isEqualTo(paimon.schema(0));
        assertThat(lines(written)).containsExactlyInAnyOrderElementsOf(lines(Files.readAllBytes(directory.resolve("schema/schema-0"))));
    }

    private static List<String> lines(byte[] json)
    {
        return new String(json, UTF_8).lines().map(line -> line.replaceAll(",$", "")).toList();
    }

    @Test
    void testPaimonReadsWhatIsWritten()
            throws Exception
    {
        paimon.createTable(everyType());
        TableSchema first = manager.schema(0);
        TableSchema second = new TableSchema(3, 1, first.fields(), first.highestFieldId(), first.partitionKeys(), first.primaryKeys(), first.options(), Optional.empty(), 77);
        assertThat(manager.tryCreate(second)).isTrue();
        assertThat(manager.tryCreate(second)).isFalse();

        org.apache.paimon.schema.TableSchema read = paimon.latest().orElseThrow();
        assertThat(read.id()).isEqualTo(1);
        assertThat(read.comment()).isNull();
        assertThat(read.timeMillis()).isEqualTo(77);
        assertThat(read.fields()).isEqualTo(paimon.schema(0).fields());
        assertThat(read.options()).isEqualTo(paimon.schema(0).options());
        assertThat(manager.all()).extracting(TableSchema::id).containsExactly(0L, 1L);
        assertThat(manager.latestId()).hasValue(1);
    }

    @Test
    void testFieldIdsAreNumberedAsByPaimon()
            throws Exception
    {
        paimon.createTable(everyType());
        TableSchema schema = manager.schema(0);
        List<DataField> scrambled = schema.fields().stream()
                .map(field -> new DataField(1000 - field.id(), field.name(), field.type(), field.description(), field.defaultValue()))
                .toList();
        NumberedFields numbered = FieldIds.renumber(scrambled);
        assertThat(numbered.fields()).isEqualTo(schema.fields());
        assertThat(numbered.highestFieldId()).isEqualTo(schema.highestFieldId());

        NumberedFields added = FieldIds.renumber(ImmutableList.of(schema.field("c_row")), 100);
        assertThat(added.fields().getFirst().id()).isEqualTo(101);
        assertThat(added.highestFieldId()).isEqualTo(104);
    }

    @Test
    void testNoTable()
    {
        assertThat(manager.latest()).isEmpty();
        assertThat(manager.all()).isEmpty();
        assertThatThrownBy(() -> manager.schema(0))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.MISSING_FILE))
                .hasMessageContaining("schema-0");
    }

    @Test
    void testKnownVersionNeedNotBeWritten()
    {
        TableSchema known = new TableSchema(TableSchema.CURRENT_VERSION, 0, ImmutableList.of(), -1, ImmutableList.of(), ImmutableList.of(), ImmutableMap.of(), Optional.empty(), 1);
        SchemaManager knowing = new SchemaManager(new HadoopFileIo(HadoopConfigurations.create(ImmutableMap.of(), ImmutableList.of())), new Path(directory.toUri()), Optional.of(known));
        assertThat(knowing.schema(0)).isEqualTo(known);
        assertThatThrownBy(() -> knowing.schema(1)).isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.MISSING_FILE));
        // it is no version of the table yet
        assertThat(knowing.latest()).isEmpty();
    }

    @Test
    void testOldVersionsHaveOtherDefaults()
            throws Exception
    {
        writeSchema(0, "{\"id\": 0, \"fields\": [], \"highestFieldId\": -1, \"partitionKeys\": [], \"primaryKeys\": [], \"options\": {}}");
        writeSchema(1, "{\"version\": 2, \"id\": 1, \"fields\": [], \"highestFieldId\": -1, \"partitionKeys\": [], \"primaryKeys\": [], \"options\": {}, \"fancy\": {\"new\": [1]}}");
        writeSchema(2, "{\"version\": 2, \"id\": 2, \"fields\": [], \"highestFieldId\": -1, \"partitionKeys\": [], \"primaryKeys\": [], \"options\": {\"file.format\": \"avro\"}}");
        for (int id = 0; id < 3; id++) {
            assertThat(manager.schema(id).options()).isEqualTo(paimon.schema(id).options());
            assertThat(manager.schema(id).version()).isEqualTo(paimon.schema(id).version());
        }
        assertThat(manager.schema(0).options()).containsEntry("bucket", "1").containsEntry("file.format", "orc");
        assertThat(manager.schema(0).timeMillis()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {
            "", "{", "not json", "[]", "17", "null", "{}", "{\"id\": 5}",
            "{\"id\": 5, \"fields\": 3, \"highestFieldId\": 0, \"partitionKeys\": [], \"primaryKeys\": [], \"options\": {}}",
            "{\"id\": \"x\", \"fields\": [], \"highestFieldId\": 0, \"partitionKeys\": [], \"primaryKeys\": [], \"options\": {}}",
            "{\"id\": 5, \"fields\": [], \"highestFieldId\": 9999999999, \"partitionKeys\": [], \"primaryKeys\": [], \"options\": {}}",
            "{\"id\": 5, \"fields\": [{\"id\": 0, \"name\": \"a\", \"type\": \"INTT\"}], \"highestFieldId\": 0, \"partitionKeys\": [], \"primaryKeys\": [], \"options\": {}}",
            "{\"id\": 5, \"fields\": [{\"id\": 0, \"name\": \"a\"}], \"highestFieldId\": 0, \"partitionKeys\": [], \"primaryKeys\": [], \"options\": {}}",
            "{\"id\": 5, \"fields\": [{\"id\": 0, \"name\": \"a\", \"type\": \"INT NOT NULL\"}], \"highestFieldId\": 0, \"partitionKeys\": [\"a\"], \"primaryKeys\": [\"a\"], \"options\": {}}",
            "{\"id\": 5, \"fields\": [], \"highestFieldId\": 0, \"partitionKeys\": [{}], \"primaryKeys\": [], \"options\": {}}",
            "{\"id\": 5, \"fields\": [], \"highestFieldId\": 0, \"partitionKeys\": [], \"primaryKeys\": [], \"options\": {\"a\": []}}",
            "{\"id\": 6, \"fields\": [], \"highestFieldId\": 0, \"partitionKeys\": [], \"primaryKeys\": [], \"options\": {}}",
            "{\"id\": 5, \"fields\": [], \"highestFieldId\": 0, \"partitionKeys\": [], \"primaryKeys\": [], \"options\": {}} x"})
    void testCorruptFilesAreNamed(String content)
            throws Exception
    {
        writeSchema(5, content);
        assertThatThrownBy(() -> manager.schema(5))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.CORRUPT_FILE))
                .hasMessageContaining("schema/schema-5");
    }

    @Test
    void testEveryTruncationIsNoticed()
            throws Exception
    {
        paimon.createTable(everyType());
        byte[] whole = Files.readAllBytes(directory.resolve("schema/schema-0"));
        for (int length = 0; length < whole.length - 1; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> SchemaJson.read(new Path("file:///w/schema-0"), cut))
                    .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.CORRUPT_FILE));
        }
    }

    @Test
    void testUnsupportedTypeNamesTheColumn()
            throws Exception
    {
        writeSchema(0, "{\"id\": 0, \"fields\": [{\"id\": 0, \"name\": \"picture\", \"type\": \"BLOB\"}], \"highestFieldId\": 0, \"partitionKeys\": [], \"primaryKeys\": [], \"options\": {}}");
        assertThatThrownBy(() -> manager.latest())
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.UNSUPPORTED_TYPE))
                .hasMessageContaining("'picture'").hasMessageContaining("BLOB").hasMessageContaining("schema-0");
    }

    @Test
    void testOtherFilesAreIgnored()
            throws Exception
    {
        paimon.createTable(everyType());
        for (String name : ImmutableList.of(".schema-7.x.tmp", "schema-", "schema-9x", "schema--3", "schema-99999999999999999999", "README")) {
            Files.writeString(directory.resolve("schema").resolve(name), "x");
        }
        assertThat(manager.latestId()).hasValue(0);
    }

    @Test
    void testOneCreatorWins()
            throws Exception
    {
        paimon.createTable(everyType());
        TableSchema first = manager.schema(0);
        try (ExecutorService executor = Executors.newFixedThreadPool(4)) {
            for (int round = 1; round <= 20; round++) {
                int id = round;
                List<Future<Boolean>> results = new ArrayList<>();
                for (int creator = 0; creator < 4; creator++) {
                    String comment = "creator " + creator;
                    results.add(executor.submit(() -> manager.tryCreate(new TableSchema(3, id, first.fields(), first.highestFieldId(), first.partitionKeys(), first.primaryKeys(), first.options(), Optional.of(comment), 0))));
                }
                int winners = 0;
                for (Future<Boolean> result : results) {
                    winners += result.get() ? 1 : 0;
                }
                assertThat(winners).isEqualTo(1);
            }
        }
        assertThat(paimon.latest().orElseThrow().id()).isEqualTo(20);
    }

    private void writeSchema(long id, String content)
            throws IOException
    {
        Files.createDirectories(directory.resolve("schema"));
        Files.writeString(directory.resolve("schema/schema-" + id), content);
    }
}
