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
package io.lookup.storage.format.row;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.airlift.slice.Slices;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import org.apache.paimon.bucket.DefaultBucketFunction;
import org.apache.paimon.bucket.ModBucketFunction;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.serializer.InternalRowSerializer;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.lookup.storage.format.row.RandomValues.ORDERED_TYPES;
import static io.lookup.storage.format.row.RandomValues.scalar;
import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestBucketFunction
{
    private static final DataType INT = scalar(TypeRoot.INTEGER, 0);
    private static final DataType STRING = scalar(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH);

    @Test
    void testKnownBuckets()
    {
        BucketFunction integers = new BucketFunction(ImmutableList.of(INT), 4);
        assertThat(IntStream.range(0, 6).map(key -> integers.bucketOf(ImmutableList.of((long) key)))).containsExactly(3, 2, 0, 1, 2, 0);
        assertThat(integers.bucketOf(ImmutableList.of(-1L))).isEqualTo(3);
        BucketFunction strings = new BucketFunction(ImmutableList.of(STRING), 4);
        assertThat(strings.bucketOf(ImmutableList.of(Slices.utf8Slice("order-000001")))).isEqualTo(2);
    }

    @Test
    void testSameBucketsAsPaimon()
    {
        Random random = new Random(11);
        RandomValues randomValues = new RandomValues(random);
        for (int round = 0; round < 300; round++) {
            List<DataType> types = round < ORDERED_TYPES.size()
                    ? ImmutableList.of(ORDERED_TYPES.get(round))
                    : IntStream.range(0, 1 + random.nextInt(3)).mapToObj(_ -> ORDERED_TYPES.get(random.nextInt(ORDERED_TYPES.size()))).collect(toImmutableList());
            int bucketCount = 1 + random.nextInt(200);
            assertSameBuckets(types, bucketCount, BucketFunction.Kind.DEFAULT, randomValues);
        }
        for (DataType type : List.of(INT, scalar(TypeRoot.BIGINT, 0))) {
            assertSameBuckets(ImmutableList.of(type), 7, BucketFunction.Kind.MOD, randomValues);
        }
    }

    private static void assertSameBuckets(List<DataType> types, int bucketCount, BucketFunction.Kind kind, RandomValues randomValues)
    {
        int rows = 50;
        org.apache.paimon.types.DataType[] paimonTypes = types.stream().map(RandomValues::paimonType).toArray(org.apache.paimon.types.DataType[]::new);
        InternalRowSerializer serializer = new InternalRowSerializer(paimonTypes);
        org.apache.paimon.bucket.BucketFunction paimon = kind == BucketFunction.Kind.MOD
                ? new ModBucketFunction(org.apache.paimon.types.RowType.of(paimonTypes))
                : new DefaultBucketFunction();
        BucketFunction function = new BucketFunction(types, bucketCount, kind);
        BlockBuilder[] builders = types.stream().map(type -> TrinoTypes.toTrinoType(type).createBlockBuilder(null, rows)).toArray(BlockBuilder[]::new);
        int[] expected = new int[rows];
        for (int row = 0; row < rows; row++) {
            List<RandomValues.Value> values = types.stream().map(type -> randomValues.next(type, 0)).toList();
            expected[row] = paimon.bucket(serializer.toBinaryRow(GenericRow.of(values.stream().map(RandomValues.Value::paimon).toArray())), bucketCount);
            assertThat(function.bucketOf(values.stream().map(RandomValues.Value::trino).toList())).isEqualTo(expected[row]);
            for (int channel = 0; channel < builders.length; channel++) {
                writeNativeValue(TrinoTypes.toTrinoType(types.get(channel)), builders[channel], values.get(channel).trino());
            }
        }
        int[] buckets = new int[rows];
        function.buckets(new Page(rows, Arrays.stream(builders).map(BlockBuilder::build).toArray(Block[]::new)), IntStream.range(0, types.size()).toArray(), buckets);
        assertThat(buckets).isEqualTo(expected);
    }

    @Test
    void testBucketKey()
    {
        assertThat(names(BucketFunction.bucketKeyFields(schema(ImmutableMap.of())))).containsExactly("k2", "k1");
        assertThat(names(BucketFunction.bucketKeyFields(schema(ImmutableMap.of("bucket-key", " k1 ,k2"))))).containsExactly("k1", "k2");
        assertThatThrownBy(() -> BucketFunction.bucketKeyFields(schema(ImmutableMap.of("bucket-key", "k9"))))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.INVALID_OPTION))
                .hasMessageContaining("k9");
    }

    @Test
    void testFunctionTypes()
    {
        assertThat(BucketFunction.forTable(schema(ImmutableMap.of()), 4).bucketOf(List.of(Slices.utf8Slice("a"), 1L)))
                .isEqualTo(new BucketFunction(ImmutableList.of(STRING, INT), 4).bucketOf(List.of(Slices.utf8Slice("a"), 1L)));
        assertThat(BucketFunction.forTable(schema(ImmutableMap.of("bucket-key", "k1", "bucket-function.type", "mod")), 5).bucketOf(List.of(-3L))).isEqualTo(2);
        assertThatThrownBy(() -> BucketFunction.forTable(schema(ImmutableMap.of("bucket-function.type", "mod")), 5)).hasMessageContaining("bucket-function.type is mod");
        assertThatThrownBy(() -> BucketFunction.forTable(schema(ImmutableMap.of("bucket-function.type", "hive")), 5)).hasMessageContaining("not supported");
        assertThatThrownBy(() -> BucketFunction.forTable(schema(ImmutableMap.of("bucket-function.type", "odd")), 5)).hasMessageContaining("odd");
    }

    private static TableSchema schema(Map<String, String> options)
    {
        return new TableSchema(
                TableSchema.CURRENT_VERSION,
                0,
                ImmutableList.of(new DataField(0, "p", STRING), new DataField(1, "k1", INT), new DataField(2, "k2", STRING), new DataField(3, "v", INT)),
                3,
                ImmutableList.of("p"),
                ImmutableList.of("k2", "p", "k1"),
                options,
                Optional.empty(),
                0);
    }

    private static List<String> names(List<DataField> fields)
    {
        return fields.stream().map(DataField::name).toList();
    }
}
