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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.DataType.MapType;
import io.lookup.storage.schema.DataType.RowType;
import io.lookup.storage.schema.DataType.ScalarType;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * The aggregate functions of the format (Paimon 1.4.2): what each is called, which columns it fits, and whether it can
 * take back a value. What they compute is told beside each in {@code docs/merge-engines.md}.
 */
public enum AggregateFunction
{
    SUM("sum", "a number", true),
    PRODUCT("product", "a number", true),
    MIN("min", "a number, text, binary, date or time", false),
    MAX("max", "a number, text, binary, date or time", false),
    FIRST_VALUE("first_value", "any type", false),
    FIRST_NON_NULL_VALUE("first_non_null_value", "any type", false),
    LAST_VALUE("last_value", "any type", true),
    LAST_NON_NULL_VALUE("last_non_null_value", "any type", true),
    LISTAGG("listagg", "STRING", false),
    BOOL_AND("bool_and", "BOOLEAN", false),
    BOOL_OR("bool_or", "BOOLEAN", false),
    COLLECT("collect", "an ARRAY", true),
    MERGE_MAP("merge_map", "a MAP", true),
    MERGE_MAP_WITH_KEYTIME("merge_map_with_keytime", "a MAP of ROWs of at least two fields", false),
    NESTED_UPDATE("nested_update", "an ARRAY of ROWs", true),
    NESTED_PARTIAL_UPDATE("nested_partial_update", "an ARRAY of ROWs", false),
    RBM32("rbm32", "VARBINARY", false),
    RBM64("rbm64", "VARBINARY", false),
    HLL_SKETCH("hll_sketch", "VARBINARY", false),
    THETA_SKETCH("theta_sketch", "VARBINARY", false),
    PRIMARY_KEY("primary-key", "any type", true);

    // the name that the format gave it first
    private static final String FIRST_NON_NULL_VALUE_ALIAS = "first_not_null_value";

    private static final Set<TypeRoot> NUMERIC_TYPES = ImmutableSet.of(
            TypeRoot.TINYINT, TypeRoot.SMALLINT, TypeRoot.INTEGER, TypeRoot.BIGINT, TypeRoot.FLOAT, TypeRoot.DOUBLE, TypeRoot.DECIMAL);

    private final String functionName;
    private final String typeDescription;
    private final boolean retracting;

    AggregateFunction(String functionName, String typeDescription, boolean retracting)
    {
        this.functionName = requireNonNull(functionName, "functionName is null");
        this.typeDescription = requireNonNull(typeDescription, "typeDescription is null");
        this.retracting = retracting;
    }

    public String functionName()
    {
        return functionName;
    }

    /**
     * Whether -U and -D rows can be taken back. Where not, they are refused unless the column ignores retractions.
     */
    public boolean isRetracting()
    {
        return retracting;
    }

    public static Optional<AggregateFunction> find(String name)
    {
        if (name.equals(FIRST_NON_NULL_VALUE_ALIAS)) {
            return Optional.of(FIRST_NON_NULL_VALUE);
        }
        return Arrays.stream(values())
                .filter(function -> function.functionName.equals(name))
                .findFirst();
    }

    public static List<String> names()
    {
        return Arrays.stream(values())
                .map(AggregateFunction::functionName)
                .collect(toImmutableList());
    }

    /**
     * Checks that the function fits the column's type, and its options the type's fields.
     *
     * @throws StorageException INVALID_OPTION naming the column, its type and the function
     */
    public void check(DataField column, CoreOptions options)
    {
        if (!fits(column.type())) {
            throw new StorageException(
                    StorageErrorCode.INVALID_OPTION,
                    "Column '%s' of type %s cannot have the aggregate function '%s', which needs %s; choose another with 'fields.%s.aggregate-function'".formatted(
                            column.name(),
                            TypeJson.format(column.type()),
                            functionName,
                            typeDescription,
                            column.name()));
        }
        switch (this) {
            case NESTED_UPDATE -> nestedKey(column, options);
            case NESTED_PARTIAL_UPDATE -> {
                if (nestedKey(column, options).isEmpty()) {
                    throw new StorageException(
                            StorageErrorCode.INVALID_OPTION,
                            "Column '%s': the aggregate function 'nested_partial_update' needs 'fields.%s.nested-key', a list of fields of the column's rows".formatted(column.name(), column.name()));
                }
            }
            case MERGE_MAP_WITH_KEYTIME -> timestampField(column, options);
            default -> {
                // no options that name fields
            }
        }
    }

