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
import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.lookup.storage.format.manifest.SimpleStats;
import io.lookup.storage.format.row.BinaryRowEncoder;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.LongTimestampWithTimeZone;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.io.api.Binary;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static io.trino.spi.type.Timestamps.MICROSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_MICROSECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_MILLISECOND;
import static java.lang.Float.floatToRawIntBits;
import static java.lang.Math.floorDiv;
import static java.lang.Math.floorMod;
import static java.util.Objects.requireNonNull;

/**
 * Turns the statistics of a file's column chunks into those of its metadata. Since the
 * chunks' statistics are what other writers of the format start from, NaN and the zeros come out alike.
 */
final class FileStatistics
{
    private final Map<String, Statistics<?>> columns = new HashMap<>();

    FileStatistics(List<BlockMetaData> rowGroups)
    {
        for (BlockMetaData rowGroup : rowGroups) {
            for (ColumnChunkMetaData chunk : rowGroup.getColumns()) {
                if (chunk.getPath().size() > 1) {
                    // part of a nested column, which has no statistics
                    continue;
                }
                columns.merge(chunk.getPath().toArray()[0], chunk.getStatistics().copy(), (left, right) -> {
                    left.mergeStatistics(right);
                    return left;
                });
            }
        }
    }

    /**
     * @param names the fields' names in the file, where they differ (key columns)
     */
    SimpleStats keyStats(List<DataField> fields, List<String> names)
    {
        List<ColumnStatistics> statistics = new ArrayList<>();
        for (int index = 0; index < fields.size(); index++) {
            statistics.add(columnStatistics(fields.get(index).type(), names.get(index), StatisticsMode.KEY));
        }
        return encode(fields, statistics);
    }

    /**
     * @param dense leaves out columns about which nothing is known, and names the others
     */
    ValueStats valueStats(List<DataField> fields, List<StatisticsMode> modes, boolean dense)
    {
        List<DataField> kept = new ArrayList<>();
        List<ColumnStatistics> statistics = new ArrayList<>();
        for (int index = 0; index < fields.size(); index++) {
            DataField field = fields.get(index);
            ColumnStatistics column = columnStatistics(field.type(), field.name(), modes.get(index));
            if (!dense || !column.equals(ColumnStatistics.NONE)) {
                kept.add(field);
                statistics.add(column);
            }
        }
        Optional<List<String>> names = kept.size() == fields.size()
                ? Optional.empty()
                : Optional.of(kept.stream().map(DataField::name).collect(toImmutableList()));
        return new ValueStats(encode(kept, statistics), names);
    }

    private ColumnStatistics columnStatistics(DataType type, String name, StatisticsMode mode)
    {
        Statistics<?> statistics = columns.get(name);
        if (!(type instanceof ScalarType scalar) || statistics == null || mode.kind() == StatisticsMode.Kind.NONE) {
            return ColumnStatistics.NONE;
        }
        Optional<Long> nullCount = Optional.of(statistics.getNumNulls());
        if (mode.kind() == StatisticsMode.Kind.COUNTS || !statistics.hasNonNullValue() || !hasBounds(scalar)) {
            return new ColumnStatistics(null, null, nullCount);
        }
        Object min = nativeValue(scalar, statistics.genericGetMin());
        Object max = nativeValue(scalar, statistics.genericGetMax());
        if (min instanceof Slice minSlice && max instanceof Slice maxSlice) {
            Optional<Slice> upperBound = mode.upperBound(maxSlice);
            if (upperBound.isEmpty()) {
                return new ColumnStatistics(null, null, nullCount);
            }
            return new ColumnStatistics(mode.lowerBound(minSlice), upperBound.get(), nullCount);
        }
        return new ColumnStatistics(min, max, nullCount);
    }

    /**
     * The format keeps no bounds of byte strings and of timestamps with nanoseconds.
     */
    private static boolean hasBounds(ScalarType type)
    {
        return switch (type.root()) {
            case BINARY, VARBINARY -> false;
            case TIMESTAMP, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> type.precision() <= 6;
            default -> true;
        };
    }

    private static Object nativeValue(ScalarType type, Object value)
    {
        return switch (type.root()) {
            case BOOLEAN, BIGINT, DOUBLE -> value;
            case TINYINT, SMALLINT, INTEGER, DATE -> ((Integer) value).longValue();
            case TIME -> ((Integer) value).longValue() * PICOSECONDS_PER_MILLISECOND;
            case FLOAT -> (long) floatToRawIntBits((Float) value);
            case CHAR, VARCHAR -> Slices.wrappedBuffer(((Binary) value).getBytes());
            case DECIMAL -> {
                if (type.precision() > 18) {
                    yield Int128.fromBigEndian(((Binary) value).getBytes());
                }
                yield ((Number) value).longValue();
            }
            case TIMESTAMP -> type.precision() <= 3 ? (Long) value * MICROSECONDS_PER_MILLISECOND : value;
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> {
                long time = (Long) value;
                if (type.precision() <= 3) {
                    yield packDateTimeWithZone(time, UTC_KEY);
                }
                yield LongTimestampWithTimeZone.fromEpochMillisAndFraction(
                        floorDiv(time, MICROSECONDS_PER_MILLISECOND),
                        floorMod(time, MICROSECONDS_PER_MILLISECOND) * PICOSECONDS_PER_MICROSECOND,
                        UTC_KEY);
            }
            case BINARY, VARBINARY, VARIANT, ARRAY, MAP, MULTISET, ROW -> throw new IllegalArgumentException("No bounds of " + type.root());
        };
    }

    private static SimpleStats encode(List<DataField> fields, List<ColumnStatistics> statistics)
    {
        // encodings of absent values differ between types, so all types count, but as nullable ones
        BinaryRowEncoder encoder = new BinaryRowEncoder(fields.stream().map(field -> field.type().withNullable(true)).collect(toImmutableList()));
        List<Object> minValues = new ArrayList<>();
        List<Object> maxValues = new ArrayList<>();
        ImmutableList.Builder<Optional<Long>> nullCounts = ImmutableList.builder();
        for (ColumnStatistics column : statistics) {
            minValues.add(column.min());
            maxValues.add(column.max());
            nullCounts.add(column.nullCount());
        }
        return new SimpleStats(encoder.encodeValues(minValues), encoder.encodeValues(maxValues), nullCounts.build());
    }

    /**
     * @param columns names of the columns that the statistics cover, empty if all
     */
    record ValueStats(SimpleStats stats, Optional<List<String>> columns) {}

    private record ColumnStatistics(Object min, Object max, Optional<Long> nullCount)
    {
        private static final ColumnStatistics NONE = new ColumnStatistics(null, null, Optional.empty());

        private ColumnStatistics
        {
            requireNonNull(nullCount, "nullCount is null");
        }
    }
}
