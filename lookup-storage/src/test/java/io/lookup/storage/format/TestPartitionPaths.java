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
package io.lookup.storage.format;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.airlift.slice.Slices;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.SimpleStats;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BinaryRowEncoder;
import io.lookup.storage.format.row.BinaryRowText;
import io.lookup.storage.format.row.RandomValues;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TypeRoot;
import org.apache.hadoop.fs.Path;
import org.apache.paimon.casting.CastExecutor;
import org.apache.paimon.casting.CastExecutors;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.types.RowType;
import org.apache.paimon.utils.InternalRowPartitionComputer;
import org.apache.paimon.utils.PartitionPathUtils;
import org.apache.paimon.utils.RowDataToObjectArrayConverter;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.lookup.storage.format.row.RandomValues.ORDERED_TYPES;
import static io.lookup.storage.format.row.RandomValues.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestPartitionPaths
{
    private static final String DEFAULT_NAME = "__DEFAULT_PARTITION__";
    private static final DataType STRING = scalar(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH);

    @Test
    void testKnownNames()
    {
        assertName(scalar(TypeRoot.DATE, 0), 19000L, "19000", "2022-01-08");
        assertName(scalar(TypeRoot.BOOLEAN, 0), true, "true", "true");
        assertName(scalar(TypeRoot.TIMESTAMP, 3), 1700000000123_000L, "2023-11-14T22%3A13%3A20.123", "2023-11-14 22%3A13%3A20.123");
        assertName(scalar(TypeRoot.TIMESTAMP, 3), 1700000000000_000L, "2023-11-14T22%3A13%3A20", "2023-11-14 22%3A13%3A20.000");
        assertName(scalar(TypeRoot.TIME, 0), 3_600_000L * 1_000_000_000, "3600000", "01%3A00%3A00");
        assertName(new ScalarType(TypeRoot.DECIMAL, 10, 2, true), 150L, "1.50", "1.50");
        assertName(scalar(TypeRoot.DOUBLE, 0), 1.5, "1.5", "1.5");
        assertName(STRING, Slices.utf8Slice("a b/c:\u00e9"), "a b%2Fc%3A\u00e9", "a b%2Fc%3A\u00e9");
        assertName(STRING, Slices.utf8Slice(" "), DEFAULT_NAME, DEFAULT_NAME);
        assertName(STRING, null, DEFAULT_NAME, DEFAULT_NAME);
    }

    private static void assertName(DataType type, Object value, String legacyName, String name)
    {
        BinaryRow row = new BinaryRowEncoder(ImmutableList.of(type)).encodeValues(Collections.singletonList(value));
        List<DataField> fields = ImmutableList.of(new DataField(0, "p:", type));
        assertThat(new PartitionPaths(fields, true, DEFAULT_NAME).directory(row)).isEqualTo("p%3A=" + legacyName + "/");
        assertThat(new PartitionPaths(fields, false, DEFAULT_NAME).directory(row)).isEqualTo("p%3A=" + name + "/");
    }

    @Test
    @SuppressWarnings({"unchecked", "rawtypes"})
    void testSameTextAsPaimon()
    {
        List<DataType> types = new ArrayList<>(ORDERED_TYPES);
        for (int precision = 0; precision <= 9; precision++) {
            types.add(scalar(TypeRoot.TIMESTAMP, precision));
            types.add(scalar(TypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE, precision));
            types.add(scalar(TypeRoot.TIME, precision));
        }
        RandomValues randomValues = new RandomValues(new Random(5));
        for (DataType type : types) {
            boolean binary = type.root() == TypeRoot.BINARY || type.root() == TypeRoot.VARBINARY;
            List<DataType> rowTypes = ImmutableList.of(type, STRING);
            RowType paimonType = RowType.of(new org.apache.paimon.types.DataType[] {RandomValues.paimonType(type), RandomValues.paimonType(STRING)}, new String[] {"a", "b"});
            CastExecutor<InternalRow, BinaryString> braces = (CastExecutor<InternalRow, BinaryString>) CastExecutors.resolveToString(paimonType);
            BinaryRowEncoder encoder = new BinaryRowEncoder(rowTypes);
            BinaryRowText text = new BinaryRowText(rowTypes);
            for (int round = 0; round < 200; round++) {
                List<RandomValues.Value> values = rowTypes.stream().map(rowType -> randomValues.next(rowType, 0.1)).toList();
                BinaryRow row = encoder.encodeValues(Arrays.asList(values.get(0).trino(), values.get(1).trino()));
                GenericRow paimonRow = GenericRow.of(values.get(0).paimon(), values.get(1).paimon());

                for (boolean legacyNames : new boolean[] {true, false}) {
                    if (binary && legacyNames) {
                        continue;
                    }
                    InternalRowPartitionComputer computer = new InternalRowPartitionComputer(DEFAULT_NAME, paimonType, new String[] {"a", "b"}, legacyNames);
                    PartitionPaths paths = new PartitionPaths(fields(rowTypes), legacyNames, DEFAULT_NAME);
                    assertThat(paths.directory(row)).as("%s", type).isEqualTo(PartitionPathUtils.generatePartitionPath(computer.generatePartValues(paimonRow)));
                    assertThat(paths.values(row)).isEqualTo(computer.generatePartValues(paimonRow));
                }
                assertThat(text.braces(row)).isEqualTo(braces.cast(paimonRow).toString());
                if (!binary) {
                    assertThat(text.brackets(row)).isEqualTo(Arrays.toString(new RowDataToObjectArrayConverter(paimonType).convert(paimonRow)));
                }
            }
        }
    }

    @Test
    void testSystemTableForms()
    {
        List<DataType> types = ImmutableList.of(STRING, scalar(TypeRoot.DATE, 0), STRING);
        BinaryRow row = new BinaryRowEncoder(types).encodeValues(Arrays.asList(Slices.utf8Slice("x/y"), 19000L, null));
        PartitionPaths paths = new PartitionPaths(fields(types), true, DEFAULT_NAME);
        assertThat(paths.display(row)).isEqualTo("a=x/y/b=2022-01-08/c=" + DEFAULT_NAME);
        assertThat(paths.braces(row)).isEqualTo("{x/y, 2022-01-08, null}");
        BinaryRowText text = new BinaryRowText(types);
        assertThat(text.brackets(row)).isEqualTo("[x/y, 19000, null]");
        assertThat(text.named(row, ImmutableList.of("z", "k", "a"))).isEqualTo("{a=null, k=19000, z=x/y}");
        assertThat(new BinaryRowText(ImmutableList.of()).braces(BinaryRow.EMPTY)).isEqualTo("{}");
    }

    @Test
    void testEscaping()
    {
        for (char character = 0; character < 300; character++) {
            String name = "x" + character + "y";
            String escaped = PartitionPaths.escape(name);
            assertThat(PartitionPaths.unescape(escaped)).isEqualTo(name);
            assertThat(PartitionPaths.unescape(escaped)).isEqualTo(PartitionPathUtils.unescapePathName(escaped));
        }
        assertThat(PartitionPaths.escape("100%\n")).isEqualTo("100%25%0A");
        assertThat(PartitionPaths.unescape("a%4")).isEqualTo("a%4");
        assertThat(PartitionPaths.unescape("a%zzb")).isEqualTo("a%zzb");
    }

    @Test
    void testBinaryWithoutName()
    {
        DataType type = scalar(TypeRoot.VARBINARY, 10);
        BinaryRow row = new BinaryRowEncoder(ImmutableList.of(type)).encodeValues(ImmutableList.of(Slices.utf8Slice("x")));
        assertThatThrownBy(() -> new PartitionPaths(fields(ImmutableList.of(type)), true, DEFAULT_NAME).directory(row))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.UNSUPPORTED_TYPE))
                .hasMessageContaining("partition.legacy-name");
    }

    @Test
    void testTablePaths()
    {
        TablePaths paths = new TablePaths(new Path("file:/warehouse/d.db/t"), schema(ImmutableMap.of("partition.default-name", "none")));
        BinaryRow partition = new BinaryRowEncoder(ImmutableList.of(STRING)).encodeValues(ImmutableList.of(Slices.utf8Slice("2024:01")));
        assertThat(paths.bucketDirectory(partition, 3)).hasToString("file:/warehouse/d.db/t/p=2024%3A01/bucket-3");
        assertThat(paths.bucketDirectory(new BinaryRowEncoder(ImmutableList.of(STRING)).encodeValues(Collections.singletonList(null)), -2)).hasToString("file:/warehouse/d.db/t/p=none/bucket-postpone");
        assertThat(paths.manifest("manifest-x")).hasToString("file:/warehouse/d.db/t/manifest/manifest-x");
        assertThat(paths.dataFile(partition, 0, file(Optional.empty()))).hasToString("file:/warehouse/d.db/t/p=2024%3A01/bucket-0/data-1.parquet");
        assertThat(paths.dataFile(partition, 0, file(Optional.of("s3://other/x/data-1.parquet")))).hasToString("s3://other/x/data-1.parquet");

        TablePaths elsewhere = new TablePaths(new Path("file:/warehouse/d.db/t"), schema(ImmutableMap.of("data-file.path-directory", "data")));
        assertThat(elsewhere.bucketDirectory(partition, 0)).hasToString("file:/warehouse/d.db/t/data/p=2024%3A01/bucket-0");
        assertThat(elsewhere.snapshotDirectory()).hasToString("file:/warehouse/d.db/t/snapshot");
    }

    private static DataFileMeta file(Optional<String> externalPath)
    {
        return new DataFileMeta(
                "data-1.parquet", 1, 1, BinaryRow.EMPTY, BinaryRow.EMPTY, SimpleStats.EMPTY, SimpleStats.EMPTY, 0, 0, 0, 0, ImmutableList.of(),
                OptionalLong.empty(), OptionalLong.empty(), Optional.empty(), Optional.empty(), Optional.empty(), externalPath, OptionalLong.empty(), Optional.empty());
    }

    private static TableSchema schema(Map<String, String> options)
    {
        return new TableSchema(TableSchema.CURRENT_VERSION, 0, ImmutableList.of(new DataField(0, "p", STRING)), 0, ImmutableList.of("p"), ImmutableList.of("p"), options, Optional.empty(), 0);
    }

    private static List<DataField> fields(List<DataType> types)
    {
        return IntStream.range(0, types.size())
                .mapToObj(index -> new DataField(index, String.valueOf((char) ('a' + index)), types.get(index)))
                .collect(toImmutableList());
    }
}
