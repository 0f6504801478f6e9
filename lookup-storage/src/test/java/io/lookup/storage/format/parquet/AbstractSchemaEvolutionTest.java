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
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.column.ReadRequest;
import io.lookup.storage.format.reader.DataFileReaderFactory;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.Page;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.Type;
import org.apache.hadoop.fs.Path;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import static io.trino.spi.type.BigintType.BIGINT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A file of an older schema version gives the rows that Paimon reads from it.
 */
abstract class AbstractSchemaEvolutionTest
        extends AbstractPaimonFilesTest
{
    private final String format;

    AbstractSchemaEvolutionTest(String format)
    {
        this.format = format;
    }

    @BeforeEach
    void chooseClocks()
    {
        if (format.equals("orc")) {
            useClocksOfUtc();
        }
    }

    @Test
    void testWiderTypes()
            throws Exception
    {
        Map<String, DataType> before = ImmutableMap.<String, DataType>builder()
                .put("tiny_int", DataTypes.TINYINT())
                .put("small_big", DataTypes.SMALLINT())
                .put("int_big", DataTypes.INT())
                .put("float_double", DataTypes.FLOAT())
                .put("int_double", DataTypes.INT())
                .put("int_float", DataTypes.INT())
                .put("int_decimal", DataTypes.INT())
                .put("big_decimal", DataTypes.BIGINT())
                .put("decimal9_18", DataTypes.DECIMAL(9, 2))
                .put("decimal9_38", DataTypes.DECIMAL(9, 2))
                .put("decimal20_38", DataTypes.DECIMAL(20, 2))
                .put("varchar_string", DataTypes.VARCHAR(20))
                .put("char_varchar", DataTypes.CHAR(5))
                .put("binary_bytes", DataTypes.BINARY(4))
                .put("ts3_6", DataTypes.TIMESTAMP(3))
                .put("ts6_9", DataTypes.TIMESTAMP(6))
                .put("ts3_9", DataTypes.TIMESTAMP(3))
                .put("ltz3_6", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3))
                .put("ltz6_9", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(6))
                .buildOrThrow();
        Map<String, DataType> after = ImmutableMap.<String, DataType>builder()
                .put("tiny_int", DataTypes.INT())
                .put("small_big", DataTypes.BIGINT())
                .put("int_big", DataTypes.BIGINT())
                .put("float_double", DataTypes.DOUBLE())
                .put("int_double", DataTypes.DOUBLE())
                .put("int_float", DataTypes.FLOAT())
                .put("int_decimal", DataTypes.DECIMAL(12, 2))
                .put("big_decimal", DataTypes.DECIMAL(25, 3))
                .put("decimal9_18", DataTypes.DECIMAL(18, 4))
                .put("decimal9_38", DataTypes.DECIMAL(38, 10))
                .put("decimal20_38", DataTypes.DECIMAL(38, 10))
                .put("varchar_string", DataTypes.STRING())
                .put("char_varchar", DataTypes.VARCHAR(9))
                .put("binary_bytes", DataTypes.BYTES())
                .put("ts3_6", DataTypes.TIMESTAMP(6))
                .put("ts6_9", DataTypes.TIMESTAMP(digits(9)))
                .put("ts3_9", DataTypes.TIMESTAMP(digits(9)))
                .put("ltz3_6", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(6))
                .put("ltz6_9", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(digits(9)))
                .buildOrThrow();
        FileStoreTable table = createAndFill("t", before);
        TableSchema fileSchema = warehouse.schema(table);
        FileStoreTable altered = warehouse.alter(table, after.entrySet().stream()
                .map(column -> SchemaChange.updateColumnType(column.getKey(), column.getValue()))
                .toArray(SchemaChange[]::new));
        checkReads(altered, fileSchema);

        // a predicate on a column that was another type is held against the values of the new type
        TableSchema tableSchema = warehouse.schema(altered);
        int channel = tableSchema.fieldIndex("int_big");
        List<List<Object>> rows = read(altered, fileSchema, tableSchema, TupleDomain.all());
        for (Object value : rows.stream().map(row -> row.get(channel)).filter(Objects::nonNull).limit(20).toList()) {
            TupleDomain<Integer> predicate = TupleDomain.withColumnDomains(ImmutableMap.of(tableSchema.field("int_big").id(), Domain.singleValue(BIGINT, ((Number) value).longValue())));
            assertThat(read(altered, fileSchema, tableSchema, predicate).stream().filter(row -> value.equals(row.get(channel))))
                    .hasSize(Math.toIntExact(rows.stream().filter(row -> value.equals(row.get(channel))).count()));
        }
        if (format.equals("parquet")) {
            assertThat(read(altered, fileSchema, tableSchema, TupleDomain.withColumnDomains(ImmutableMap.of(
                    tableSchema.field("int_big").id(), Domain.singleValue(BIGINT, 1L << 40))))).isEmpty();
        }
    }

    @Test
    void testNestedFields()
            throws Exception
    {
        DataType row = DataTypes.ROW(
                DataTypes.FIELD(10, "a", DataTypes.INT()),
                DataTypes.FIELD(11, "b", DataTypes.STRING()),
                DataTypes.FIELD(12, "c", DataTypes.DECIMAL(20, 2)));
        FileStoreTable table = createAndFill("t", ImmutableMap.of(
                "r", row,
                "list", DataTypes.ARRAY(row),
                "map", DataTypes.MAP(DataTypes.STRING(), row)));
        TableSchema fileSchema = warehouse.schema(table);
        List<SchemaChange> changes = new ArrayList<>();
        for (String[] path : new String[][] {{"r"}, {"list", "element"}, {"map", "value"}}) {
            changes.add(SchemaChange.addColumn(append(path, "d"), DataTypes.TIMESTAMP(digits(9)), null, null));
            changes.add(SchemaChange.renameColumn(append(path, "b"), "renamed"));
            changes.add(SchemaChange.updateColumnType(append(path, "a"), DataTypes.BIGINT(), false));
            changes.add(SchemaChange.dropColumn(append(path, "c")));
        }
        FileStoreTable altered = warehouse.alter(table, changes.toArray(SchemaChange[]::new));
        checkReads(
                warehouse.alter(altered, SchemaChange.renameColumn("list", "renamed_list"), SchemaChange.addColumn("added", DataTypes.ARRAY(DataTypes.INT()))),
                fileSchema);
    }

    /**
     * Paimon makes such a row null; this engine keeps whether it was.
     */
    @Test
    void testRowWithoutAnyOfItsOldFields()
            throws Exception
    {
        DataType row = DataTypes.ROW(DataTypes.FIELD(10, "a", DataTypes.INT()), DataTypes.FIELD(11, "b", DataTypes.ARRAY(DataTypes.INT())));
        FileStoreTable table = createAndFill("t", ImmutableMap.of("r", row, "list", DataTypes.ARRAY(row)));
        TableSchema fileSchema = warehouse.schema(table);
        List<List<Object>> before = read(table, fileSchema, fileSchema, TupleDomain.all());
        List<SchemaChange> changes = new ArrayList<>();
        for (String[] path : new String[][] {{"r"}, {"list", "element"}}) {
            changes.add(SchemaChange.addColumn(append(path, "d"), DataTypes.INT(), null, null));
            changes.add(SchemaChange.dropColumn(append(path, "b")));
            changes.add(SchemaChange.dropColumn(append(path, "a")));
        }
        FileStoreTable altered = warehouse.alter(table, changes.toArray(SchemaChange[]::new));
        List<List<Object>> expected = new ArrayList<>();
        for (List<Object> values : before) {
            List<Object> list = values.get(2) == null ? null : new ArrayList<>();
            if (list != null) {
                ((List<?>) values.get(2)).forEach(element -> list.add(element == null ? null : Collections.singletonList(null)));
            }
            expected.add(Arrays.asList(values.get(0), values.get(1) == null ? null : Collections.singletonList(null), list));
        }
        assertThat(read(altered, fileSchema, warehouse.schema(altered), TupleDomain.all())).isEqualTo(expected);
    }

    @Test
    void testNumbersAndTexts()
            throws Exception
    {
        Map<String, DataType> before = ImmutableMap.<String, DataType>builder()
                .put("tiny_text", DataTypes.TINYINT())
                .put("small_text", DataTypes.SMALLINT())
                .put("int_text", DataTypes.INT())
                .put("big_text", DataTypes.BIGINT())
                .put("short_decimal_text", DataTypes.DECIMAL(9, 4))
                .put("long_decimal_text", DataTypes.DECIMAL(30, 12))
                .put("boolean_text", DataTypes.BOOLEAN())
                .put("list", DataTypes.ARRAY(DataTypes.INT()))
                .buildOrThrow();
        Map<String, DataType> texts = ImmutableMap.<String, DataType>builder()
                .put("tiny_text", DataTypes.VARCHAR(4))
                .put("small_text", DataTypes.VARCHAR(6))
                .put("int_text", DataTypes.STRING())
                .put("big_text", DataTypes.VARCHAR(20))
                .put("short_decimal_text", DataTypes.VARCHAR(12))
                .put("long_decimal_text", DataTypes.STRING())
                .put("boolean_text", DataTypes.VARCHAR(5))
                .buildOrThrow();
        FileStoreTable table = createAndFill("t", before);
        TableSchema fileSchema = warehouse.schema(table);
        FileStoreTable altered = warehouse.alter(table, texts.entrySet().stream()
                .map(column -> SchemaChange.updateColumnType(column.getKey(), column.getValue()))
                .toArray(SchemaChange[]::new));
        altered = warehouse.alter(altered, SchemaChange.updateColumnType(new String[] {"list", "element"}, DataTypes.STRING(), false));
        checkReads(altered, fileSchema);
    }

    @Test
    void testTextsThatAreNumbers()
            throws Exception
    {
        Map<String, DataType> numbers = ImmutableMap.<String, DataType>builder()
                .put("tiny", DataTypes.TINYINT())
                .put("small", DataTypes.SMALLINT())
                .put("int", DataTypes.INT())
                .put("big", DataTypes.BIGINT())
                .put("short_decimal", DataTypes.DECIMAL(9, 2))
                .put("long_decimal", DataTypes.DECIMAL(30, 3))
                .put("real", DataTypes.FLOAT())
                .put("double", DataTypes.DOUBLE())
                .buildOrThrow();
        FileStoreTable table = warehouse.createTable(
                "t",
                ImmutableMap.of("id", DataTypes.BIGINT().notNull()),
                numbers.keySet().stream().collect(ImmutableMap.toImmutableMap(column -> column, _ -> DataTypes.VARCHAR(40))),
                ImmutableMap.of("file.format", format));
        List<String> texts = Arrays.asList("0", "7", "-7", "+12", "127", "-128", "3.99", "-3.99", ".5", "-.5", "12.", "007", "1.005", "-1.005", null);
        List<GenericRow> rows = new ArrayList<>();
        for (int index = 0; index < 300; index++) {
            String text = texts.get(index % texts.size());
            GenericRow row = new GenericRow(numbers.size() + 1);
            row.setField(0, (long) index);
            for (int column = 1; column <= numbers.size(); column++) {
                row.setField(column, text == null ? null : BinaryString.fromString(text));
            }
            rows.add(row);
        }
        warehouse.write(table, rows);
        TableSchema fileSchema = warehouse.schema(table);
        FileStoreTable altered = warehouse.alter(table, numbers.entrySet().stream()
                .map(column -> SchemaChange.updateColumnType(column.getKey(), column.getValue()))
                .toArray(SchemaChange[]::new));
        checkReads(altered, fileSchema);
        // as texts the bounds are '+12' and '7'
        TableSchema tableSchema = warehouse.schema(altered);
        assertThat(read(altered, fileSchema, tableSchema, TupleDomain.withColumnDomains(ImmutableMap.of(
                tableSchema.field("big").id(), Domain.singleValue(BIGINT, 127L))))).hasSize(300);
    }

    @ParameterizedTest
    @CsvSource({"int, x", "int, ''", "int, +", "int, 1e3", "tiny, 128", "big, 9223372036854775808", "decimal, 1000", "decimal, 1e999999999", "decimal, one", "double, one"})
    void testTextThatIsNoNumber(String type, String text)
            throws Exception
    {
        DataType target = switch (type) {
            case "int" -> DataTypes.INT();
            case "tiny" -> DataTypes.TINYINT();
            case "big" -> DataTypes.BIGINT();
            case "decimal" -> DataTypes.DECIMAL(5, 2);
            case "double" -> DataTypes.DOUBLE();
            default -> throw new IllegalArgumentException(type);
        };
        FileStoreTable table = warehouse.createTable("t", ImmutableMap.of("id", DataTypes.BIGINT().notNull()), ImmutableMap.of("n", DataTypes.STRING()), ImmutableMap.of("file.format", format));
        warehouse.write(table, ImmutableList.of(GenericRow.of(1L, BinaryString.fromString(text))));
        TableSchema fileSchema = warehouse.schema(table);
        FileStoreTable altered = warehouse.alter(table, SchemaChange.updateColumnType("n", target));
        assertThatThrownBy(() -> read(altered, fileSchema, warehouse.schema(altered), TupleDomain.all()))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.INVALID_ROW))
                .hasMessageContaining("'n'")
                .hasMessageContaining("VARCHAR")
                .hasMessageContaining(PaimonWarehouse.files(table).getFirst().fileName());
        // the column can be read again after going back
        FileStoreTable restored = warehouse.alter(altered, SchemaChange.updateColumnType("n", DataTypes.STRING()));
        assertThat(read(restored, fileSchema, warehouse.schema(restored), TupleDomain.all())).hasSize(1);
    }

    @Test
    void testChangeThatCannotBeRead()
            throws Exception
    {
        FileStoreTable table = createAndFill("t", ImmutableMap.of("n", DataTypes.DOUBLE()));
        TableSchema fileSchema = warehouse.schema(table);
        FileStoreTable altered = warehouse.alter(table, SchemaChange.updateColumnType("n", DataTypes.INT()));
        assertThatThrownBy(() -> read(altered, fileSchema, warehouse.schema(altered), TupleDomain.all()))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.UNSUPPORTED_FEATURE))
                .hasMessageContaining("'n'")
                .hasMessageContaining("DOUBLE")
                .hasMessageContaining("INTEGER");
    }

    private static String[] append(String[] path, String name)
    {
        String[] result = Arrays.copyOf(path, path.length + 1);
        result[path.length] = name;
        return result;
    }

    /**
     * Avro has no nanoseconds.
     */
    private int digits(int most)
    {
        return format.equals("avro") ? Math.min(most, 6) : most;
    }

    private FileStoreTable createAndFill(String name, Map<String, DataType> columns)
            throws Exception
    {
        return createAndFill(name, columns, ImmutableMap.of("disable-explicit-type-casting", "false", "file.format", format), 300, new RandomPaimonRows(11, 20));
    }

    private void checkReads(FileStoreTable table, TableSchema fileSchema)
            throws Exception
    {
        List<List<Object>> expected = readWithPaimon(table);
        assertThat(expected).hasSize(300);
        assertThat(read(table, fileSchema, warehouse.schema(table), TupleDomain.all())).isEqualTo(expected);
    }

    private List<List<Object>> read(FileStoreTable table, TableSchema fileSchema, TableSchema tableSchema, TupleDomain<Integer> predicate)
            throws Exception
    {
        List<Type> types = types(tableSchema.fields());
        DataFileMeta file = PaimonWarehouse.files(table).getFirst();
        Path path = new Path(PaimonWarehouse.bucketDirectory(table), file.fileName());
        List<List<Object>> rows = new ArrayList<>();
        try (PageStream stream = new DataFileReaderFactory(warehouse.fileIo()).open(new ReadRequest(
                path, file.fileSize(), fileSchema, tableSchema.fields(), false, ImmutableList.of(), BinaryRow.EMPTY, predicate))) {
            for (Page page = stream.nextPage(); page != null; page = stream.nextPage()) {
                rows.addAll(PaimonBlocks.values(types, page));
            }
        }
        return rows;
    }
}
