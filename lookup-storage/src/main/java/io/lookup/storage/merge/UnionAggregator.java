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
package io.lookup.storage.merge;

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.AggregateFunction;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;

import java.io.IOException;

import static io.lookup.storage.StorageErrorCode.INVALID_ROW;
import static io.trino.spi.type.VarbinaryType.VARBINARY;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Functions over serialized sets: the union of all of them, nulls skipped. A value that is the only one stays as it is,
 * byte by byte; a union is serialized anew. What an element came from is not known, so retraction is refused.
 *
 * @param <T> the set in memory
 */
abstract class UnionAggregator<T>
        implements Aggregator
{
    private final AggregateFunction function;
    private final String column;

    // the state: null if both are null; the set where there was more than one value
    private Slice single;
    private T union;

    protected UnionAggregator(AggregateFunction function, String column)
    {
        this.function = requireNonNull(function, "function is null");
        this.column = requireNonNull(column, "column is null");
    }

    @Override
    public final void reset()
    {
        single = null;
        union = null;
    }

    @Override
    public final void add(Block block, int position)
    {
        if (block.isNull(position)) {
            return;
        }
        if (isNull()) {
            single = VARBINARY.getSlice(block, position);
            return;
        }
        T value = read(VARBINARY.getSlice(block, position));
        union = check(() -> unite(takeState(), value));
    }

    @Override
    public final void addReversed(Block block, int position)
    {
        if (block.isNull(position) || isNull()) {
            add(block, position);
            return;
        }
        T value = read(VARBINARY.getSlice(block, position));
        union = check(() -> unite(value, takeState()));
    }

    @Override
    public final void retract(Block block, int position)
    {
        throw Aggregators.cannotRetract(function, column);
    }

    @Override
    public final void replace(Block block, int position)
    {
        reset();
        add(block, position);
    }

    @Override
    public final void writeTo(BlockBuilder builder)
    {
        if (union != null) {
            VARBINARY.writeSlice(builder, Slices.wrappedBuffer(serialized(union)));
        }
        else if (single != null) {
            VARBINARY.writeSlice(builder, single);
        }
        else {
            builder.appendNull();
        }
    }

    protected abstract T deserialize(byte[] bytes)
            throws IOException;

    /**
     * May change and return either set. The result must be what {@link #deserialize} makes of the serialized union, since the
     * format serializes after every step.
     */
    protected abstract T unite(T left, T right);

    protected abstract byte[] serialize(T set)
            throws IOException;

    private byte[] serialized(T set)
    {
        try {
            return serialize(set);
        }
        catch (IOException | RuntimeException e) {
            throw invalidValue(e);
        }
    }

    private boolean isNull()
    {
        return union == null && single == null;
    }

    private T takeState()
            throws IOException
    {
        if (union != null) {
            return union;
        }
        T state = deserialize(single.getBytes());
        single = null;
        return state;
    }

    private T read(Slice value)
    {
        return check(() -> deserialize(value.getBytes()));
    }

    private T check(Operation<T> operation)
    {
        try {
            return operation.run();
        }
        // where assertions are enabled, the sketches' library finds some broken values by them
        catch (IOException | RuntimeException | AssertionError e) {
            throw invalidValue(e);
        }
    }

    private StorageException invalidValue(Throwable cause)
    {
        return new StorageException(
                INVALID_ROW,
                format("Column '%s' has the aggregate function '%s', but one of its values is not what that function reads: %s", column, function.functionName(), cause.getMessage()),
                cause);
    }

    private interface Operation<T>
    {
        T run()
                throws IOException;
    }
}
