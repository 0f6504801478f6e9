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
package io.lookup.storage.schema;

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.DataType.MapType;
import io.lookup.storage.schema.DataType.MultisetType;
import io.lookup.storage.schema.DataType.RowType;
import io.lookup.storage.schema.DataType.ScalarType;

import java.util.List;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Locale.ENGLISH;

/**
 * Which type a column may get when it has data: one that holds every value of the old type, or one that its values are
 * converted to, between text and numbers. Whatever is allowed here can be read from files of the old type.
 */
public final class TypeChanges
{
    private static final int REAL_DIGITS = 7;
    private static final int DOUBLE_DIGITS = 15;

    private TypeChanges() {}

    /**
     * The new type with the ids and descriptions of those fields of its rows that the old type has, found by name; fields that
     * are new have an id below 0.
     */
    static DataType withKnownFields(DataType before, DataType after)
    {
        return switch (after) {
            case RowType row -> new RowType(
                    row.fields().stream()
                            .map(field -> withKnownField(before, field))
                            .collect(toImmutableList()),
                    row.nullable());
            case ArrayType array -> new ArrayType(withKnownFields(before instanceof ArrayType old ? old.element() : before, array.element()), array.nullable());
            case MultisetType multiset -> new MultisetType(withKnownFields(before instanceof MultisetType old ? old.element() : before, multiset.element()), multiset.nullable());
            case MapType map -> new MapType(
                    withKnownFields(before instanceof MapType old ? old.key() : before, map.key()),
                    withKnownFields(before instanceof MapType old ? old.value() : before, map.value()),
                    map.nullable());
            case ScalarType scalar -> scalar;
        };
    }

    private static DataField withKnownField(DataType before, DataField field)
    {
        Optional<DataField> known = before instanceof RowType row ? findField(row.fields(), field.name()) : Optional.empty();
        return known
                .map(old -> new DataField(old.id(), old.name(), withKnownFields(old.type(), field.type()), old.description(), old.defaultValue()))
                .orElse(new DataField(-1, field.name(), field.type()));
    }

    /**
     * A field by its name in whatever case, as Trino tells fields apart.
     */
    static Optional<DataField> findField(List<DataField> fields, String name)
    {
        return fields.stream()
                .filter(field -> field.name().toLowerCase(ENGLISH).equals(name.toLowerCase(ENGLISH)))
                .findFirst();
    }

    /**
     * @param column name for messages
     * @throws StorageException UNSUPPORTED_FEATURE if the change is not allowed
     */
    static void check(String column, DataType before, DataType after)
    {
        if (before.nullable() && !after.nullable()) {
            throw refused(column, before, after, "rows may hold nulls");
        }
        switch (before) {
            case ScalarType old when after instanceof ScalarType scalar -> {
                if (!isWidening(old, scalar) && !isConversion(old, scalar)) {
                    throw refused(column, before, after, "values could be lost");
                }
            }
            case ArrayType old when after instanceof ArrayType array -> check(column, old.element(), array.element());
            case MultisetType old when after instanceof MultisetType multiset -> checkKey(column, old.element(), multiset.element());
            case MapType old when after instanceof MapType map -> {
                checkKey(column, old.key(), map.key());
                check(column, old.value(), map.value());
            }
            case RowType old when after instanceof RowType row -> {
                for (DataField field : row.fields()) {
                    Optional<DataField> known = old.fields().stream().filter(oldField -> oldField.id() == field.id()).findFirst();
                    if (known.isPresent()) {
                        check(column + "." + field.name(), known.get().type(), field.type());
                    }
                }
            }
            default -> throw refused(column, before, after, "such values cannot be converted");
        }
    }

    /**
     * Keys that differ must stay different.
     */
    private static void checkKey(String column, DataType before, DataType after)
    {
        if (!isOrderKept(before, after)) {
            throw refused(column, before, after, "keys of a map could fall together");
        }
    }

    /**
     * Whether values keep their order and stay different, so that what was decided by comparing them stays decided.
     */
    static boolean isOrderKept(DataType before, DataType after)
    {
        if (before instanceof ScalarType old && after instanceof ScalarType scalar) {
            return isWidening(old, scalar);
        }
        return before.withNullable(true).equals(after.withNullable(true));
    }

    private static boolean isWidening(ScalarType before, ScalarType after)
    {
        if (before.withNullable(true).equals(after.withNullable(true))) {
            return true;
        }
        int digits = integerDigits(before);
        return switch (after.root()) {
            case SMALLINT, INTEGER, BIGINT -> digits > 0 && digits < integerDigits(after);
            case FLOAT -> digits > 0 && digits <= REAL_DIGITS;
            case DOUBLE -> before.root() == TypeRoot.FLOAT || digits > 0 && digits <= DOUBLE_DIGITS;
            case DECIMAL -> {
                int targetDigits = after.precision() - after.scale();
                yield before.root() == TypeRoot.DECIMAL ?
                        before.scale() <= after.scale() && before.precision() - before.scale() <= targetDigits :
                        digits > 0 && digits <= targetDigits;
            }
            case CHAR -> before.root() == TypeRoot.CHAR && before.precision() <= after.precision();
            case VARCHAR -> isText(before) && before.precision() <= after.precision();
            case VARBINARY -> (before.root() == TypeRoot.BINARY || before.root() == TypeRoot.VARBINARY) && before.precision() <= after.precision();
            case TIME, TIMESTAMP, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> before.root() == after.root() && before.precision() <= after.precision();
            default -> false;
        };
    }

    /**
     * Whether values are turned from text into numbers, or from numbers into text.
     */
    public static boolean isConversion(ScalarType before, ScalarType after)
    {
        if (isText(before)) {
            return switch (after.root()) {
                case TINYINT, SMALLINT, INTEGER, BIGINT, DECIMAL, FLOAT, DOUBLE -> true;
                default -> false;
            };
        }
        return after.root() == TypeRoot.VARCHAR && textLength(before).filter(length -> length <= after.precision()).isPresent();
    }

    /**
     * Length of the longest text of a type's values; empty if they are not written as text.
     */
    private static Optional<Integer> textLength(ScalarType type)
    {
        return switch (type.root()) {
            case TINYINT, SMALLINT, INTEGER, BIGINT -> Optional.of(integerDigits(type) + 1);
            // sign, point and the zero before it
            case DECIMAL -> Optional.of(type.precision() + 3);
            case BOOLEAN -> Optional.of("false".length());
            default -> Optional.empty();
        };
    }

    private static boolean isText(ScalarType type)
    {
        return type.root() == TypeRoot.CHAR || type.root() == TypeRoot.VARCHAR;
    }

    private static int integerDigits(ScalarType type)
    {
        return switch (type.root()) {
            case TINYINT -> 3;
            case SMALLINT -> 5;
            case INTEGER -> 10;
            case BIGINT -> 19;
            default -> 0;
        };
    }

    private static StorageException refused(String column, DataType before, DataType after, String reason)
    {
        return new StorageException(
                StorageErrorCode.UNSUPPORTED_FEATURE,
                "The type of column '%s' cannot be changed from %s to %s: %s".formatted(column, TypeJson.format(before), TypeJson.format(after), reason));
    }
}
