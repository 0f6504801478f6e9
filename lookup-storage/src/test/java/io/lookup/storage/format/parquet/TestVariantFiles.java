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
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.Type;
import org.apache.hadoop.fs.Path;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Variants in files that Paimon wrote, also within other types, are what Paimon makes of them as JSON.
 */
final class TestVariantFiles
        extends AbstractPaimonFilesTest
{
    @ParameterizedTest
    @ValueSource(ints = {0, 30, 100})
    void testVariants(int nullPercent)
            throws Exception
    {
        FileStoreTable table = createAndFill(
                "t",
                ImmutableMap.of(
                        "V", DataTypes.VARIANT(),
                        "required", DataTypes.VARIANT().notNull(),
                        "a", DataTypes.ARRAY(DataTypes.VARIANT()),
                        "m", DataTypes.MAP(DataTypes.STRING(), DataTypes.VARIANT()),
                        "r", DataTypes.ROW(DataTypes.FIELD(100, "x", DataTypes.INT()), DataTypes.FIELD(101, "y", DataTypes.VARIANT()))),
                ImmutableMap.of(),
                // Paimon cannot read more than 1,024 variants within arrays at a time
                400,
                new RandomPaimonRows(nullPercent, nullPercent));
        assertThat(read(table)).hasSize(400).isEqualTo(readWithPaimon(table));
    }

    @Test
    void testShreddedVariants()
            throws Exception
    {
        Map<String, String> options = ImmutableMap.of(
                "parquet.variant.shreddingSchema",
                """
                {"type":"ROW","fields":[{"id":0,"name":"v","type":{"type":"ROW","fields":[{"id":1,"name":"Name","type":"INT"}]}}]}""");
        FileStoreTable table = createAndFill("t", ImmutableMap.of("v", DataTypes.VARIANT()), options, 10, new RandomPaimonRows(1, 0));
        assertThatThrownBy(() -> read(table))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.UNSUPPORTED_FEATURE))
                .hasMessageMatching("Column 'v' of file .*\\.parquet is a shredded VARIANT, which cannot be read; .*");
    }

    private List<List<Object>> read(FileStoreTable table)
            throws Exception
    {
        TableSchema schema = warehouse.schema(table);
        List<Type> types = types(schema.fields());
        Path path = new Path(PaimonWarehouse.bucketDirectory(table), PaimonWarehouse.files(table).getFirst().fileName());
        ReadRequest request = new ReadRequest(path, warehouse.fileIo().status(path).length(), schema, schema.fields(), false, ImmutableList.of(), BinaryRow.EMPTY, TupleDomain.all());
        List<List<Object>> rows = new ArrayList<>();
        try (PageStream stream = new DataFileReaderFactory(warehouse.fileIo()).open(request)) {
            for (Page page = stream.nextPage(); page != null; page = stream.nextPage()) {
                rows.addAll(PaimonBlocks.values(types, page));
            }
        }
        return rows;
    }
}
