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
package io.lookup.storage.format.manifest;

import io.lookup.storage.format.row.BinaryRowDecoder;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.ValueSet;
import io.trino.spi.type.Type;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.RealType.REAL;
import static java.util.Objects.requireNonNull;

/**
 * Decides from stored minimum, maximum and null count whether a column can hold a value of a domain. When in
 * doubt the answer is yes. Minimum and maximum may be truncated: they are bounds, not values. Thread-safe.
 */
public final class StatisticsPruning
{
    // stored char values keep their blanks, which Trino's do not; nested values have no statistics
    private static final Set<TypeRoot> WITHOUT_BOUNDS = EnumSet.of(
            TypeRoot.CHAR, TypeRoot.VARIANT, TypeRoot.ARRAY, TypeRoot.MAP, TypeRoot.MULTISET, TypeRoot.ROW);
    private static final Set<TypeRoot> INTEGERS = EnumSet.of(TypeRoot.TINYINT, TypeRoot.SMALLINT, TypeRoot.INTEGER, TypeRoot.BIGINT);

    private final List<DataField> fields;
    private final BinaryRowDecoder decoder;

    /**
     * @param fields the columns of the statistics rows, in order, as the schema that wrote them has them
     */
    public StatisticsPruning(List<DataField> fields)
    {
        this.fields = requireNonNull(fields, "fields is null");
        this.decoder = new BinaryRowDecoder(fields.stream()
                .map(field -> field.type().withNullable(true))
                .collect(toImmutableList()));
    }

    /**
     * @param index position of the column among the statistics columns
     * @param readType type of the column in the schema that is read, which is the domain's
     * @param rowCount rows behind the statistics, -1 if unknown
     */
    public boolean mayMatch(SimpleStats stats, int index, DataType readType, long rowCount, Domain domain)
    {
        if (domain.isAll()) {
            return true;
        }
        if (domain.isNone()) {
            return false;
        }
        Optional<Long> nullCount = index < stats.nullCounts().size() ? stats.nullCounts().get(index) : Optional.empty();
        boolean mayBeNull = nullCount.map(count -> count > 0).orElse(true);
        if (mayBeNull && domain.isNullAllowed()) {
            return true;
        }
        if (nullCount.isPresent() && rowCount >= 0 && nullCount.get() == rowCount) {
            return domain.isNullAllowed();
        }
        Optional<Range> bounds = bounds(stats, index, readType);
        return bounds.isEmpty() || ValueSet.ofRanges(bounds.get()).overlaps(domain.getValues());
    }

    /**
     * The values among which those of a column lie.
     *
     * @param index position of the column among the statistics columns
     * @param readType type of the column in the schema that is read, which is the range's
     * @return empty if nothing is known
     */
    public Optional<Range> bounds(SimpleStats stats, int index, DataType readType)
    {
        DataType storedType = fields.get(index).type();
        if (WITHOUT_BOUNDS.contains(storedType.root()) || !comparable(storedType, readType)) {
            return Optional.empty();
        }
        if (index >= stats.minValues().arity() || index >= stats.maxValues().arity() || stats.minValues().isNull(index) || stats.maxValues().isNull(index)) {
            return Optional.empty();
        }
        Type type = TrinoTypes.toTrinoType(readType);
        Object min = decoder.value(stats.minValues(), index);
        Object max = decoder.value(stats.maxValues(), index);
        if (isNaN(type, min) || isNaN(type, max)) {
            return Optional.empty();
        }
        Range range;
        try {
            range = Range.range(type, FloatingZeros.lower(type, min), true, FloatingZeros.upper(type, max), true);
        }
        catch (IllegalArgumentException e) {
            // a foreign writer's bounds in an order that is not Trino's prove nothing
            return Optional.empty();
        }
        return Optional.of(range);
    }

    private static boolean comparable(DataType stored, DataType read)
    {
        if (stored.withNullable(true).equals(read.withNullable(true))) {
            return true;
        }
        // integers of all widths are carried as long, so a widened column keeps its bounds
        return INTEGERS.contains(stored.root()) && INTEGERS.contains(read.root());
    }

    private static boolean isNaN(Type type, Object value)
    {
        if (type == DOUBLE) {
            return Double.isNaN((double) value);
        }
        if (type == REAL) {
            return Float.isNaN(Float.intBitsToFloat((int) (long) value));
        }
        return false;
    }
}