    /**
     * Which fields of a nested table's rows are its key; empty if it has none.
     *
     * @param column of a type that nested_update fits
     * @throws StorageException INVALID_OPTION for a field that does not exist
     */
    public static List<Integer> nestedKey(DataField column, CoreOptions options)
    {
        List<DataField> fields = ((RowType) ((ArrayType) column.type()).element()).fields();
        ImmutableList.Builder<Integer> indexes = ImmutableList.builder();
        for (String name : options.nestedKey(column.name())) {
            indexes.add(findField(fields, name).orElseThrow(() -> missingField(column, "nested-key", name, fields)));
        }
        return indexes.build();
    }

    /**
     * The field of a map's rows that tells the age of an entry; the last one unless an option names another.
     *
     * @param column of a type that merge_map_with_keytime fits
     * @throws StorageException INVALID_OPTION for a field that does not exist or is no text
     */
    public static int timestampField(DataField column, CoreOptions options)
    {
        List<DataField> fields = ((RowType) ((MapType) column.type()).value()).fields();
        Optional<String> name = options.timestampField(column.name());
        int index = fields.size() - 1;
        if (name.isPresent()) {
            index = findField(fields, name.get()).orElseThrow(() -> missingField(column, "ts-field", name.get(), fields));
        }
        DataField field = fields.get(index);
        if (field.type().root() != TypeRoot.CHAR && field.type().root() != TypeRoot.VARCHAR) {
            throw new StorageException(
                    StorageErrorCode.INVALID_OPTION,
                    "Column '%s': the aggregate function 'merge_map_with_keytime' compares field '%s', which is of type %s and must be a text; choose another field with 'fields.%s.ts-field'".formatted(
                            column.name(),
                            field.name(),
                            TypeJson.format(field.type()),
                            column.name()));
        }
        return index;
    }

    private boolean fits(DataType type)
    {
        return switch (this) {
            case SUM, PRODUCT -> NUMERIC_TYPES.contains(type.root());
            case MIN, MAX -> type instanceof ScalarType && type.root() != TypeRoot.BOOLEAN && type.root() != TypeRoot.VARIANT;
            case FIRST_VALUE, FIRST_NON_NULL_VALUE, LAST_VALUE, LAST_NON_NULL_VALUE, PRIMARY_KEY -> true;
            case LISTAGG -> type instanceof ScalarType scalar && scalar.root() == TypeRoot.VARCHAR && scalar.precision() == DataType.UNBOUNDED_LENGTH;
            case BOOL_AND, BOOL_OR -> type.root() == TypeRoot.BOOLEAN;
            case COLLECT -> type instanceof ArrayType;
            case MERGE_MAP -> type instanceof MapType;
            case MERGE_MAP_WITH_KEYTIME -> type instanceof MapType map && map.value() instanceof RowType row && row.fields().size() >= 2;
            case NESTED_UPDATE, NESTED_PARTIAL_UPDATE -> type instanceof ArrayType array && array.element() instanceof RowType;
            case RBM32, RBM64, HLL_SKETCH, THETA_SKETCH -> type.root() == TypeRoot.VARBINARY;
        };
    }

    private static OptionalInt findField(List<DataField> fields, String name)
    {
        for (int index = 0; index < fields.size(); index++) {
            if (fields.get(index).name().equals(name)) {
                return OptionalInt.of(index);
            }
        }
        return OptionalInt.empty();
    }

    private static StorageException missingField(DataField column, String suffix, String name, List<DataField> fields)
    {
        return new StorageException(
                StorageErrorCode.INVALID_OPTION,
                "Option 'fields.%s.%s' names field '%s', which the column's rows do not have; they have %s".formatted(
                        column.name(),
                        suffix,
                        name,
                        fields.stream().map(DataField::name).collect(toImmutableList())));
    }
}
