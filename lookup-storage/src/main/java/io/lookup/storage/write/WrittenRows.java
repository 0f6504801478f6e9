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
package io.lookup.storage.write;

import io.lookup.storage.StorageException;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.RetractOptions;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TrinoTypes;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.type.Type;

import java.util.Arrays;
import java.util.Locale;
import java.util.OptionalInt;

import static io.lookup.storage.StorageErrorCode.INVALID_ROW;
import static io.lookup.storage.StorageErrorCode.UNSUPPORTED_FEATURE;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Decides of the rows of an INSERT which are written, and as what: {@code rowkind.field} names their kind, {@code ignore-delete}
 * and {@code ignore-update-before} drop some, and a merge engine that cannot take back rows refuses those that do.
 */
final class WrittenRows
{
    private final String tableName;
    private final RetractOptions rules;
    private final String kindField;
    private final OptionalInt kindChannel;
    private final Type kindType;

    WrittenRows(String tableName, TableSchema schema, CoreOptions options)
    {
        this.tableName = requireNonNull(tableName, "tableName is null");
        this.rules = RetractOptions.of(schema, options);
        this.kindField = options.rowKindField().orElse("");
        if (options.rowKindField().isPresent()) {
            kindChannel = OptionalInt.of(schema.fieldIndex(kindField));
            kindType = TrinoTypes.toTrinoType(schema.field(kindField).type());
        }
        else {
            kindChannel = OptionalInt.empty();
            kindType = null;
        }
    }

    /**
     * @param kinds one a row, or a single one for all
     */
    record Rows(Page values, byte[] kinds)
    {
        Rows
        {
            requireNonNull(values, "values is null");
            requireNonNull(kinds, "kinds is null");
        }
    }

    /**
     * @param kinds one a row, or a single one for all; without effect where a column names the kind
     * @throws StorageException INVALID_ROW for a text that is no kind; UNSUPPORTED_FEATURE for a row that the table cannot
     * take back
     */
    Rows select(Page values, byte[] kinds)
    {
        byte[] rowKinds = kindChannel.isPresent() ? readKinds(values) : kinds;
        if (!anyRetract(rowKinds)) {
            return new Rows(values, rowKinds);
        }
        if (rowKinds.length == 1 && values.getPositionCount() != 1) {
            return isWritten(rowKinds[0]) ? new Rows(values, rowKinds) : new Rows(values.getRegion(0, 0), new byte[0]);
        }
        int[] positions = new int[rowKinds.length];
        byte[] written = new byte[rowKinds.length];
        int count = 0;
        for (int position = 0; position < rowKinds.length; position++) {
            if (isWritten(rowKinds[position])) {
                positions[count] = position;
                written[count] = rowKinds[position];
                count++;
            }
        }
        if (count == rowKinds.length) {
            return new Rows(values, rowKinds);
        }
        return new Rows(values.copyPositions(positions, 0, count), Arrays.copyOf(written, count));
    }

    private static boolean anyRetract(byte[] kinds)
    {
        for (byte kind : kinds) {
            if (!RowKind.isAdd(kind)) {
                return true;
            }
        }
        return false;
    }

    private boolean isWritten(byte kind)
    {
        if (RowKind.isAdd(kind)) {
            return true;
        }
        if (rules.ignoreDelete() || (rules.ignoreUpdateBefore() && kind == RowKind.UPDATE_BEFORE.value())) {
            return false;
        }
        rules.refusal().ifPresent(reason -> {
            throw new StorageException(UNSUPPORTED_FEATURE, format("Table %s cannot take a %s row: %s", tableName, RowKind.fromValue(kind).shortName(), reason));
        });
        return true;
    }

    private byte[] readKinds(Page values)
    {
        Block block = values.getBlock(kindChannel.getAsInt());
        byte[] kinds = new byte[values.getPositionCount()];
        for (int position = 0; position < kinds.length; position++) {
            if (block.isNull(position)) {
                throw new StorageException(INVALID_ROW, format("NULL for column %s of table %s, which is its rowkind.field; it must be one of +I, -U, +U, -D", kindField, tableName));
            }
            kinds[position] = parse(kindType.getSlice(block, position).toStringUtf8());
        }
        return kinds;
    }

    private byte parse(String text)
    {
        for (RowKind kind : RowKind.values()) {
            if (kind.shortName().equals(text.toUpperCase(Locale.ROOT))) {
                return kind.value();
            }
        }
        throw new StorageException(INVALID_ROW, format("'%s' for column %s of table %s, which is its rowkind.field; it must be one of +I, -U, +U, -D", text, kindField, tableName));
    }
}
