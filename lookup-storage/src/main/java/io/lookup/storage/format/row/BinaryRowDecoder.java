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

import io.airlift.slice.Slice;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.TrinoTypes;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.type.Type;

import java.util.List;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static java.lang.String.format;

/**
 * Reads binary rows into the native values of Trino's types, those of {@link TrinoTypes}; instants come in UTC.
 * Slices are views of the row. A timestamp that was stored finer than its declared precision keeps what its Trino
 * representation has room for. Thread-safe.
 */
public final class BinaryRowDecoder
{
    private final List<Type> trinoTypes;
    private final ValueReader[] readers;

    /**
     * @throws io.lookup.storage.StorageException UNSUPPORTED_TYPE for a type that has no Trino counterpart
     */
    public BinaryRowDecoder(List<DataType> types)
    {
        this(types, true);
    }

    BinaryRowDecoder(List<DataType> types, boolean trimChars)
    {
        this.trinoTypes = types.stream().map(TrinoTypes::toTrinoType).collect(toImmutableList());
        this.readers = types.stream().map(type -> ValueReader.of(type, trimChars)).toArray(ValueReader[]::new);
    }

    /**
     * A decoder whose CHAR values keep trailing blanks. Trino has them without, so this one is for values that
     * are rendered or stored again, not for values handed to Trino.
     */
    public static BinaryRowDecoder keepingBlanks(List<DataType> types)
    {
        return new BinaryRowDecoder(types, false);
    }

    /**
     * @return the native value of the field, null if it is null
     */
    public Object value(BinaryRow row, int field)
    {
        checkField(row, field);
        try {
            return read(row.bytes(), 0, row.arity(), field);
        }
        catch (RuntimeException e) {
            throw damaged(row, field, e);
        }
    }

    public void appendTo(BinaryRow row, int field, BlockBuilder builder)
    {
        checkField(row, field);
        try {
            append(row.bytes(), 0, row.arity(), field, builder);
        }
        catch (RuntimeException e) {
            throw damaged(row, field, e);
        }
    }

    void append(Slice bytes, int start, int arity, int field, BlockBuilder builder)
    {
        writeNativeValue(trinoTypes.get(field), builder, read(bytes, start, arity, field));
    }

    private Object read(Slice bytes, int start, int arity, int field)
    {
        int bit = field + BinaryRow.HEADER_BITS;
        if ((bytes.getByte(start + (bit >>> 3)) & (1 << (bit & 7))) != 0) {
            return null;
        }
        return readers[field].read(bytes, start, start + BinaryRow.headerSize(arity) + field * Long.BYTES);
    }

    /**
     * Readers trust offsets and lengths, and meet the end of the row where these lie.
     */
    private StorageException damaged(BinaryRow row, int field, RuntimeException cause)
    {
        return new StorageException(
                StorageErrorCode.CORRUPT_FILE,
                format("A stored row of %s bytes is damaged: its field %s cannot be read as %s: %s", row.bytes().length(), field, trinoTypes.get(field).getDisplayName(), cause.getMessage()),
                cause);
    }

    private void checkField(BinaryRow row, int field)
    {
        checkArgument(field >= 0 && field < readers.length, "No field %s among %s", field, readers.length);
        if (field >= row.arity()) {
            throw new StorageException(StorageErrorCode.CORRUPT_FILE, format("A stored row is damaged: it has %s fields, and field %s is wanted", row.arity(), field));
        }
    }
}
