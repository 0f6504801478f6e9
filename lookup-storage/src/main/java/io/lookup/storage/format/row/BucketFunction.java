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

import com.google.common.base.Splitter;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.IntArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.ValueBlock;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Assigns rows to the buckets of a table with a fixed number of them, by their bucket key: option
 * {@code bucket-key}, or the primary key without the partition columns. Not thread-safe.
 */
public final class BucketFunction
{
    /**
     * What option {@code bucket-function.type} chooses from.
     */
    public enum Kind
    {
        /** the row's hash modulo the bucket count, without its sign */
        DEFAULT,
        /** the remainder, never negative, of a single INT or BIGINT key */
        MOD,
    }

    private static final Set<TypeRoot> NOT_BY_BYTES = EnumSet.of(TypeRoot.CHAR, TypeRoot.FLOAT, TypeRoot.DOUBLE);

    private final Kind kind;
    private final int bucketCount;
    private final BinaryRowEncoder encoder;

    public BucketFunction(List<DataType> bucketKeyTypes, int bucketCount)
    {
        this(bucketKeyTypes, bucketCount, Kind.DEFAULT);
    }

    public BucketFunction(List<DataType> bucketKeyTypes, int bucketCount, Kind kind)
    {
        this.kind = requireNonNull(kind, "kind is null");
        checkArgument(!bucketKeyTypes.isEmpty(), "no bucket key");
        checkArgument(bucketCount > 0, "No fixed buckets: %s", bucketCount);
        this.bucketCount = bucketCount;
        if (kind == Kind.MOD && (bucketKeyTypes.size() != 1 || (bucketKeyTypes.getFirst().root() != TypeRoot.INTEGER && bucketKeyTypes.getFirst().root() != TypeRoot.BIGINT))) {
            throw new StorageException(StorageErrorCode.INVALID_OPTION, format(
                    "Option bucket-function.type is mod, which needs one bucket key column of type INT or BIGINT, but the key has the types %s",
                    bucketKeyTypes.stream().map(DataType::root).collect(toImmutableList())));
        }
        this.encoder = new BinaryRowEncoder(bucketKeyTypes);
    }

    /**
     * Whether the table's function sends values to one bucket whenever Trino calls them equal. Zeros with and without a sign, and texts with blanks at the end,
     * may be equal and yet have different bytes, of which the hash is taken.
     */
    public static boolean respectsEquality(TableSchema schema)
    {
        return bucketKeyFields(schema).stream().noneMatch(field -> NOT_BY_BYTES.contains(field.type().root()));
    }

    /**
     * The function of a table, with the bucket count given: the table's option, or what a file was written with.
     *
     * @throws StorageException INVALID_OPTION, UNSUPPORTED_FEATURE for the Hive-compatible function
     */
    public static BucketFunction forTable(TableSchema schema, int bucketCount)
    {
        String type = schema.options().getOrDefault("bucket-function.type", "default");
        Kind kind = switch (type) {
            case "default" -> Kind.DEFAULT;
            case "mod" -> Kind.MOD;
            case "hive" -> throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, "Option bucket-function.type is hive, which is not supported; supported are default and mod");
            default -> throw new StorageException(StorageErrorCode.INVALID_OPTION, format("Option bucket-function.type is %s, expected default or mod", type));
        };
        return new BucketFunction(bucketKeyFields(schema).stream().map(DataField::type).collect(toImmutableList()), bucketCount, kind);
    }

    /**
     * The columns of the bucket key, in the order in which the function takes them.
     *
     * @throws StorageException INVALID_OPTION if option bucket-key names an unknown column
     */
    public static List<DataField> bucketKeyFields(TableSchema schema)
    {
        String bucketKey = schema.options().get("bucket-key");
        if (bucketKey == null || bucketKey.isBlank()) {
            return schema.trimmedPrimaryKeyFields();
        }
        return Splitter.on(',').trimResults().omitEmptyStrings().splitToStream(bucketKey)
                .map(name -> schema.findField(name).orElseThrow(() -> new StorageException(
                        StorageErrorCode.INVALID_OPTION,
                        format("Option bucket-key is '%s', but the table has no column %s", bucketKey, name))))
                .collect(toImmutableList());
    }

    public int bucketCount()
    {
        return bucketCount;
    }

    /**
     * @param channels the channel of each bucket key column, in key order
     */
    public int bucket(Page page, int[] channels, int position)
    {
        return switch (kind) {
            case DEFAULT -> bucketOfHash(encoder.hash(page, channels, position));
            case MOD -> {
                Block block = page.getBlock(channels[0]);
                yield bucketOfInteger(block.getUnderlyingValueBlock(), block.getUnderlyingValuePosition(position));
            }
        };
    }

    /**
     * Buckets of all rows of a page.
     *
     * @param result takes one bucket a row, at least as long as the page
     */
    public void buckets(Page page, int[] channels, int[] result)
    {
        int count = page.getPositionCount();
        checkArgument(result.length >= count, "No room for %s rows", count);
        for (int position = 0; position < count; position++) {
            result[position] = bucket(page, channels, position);
        }
    }

    /**
     * @param values native values of the bucket key columns, in key order
     */
    public int bucketOf(List<Object> values)
    {
        return switch (kind) {
            case DEFAULT -> bucketOfHash(encoder.hashValues(values));
            case MOD -> (int) Math.floorMod((long) values.getFirst(), (long) bucketCount);
        };
    }

    private int bucketOfHash(int hash)
    {
        return Math.abs(hash % bucketCount);
    }

    private int bucketOfInteger(ValueBlock block, int position)
    {
        checkArgument(!block.isNull(position), "Bucket key is null");
        long value = block instanceof IntArrayBlock integers ? integers.getInt(position) : ((LongArrayBlock) block).getLong(position);
        return (int) Math.floorMod(value, (long) bucketCount);
    }
}
