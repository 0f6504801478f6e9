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

import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.ValueSet;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.DateTimeEncoding.unpackMillisUtc;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.Timestamps.MICROSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_MICROSECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_MILLISECOND;
import static java.lang.Float.floatToRawIntBits;
import static java.lang.Math.addExact;
import static java.lang.Math.multiplyExact;

/**
 * Turns the domain of a column into one that can be held against Parquet's statistics, or gives it up where these
 * could mislead: skipping too little costs time, skipping too much loses rows.
 */
final class PredicateTranslator
{
    private PredicateTranslator() {}

    static Optional<Domain> translate(ScalarType type, Domain domain)
    {
        return switch (type.root()) {
            case BOOLEAN, TINYINT, SMALLINT, INTEGER, BIGINT, DECIMAL, DATE, VARCHAR -> Optional.of(domain);
            case FLOAT -> Optional.of(withBothZeros(domain, (long) floatToRawIntBits(0.0f), (long) floatToRawIntBits(-0.0f)));
            case DOUBLE -> Optional.of(withBothZeros(domain, 0.0, -0.0));
            // of INT96 there are no statistics that could be trusted
            case TIMESTAMP -> type.precision() <= 6 ? Optional.of(domain) : Optional.empty();
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE, TIME -> toPhysical(type, domain);
            // CHAR compares without trailing spaces, which the file may hold; of byte strings Trino's reader uses no bounds
            case CHAR, BINARY, VARBINARY, VARIANT, ARRAY, MAP, MULTISET, ROW -> Optional.empty();
        };
    }

    /**
     * Zero equals minus zero for SQL but not for statistics and dictionaries.
     */
    private static Domain withBothZeros(Domain domain, Object zero, Object minusZero)
    {
        ValueSet zeros = ValueSet.of(domain.getType(), zero, minusZero);
        if (!domain.getValues().overlaps(zeros)) {
            return domain;
        }
        return Domain.create(domain.getValues().union(zeros), domain.isNullAllowed());
    }

    /**
     * Trino's reader compares instants and times with no statistics, but numbers it does.
     */
    private static Optional<Domain> toPhysical(ScalarType type, Domain domain)
    {
        if (type.root() == TypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE && type.precision() > 6) {
            return Optional.empty();
        }
        Type physicalType = type.root() == TypeRoot.TIME ? INTEGER : BIGINT;
        if (domain.getValues().isAll()) {
            return Optional.of(Domain.create(ValueSet.all(physicalType), domain.isNullAllowed()));
        }
        List<Range> ranges = new ArrayList<>();
        try {
            for (Range range : domain.getValues().getRanges().getOrderedRanges()) {
                // bounds are taken as inclusive, which keeps a little more than needed
                if (range.isLowUnbounded() && range.isHighUnbounded()) {
                    ranges.add(Range.all(physicalType));
                }
                else if (range.isLowUnbounded()) {
                    ranges.add(Range.lessThanOrEqual(physicalType, physicalValue(type, range.getHighBoundedValue(), domain.getType())));
                }
                else if (range.isHighUnbounded()) {
                    ranges.add(Range.greaterThanOrEqual(physicalType, physicalValue(type, range.getLowBoundedValue(), domain.getType())));
                }
                else {
                    ranges.add(Range.range(
                            physicalType,
                            physicalValue(type, range.getLowBoundedValue(), domain.getType()),
                            true,
                            physicalValue(type, range.getHighBoundedValue(), domain.getType()),
                            true));
                }
            }
        }
        catch (ArithmeticException e) {
            // a bound beyond what the file can hold
            return Optional.empty();
        }
        ValueSet values = ranges.isEmpty() ? ValueSet.none(physicalType) : ValueSet.ofRanges(ranges);
        return Optional.of(Domain.create(values, domain.isNullAllowed()));
    }

    private static Object physicalValue(ScalarType type, Object value, Type trinoType)
    {
        if (type.root() == TypeRoot.TIME) {
            return (Long) value / PICOSECONDS_PER_MILLISECOND;
        }
        if (((TimestampWithTimeZoneType) trinoType).isShort()) {
            return unpackMillisUtc((Long) value);
        }
        LongTimestampWithTimeZone instant = (LongTimestampWithTimeZone) value;
        return addExact(
                multiplyExact(instant.getEpochMillis(), (long) MICROSECONDS_PER_MILLISECOND),
                instant.getPicosOfMilli() / PICOSECONDS_PER_MICROSECOND);
    }
}
