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
package io.lookup.storage.format.parquet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.column.ReadRequest;
import io.lookup.storage.format.column.SystemFields;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.format.manifest.SimpleStats;
import io.lookup.storage.format.parquet.DataFileWriterFactory.RollingWriter;
import io.lookup.storage.format.reader.DataFileReaderFactory;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TrinoTypes;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.Type;
import org.apache.hadoop.fs.Path;
import org.apache.paimon.data.BinaryArray;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.SerializationUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.TinyintType.TINYINT;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Files of this engine and of Paimon hold the same, are described the same, and each reads the other's.
 */
final class TestParquetFilesWithPaimon
{
    static final Map<String, DataType> ALL_TYPES = ImmutableMap.<String, DataType>builder()
            .put("f_bool", DataTypes.BOOLEAN())
            .put("f_tiny", DataTypes.TINYINT())
            .put("f_small", DataTypes.SMALLINT())
            .put("f_int", DataTypes.INT())
            .put("f_bigint", DataTypes.BIGINT())
            .put("f_float", DataTypes.FLOAT())
            .put("f_double", DataTypes.DOUBLE())
            .put("f_dec9", DataTypes.DECIMAL(9, 2))
            .put("f_dec18", DataTypes.DECIMAL(18, 4))
            .put("f_dec19", DataTypes.DECIMAL(19, 0))
            .put("f_dec38", DataTypes.DECIMAL(38, 10))
            .put("f_char", DataTypes.CHAR(5))
            .put("f_varchar", DataTypes.VARCHAR(20))
            .put("f_string", DataTypes.STRING())
            .put("f_binary", DataTypes.BINARY(4))
            .put("f_bytes", DataTypes.BYTES())
            .put("f_date", DataTypes.DATE())
            .put("f_time", DataTypes.TIME(3))
            .put("f_ts0", DataTypes.TIMESTAMP(0))
            .put("f_ts3", DataTypes.TIMESTAMP(3))
            .put("f_ts6", DataTypes.TIMESTAMP(6))
            .put("f_ts9", DataTypes.TIMESTAMP(9))
            .put("f_ltz3", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3))
            .put("f_ltz6", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(6))
            .put("f_ltz9", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(9))
            .put("f_required", DataTypes.INT().notNull())
            .put("f_array", DataTypes.ARRAY(DataTypes.INT().notNull()))
            .put("f_array2", DataTypes.ARRAY(DataTypes.ARRAY(DataTypes.STRING())))
            .put("f_map", DataTypes.MAP(DataTypes.STRING(), DataTypes.TIMESTAMP(9)))
            .put("f_multiset", DataTypes.MULTISET(DataTypes.STRING()))
            .put("f_row", DataTypes.ROW(
                    DataTypes.FIELD(100, "a", DataTypes.INT().notNull()),
                    DataTypes.FIELD(101, "B", DataTypes.ARRAY(DataTypes.ROW(
                            DataTypes.FIELD(102, "c", DataTypes.DECIMAL(25, 3)),
                            DataTypes.FIELD(103, "d", DataTypes.MAP(DataTypes.INT(), DataTypes.ARRAY(DataTypes.DOUBLE()))))))))
            .buildOrThrow();

    @TempDir
    private java.nio.file.Path directory;

    private PaimonWarehouse warehouse;

    @BeforeEach
    void setUp()
            throws Exception
    {
        warehouse = new PaimonWarehouse(directory);
    }

    @AfterEach
    void tearDown()
            throws Exception
    {
        warehouse.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 20, 100})
    void testEveryType(int nullPercent)
            throws Exception
    {
        checkTable(ImmutableMap.of("id", DataTypes.BIGINT().notNull()), ALL_TYPES, ImmutableMap.of(), rows(2_500, nullPercent, ALL_TYPES));
    }

    @ParameterizedTest
    @ValueSource(strings = {"zstd", "snappy", "gzip", "none"})
    void testCodecs(String codec)
            throws Exception
    {
        Map<String, DataType> columns = ImmutableMap.of("s", DataTypes.STRING(), "d", DataTypes.DOUBLE());
        checkTable(ImmutableMap.of("id", DataTypes.BIGINT().notNull()), columns, ImmutableMap.of("file.compression", codec), rows(3_000, 10, columns));
    }

    @Test
    void testSmallPagesAndRowGroups()
            throws Exception
    {
        checkTable(
                ImmutableMap.of("id", DataTypes.BIGINT().notNull()),
                ALL_TYPES,
                ImmutableMap.of("parquet.page.size", "2048", "parquet.block.size", "65536", "parquet.page.row.count.limit", "100"),
                rows(5_000, 20, ALL_TYPES));
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "counts", "full", "truncate(3)"})
    void testStatisticsModes(String mode)
            throws Exception
    {
        checkTable(
                ImmutableMap.of("id", DataTypes.BIGINT().notNull()),
                ALL_TYPES,
                ImmutableMap.of("metadata.stats-mode", mode, "fields.f_string.stats-mode", "truncate(2)", "fields.f_int.stats-mode", "none"),
                rows(200, 20, ALL_TYPES));
    }

    @Test
    void testStatisticsOptions()
            throws Exception
    {
        Map<String, DataType> key = ImmutableMap.of("id", DataTypes.BIGINT().notNull());
        checkTable(key, ALL_TYPES, ImmutableMap.of("metadata.stats-dense-store", "false"), rows(100, 20, ALL_TYPES));
        checkTable(key, ALL_TYPES, ImmutableMap.of("metadata.stats-keep-first-n-columns", "3", "fields.f_int.stats-mode", "counts"), rows(100, 20, ALL_TYPES));
        checkTable(key, ALL_TYPES, ImmutableMap.of("data-file.thin-mode", "true", "metadata.stats-keep-first-n-columns", "2"), rows(100, 20, ALL_TYPES));
        Map<String, DataType> scalars = ImmutableMap.of("s", DataTypes.STRING(), "d", DataTypes.DATE());
        checkTable(key, scalars, ImmutableMap.of(), rows(100, 20, scalars));
    }

    @Test
    void testKeysOfSeveralTypes()
            throws Exception
    {
        Map<String, DataType> keys = ImmutableMap.of(
                "k_string", DataTypes.STRING().notNull(),
                "k_bytes", DataTypes.BYTES().notNull(),
                "k_decimal", DataTypes.DECIMAL(30, 5).notNull(),
                "k_ts", DataTypes.TIMESTAMP(9).notNull());
        RowType keyType = rowType(keys);
        RandomPaimonRows random = new RandomPaimonRows(7, 0);
        List<GenericRow> rows = new ArrayList<>();
        for (int index = 0; index < 500; index++) {
            GenericRow key = random.row(keyType);
            rows.add(GenericRow.of(key.getField(0), key.getField(1), key.getField(2), key.getField(3), index));
        }
        checkTable(keys, ImmutableMap.of("v", DataTypes.INT()), ImmutableMap.of(), rows);
        checkTable(keys, ImmutableMap.of("v", DataTypes.INT()), ImmutableMap.of("data-file.thin-mode", "true"), rows);
    }

    @Test
    void testStatisticsOfFloatingPointNumbers()
            throws Exception
    {
        Map<String, DataType> columns = ImmutableMap.<String, DataType>builder()
                .put("with_nan", DataTypes.DOUBLE())
                .put("only_nan", DataTypes.DOUBLE())
                .put("zeros", DataTypes.DOUBLE())
                .put("minus_zeros", DataTypes.DOUBLE())
                .put("f_with_nan", DataTypes.FLOAT())
                .put("f_zeros", DataTypes.FLOAT())
                .buildOrThrow();
        checkTable(ImmutableMap.of("id", DataTypes.BIGINT().notNull()), columns, ImmutableMap.of(), ImmutableList.of(
                GenericRow.of(1L, 5.0, Double.NaN, 0.0, -0.0, Float.NaN, 0.0f),
                GenericRow.of(2L, Double.NaN, Double.NaN, -0.0, -0.0, 1.0f, -0.0f),
                GenericRow.of(3L, -3.0, null, 0.0, -0.0, -1.0f, 0.0f)));
    }

    private int tables;

    private void checkTable(Map<String, DataType> keys, Map<String, DataType> columns, Map<String, String> options, List<GenericRow> rows)
            throws Exception
    {
        FileStoreTable table = warehouse.createTable("t" + tables, keys, columns, options);
        tables++;
        warehouse.write(table, rows);
        org.apache.paimon.io.DataFileMeta paimonFile = PaimonWarehouse.files(table).getFirst();
        assertThat(PaimonWarehouse.files(table)).hasSize(1);
        TableSchema schema = warehouse.schema(table);
        boolean thin = "true".equals(options.get("data-file.thin-mode"));
        RowType fileType = PaimonWarehouse.fileType(table, thin);

        // what Paimon wrote, read by Paimon
        String paimonPath = new Path(PaimonWarehouse.bucketDirectory(table), paimonFile.fileName()).toString();
        RowType valueType = new RowType(fileType.getFields().stream().filter(field -> !field.name().startsWith("_")).collect(toImmutableList()));
        RowType ourLayout = new RowType(ImmutableList.<org.apache.paimon.types.DataField>builder()
                .addAll(valueType.getFields())
                .add(fileType.getField("_SEQUENCE_NUMBER"))
                .add(fileType.getField("_VALUE_KIND"))
                .build());
        List<DataField> ourFields = ImmutableList.<DataField>builder()
                .addAll(schema.fields())
                .add(SystemFields.SEQUENCE_NUMBER, SystemFields.VALUE_KIND)
                .build();
        List<Type> types = ourFields.stream().map(field -> TrinoTypes.toTrinoType(field.type())).collect(toImmutableList());
        List<InternalRow> paimonRows = PaimonWarehouse.readFile(table, fileType, ourLayout, paimonPath, paimonFile.fileSize());
        Page expectedPage = PaimonBlocks.toPage(ourFields, paimonRows, ourLayout);
        List<List<Object>> expected = PaimonBlocks.values(types, expectedPage);
        assertThat(expected).hasSize(rows.size());

        // read by us
        assertThat(read(schema, new Path(paimonPath), paimonFile.fileSize(), types)).isEqualTo(expected);

        // equal rows written by us
        DataFileWriterFactory writers = new DataFileWriterFactory(warehouse.fileIo(), new TablePaths(new Path(table.location().toString()), schema), schema);
        RollingWriter writer = writers.createDataWriter(BinaryRow.EMPTY, 0, 0, FileSource.APPEND);
        for (int offset = 0; offset < expectedPage.getPositionCount(); offset += 777) {
            writer.write(expectedPage.getRegion(offset, Math.min(777, expectedPage.getPositionCount() - offset)));
        }
        DataFileMeta file = writer.finish().getFirst();
        checkMetadata(file, paimonFile);
        Path path = new Path(PaimonWarehouse.bucketDirectory(table), file.fileName());
        assertThat(warehouse.fileIo().status(path).length()).isEqualTo(file.fileSize());
        assertThat(read(schema, path, file.fileSize(), types)).isEqualTo(expected);

        // and read by Paimon, key columns included
        RowType withKeys = new RowType(ImmutableList.<org.apache.paimon.types.DataField>builder()
                .addAll(ourLayout.getFields())
                .addAll(fileType.getFields().stream().filter(field -> field.name().startsWith("_KEY_")).collect(toImmutableList()))
                .build());
        List<DataField> fieldsWithKeys = ImmutableList.<DataField>builder()
                .addAll(ourFields)
                .addAll(thin ? ImmutableList.of() : schema.trimmedPrimaryKeyFields())
                .build();
        List<Type> typesWithKeys = fieldsWithKeys.stream().map(field -> TrinoTypes.toTrinoType(field.type())).collect(toImmutableList());
        List<List<Object>> expectedWithKeys = PaimonBlocks.values(typesWithKeys, PaimonBlocks.toPage(
                fieldsWithKeys, PaimonWarehouse.readFile(table, fileType, withKeys, paimonPath, paimonFile.fileSize()), withKeys));
        assertThat(PaimonBlocks.values(typesWithKeys, PaimonBlocks.toPage(
                fieldsWithKeys, PaimonWarehouse.readFile(table, fileType, withKeys, path.toString(), file.fileSize()), withKeys)))
                .isEqualTo(expectedWithKeys);
    }

    private static void checkMetadata(DataFileMeta actual, org.apache.paimon.io.DataFileMeta expected)
    {
        assertThat(actual.rowCount()).isEqualTo(expected.rowCount());
        assertThat(actual.minKey().toBytesWithArity()).isEqualTo(SerializationUtils.serializeBinaryRow(expected.minKey()));
        assertThat(actual.maxKey().toBytesWithArity()).isEqualTo(SerializationUtils.serializeBinaryRow(expected.maxKey()));
        assertThat(actual.minSequenceNumber()).isEqualTo(expected.minSequenceNumber());
        assertThat(actual.maxSequenceNumber()).isEqualTo(expected.maxSequenceNumber());
        assertThat(actual.schemaId()).isEqualTo(expected.schemaId());
        assertThat(actual.level()).isEqualTo(expected.level());
        assertThat(actual.deleteRowCount()).hasValue(expected.deleteRowCount().orElseThrow());
        assertThat(actual.creationTimeMillis().orElseThrow()).isBetween(expected.creationTime().getMillisecond(), expected.creationTime().getMillisecond() + 100_000);
        assertThat(actual.valueStatsColumns()).isEqualTo(Optional.ofNullable(expected.valueStatsCols()));
        checkStats(actual.keyStats(), expected.keyStats());
        checkStats(actual.valueStats(), expected.valueStats());
    }

    private static void checkStats(SimpleStats actual, org.apache.paimon.stats.SimpleStats expected)
    {
        BinaryArray nullCounts = expected.nullCounts();
        List<Optional<Long>> expectedNullCounts = new ArrayList<>();
        for (int index = 0; index < nullCounts.size(); index++) {
            expectedNullCounts.add(nullCounts.isNullAt(index) ? Optional.empty() : Optional.of(nullCounts.getLong(index)));
        }
        assertThat(actual.nullCounts()).isEqualTo(expectedNullCounts);
        assertThat(actual.minValues().toBytesWithArity()).isEqualTo(SerializationUtils.serializeBinaryRow(expected.minValues()));
        assertThat(actual.maxValues().toBytesWithArity()).isEqualTo(SerializationUtils.serializeBinaryRow(expected.maxValues()));
    }

    private List<List<Object>> read(TableSchema schema, Path path, long size, List<Type> types)
            throws Exception
    {
        List<List<Object>> rows = new ArrayList<>();
        try (PageStream stream = new DataFileReaderFactory(warehouse.fileIo()).open(new ReadRequest(
                path, size, schema, schema.fields(), true, ImmutableList.of(), BinaryRow.EMPTY, TupleDomain.all()))) {
            for (Page page = stream.nextPage(); page != null; page = stream.nextPage()) {
                assertThat(page.getPositionCount()).isBetween(1, 8192);
                for (int channel = 0; channel < page.getChannelCount(); channel++) {
                    Block block = page.getBlock(channel);
                    assertThat(block.getPositionCount()).isEqualTo(page.getPositionCount());
                }
                rows.addAll(PaimonBlocks.values(types, page));
            }
        }
        assertThat(types.subList(types.size() - 2, types.size())).containsExactly(BIGINT, TINYINT);
        return rows;
    }

    private static List<GenericRow> rows(int count, int nullPercent, Map<String, DataType> columns)
    {
        RandomPaimonRows random = new RandomPaimonRows(count + nullPercent, nullPercent);
        RowType type = rowType(columns);
        List<GenericRow> rows = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            GenericRow values = random.row(type);
            GenericRow row = new GenericRow(1 + columns.size());
            row.setField(0, (long) index * 3 - 1_000);
            for (int channel = 0; channel < columns.size(); channel++) {
                row.setField(channel + 1, values.getField(channel));
            }
            rows.add(row);
        }
        return rows;
    }

    private static RowType rowType(Map<String, DataType> columns)
    {
        List<org.apache.paimon.types.DataField> fields = new ArrayList<>();
        columns.forEach((name, type) -> fields.add(new org.apache.paimon.types.DataField(fields.size(), name, type)));
        return new RowType(fields);
    }
}
