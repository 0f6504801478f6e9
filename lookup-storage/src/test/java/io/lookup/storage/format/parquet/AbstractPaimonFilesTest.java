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

import com.google.common.collect.ImmutableMap;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TrinoTypes;
import io.trino.spi.type.Type;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.serializer.InternalRowSerializer;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;

import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * Tables of one data file, which Paimon has written and reads too.
 */
abstract class AbstractPaimonFilesTest
{
    @TempDir
    private java.nio.file.Path directory;

    protected PaimonWarehouse warehouse;
    private TimeZone zone;

    @BeforeEach
    void openWarehouse()
            throws Exception
    {
        warehouse = new PaimonWarehouse(directory);
        zone = TimeZone.getDefault();
    }

    /**
     * For a test with ORC: what its library makes of clocks before 1900 is not what others make of them.
     */
    protected static void useClocksOfUtc()
    {
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    }

    @AfterEach
    void closeWarehouse()
            throws Exception
    {
        TimeZone.setDefault(zone);
        warehouse.close();
    }

    /**
     * Rows by ascending id, which is the key.
     */
    protected FileStoreTable createAndFill(String name, Map<String, DataType> columns, Map<String, String> options, int count, RandomPaimonRows random)
            throws Exception
    {
        FileStoreTable table = warehouse.createTable(name, ImmutableMap.of("id", DataTypes.BIGINT().notNull()), columns, options);
        List<GenericRow> rows = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            GenericRow row = random.row(table.rowType());
            row.setField(0, (long) index);
            rows.add(row);
        }
        warehouse.write(table, rows);
        return table;
    }

    protected List<List<Object>> readWithPaimon(FileStoreTable table)
            throws Exception
    {
        List<InternalRow> rows = new ArrayList<>();
        InternalRowSerializer serializer = new InternalRowSerializer(table.rowType());
        ReadBuilder builder = table.newReadBuilder();
        builder.newRead().createReader(builder.newScan().plan()).forEachRemaining(row -> rows.add(serializer.copy(row)));
        List<DataField> fields = warehouse.schema(table).fields();
        return PaimonBlocks.values(types(fields), PaimonBlocks.toPage(fields, rows, table.rowType()));
    }

    protected static List<Type> types(List<DataField> fields)
    {
        return fields.stream().map(field -> TrinoTypes.toTrinoType(field.type())).collect(toImmutableList());
    }
}
