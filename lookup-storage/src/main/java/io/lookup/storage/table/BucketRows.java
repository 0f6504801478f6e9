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
package io.lookup.storage.table;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BinaryRowDecoder;
import io.lookup.storage.format.row.BinaryRowEncoder;
import io.lookup.storage.format.row.BucketFunction;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TrinoTypes;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.type.Type;

import java.util.List;
import java.util.Optional;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static java.util.Objects.requireNonNull;

/**
 * Rows of a table that stand for buckets: a row has the bucket's partition and a key of the bucket, so that whatever
 * routes the table's rows brings it to where the bucket is written; its other columns are null. Not thread-safe.
 */
public final class BucketRows
{
    /** Stands for all buckets of a partition, where a row does not say its bucket. */
    public static final int ALL_BUCKETS = -1;

    private final TableSchema schema;
    // absent for a table without buckets
    private final Optional<BucketFunction> bucketFunction;
    private final List<DataField> bucketKey;
    private final BinaryRowDecoder partitionDecoder;
    private final BinaryRowEncoder partitionEncoder;
    private final BinaryRowDecoder keyDecoder;
    private final int[] partitionChannels;
    private final int[] bucketKeyChannels;

    /**
     * @param bucketCount what the partitions were written with; -1 for a table without keys and buckets, all of whose files are in bucket 0,
     * and for one whose buckets grow with its keys
     */
    public BucketRows(TableSchema schema, int bucketCount)
    {
        this.schema = requireNonNull(schema, "schema is null");
        this.bucketFunction = bucketCount < 1 ? Optional.empty() : Optional.of(BucketFunction.forTable(schema, bucketCount));
        this.bucketKey = BucketFunction.bucketKeyFields(schema);
        this.partitionDecoder = new BinaryRowDecoder(schema.partitionFields().stream().map(DataField::type).collect(toImmutableList()));
        this.partitionEncoder = new BinaryRowEncoder(schema.partitionFields().stream().map(DataField::type).collect(toImmutableList()));
        this.keyDecoder = new BinaryRowDecoder(schema.trimmedPrimaryKeyFields().stream().map(DataField::type).collect(toImmutableList()));
        this.partitionChannels = channels(schema.partitionFields());
        this.bucketKeyChannels = channels(bucketKey);
        for (DataField field : bucketKey) {
            checkArgument(schema.primaryKeys().contains(field.name()), "bucket key column %s is not in the primary key", field.name());
        }
    }

    private int[] channels(List<DataField> fields)
    {
        return fields.stream().mapToInt(field -> schema.fieldIndex(field.name())).toArray();
    }

    /**
     * Whether the target's row says its bucket.
     */
    boolean leadsToBucket(CompactionTarget target)
    {
        if (bucketFunction.isEmpty() && !schema.primaryKeys().isEmpty()) {
            // it says its partition, whose buckets have one writer
            return true;
        }
        List<Object> values = bucketKey.stream().map(field -> value(target, field)).toList();
        return bucketFunction.map(function -> function.bucketOf(values)).orElse(0) == target.bucket();
    }

    /**
     * @return one row a target, with all columns of the table
     */
    public Page toPage(List<CompactionTarget> targets)
    {
        return new Page(targets.size(), schema.fields().stream()
                .map(field -> block(field, targets))
                .toArray(Block[]::new));
    }

    private Block block(DataField field, List<CompactionTarget> targets)
    {
        Type type = TrinoTypes.toTrinoType(field.type());
        if (!schema.primaryKeys().contains(field.name()) && !schema.partitionKeys().contains(field.name())) {
            return RunLengthEncodedBlock.create(writeNativeValue(type, null), targets.size());
        }
        BlockBuilder builder = type.createBlockBuilder(null, targets.size());
        targets.forEach(target -> writeNativeValue(type, builder, value(target, field)));
        return builder.build();
    }

    private Object value(CompactionTarget target, DataField field)
    {
        int partitionIndex = schema.partitionKeys().indexOf(field.name());
        if (partitionIndex >= 0) {
            return partitionDecoder.value(target.partition(), partitionIndex);
        }
        return keyDecoder.value(target.key(), schema.trimmedPrimaryKeys().indexOf(field.name()));
    }

    /**
     * The buckets that the rows stand for, in the rows' order: {@link #ALL_BUCKETS} of their partitions in a table whose buckets grow with
     * its keys.
     *
     * @param page all columns of the table
     */
    public List<BucketId> buckets(Page page)
    {
        int placeOfAll = schema.primaryKeys().isEmpty() ? 0 : ALL_BUCKETS;
        ImmutableList.Builder<BucketId> buckets = ImmutableList.builder();
        for (int position = 0; position < page.getPositionCount(); position++) {
            BinaryRow partition = partitionChannels.length == 0 ? BinaryRow.EMPTY : partitionEncoder.encode(page, partitionChannels, position);
            buckets.add(new BucketId(partition, bucketFunction.isEmpty() ? placeOfAll : bucketFunction.get().bucket(page, bucketKeyChannels, position)));
        }
        return buckets.build();
    }
}
