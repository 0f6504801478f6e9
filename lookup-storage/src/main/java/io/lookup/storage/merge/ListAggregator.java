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
import io.lookup.storage.schema.AggregateFunction;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.lang.Math.addExact;
import static java.lang.Math.max;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

/**
 * {@code listagg}: the texts one behind another with a delimiter between them; null and empty texts are skipped. With
 * {@code distinct}, a text is taken apart at the delimiter (at blanks, if that is empty), and the parts that are not
 * there yet are appended. What a part came from is not known, so retraction is refused.
 */
final class ListAggregator
        implements Aggregator
{
    private static final Slice BLANK = Slices.utf8Slice(" ");

    private final String column;
    private final Slice delimiter;
    private final boolean distinct;

    // the state: null if length is below 0
    private byte[] bytes = new byte[64];
    private int length = -1;
    // the parts of the state, if they are known
    private final Set<Slice> parts = new HashSet<>();
    private boolean partsKnown;

    ListAggregator(String column, String delimiter, boolean distinct)
    {
        this.column = requireNonNull(column, "column is null");
        this.delimiter = Slices.wrappedBuffer(delimiter.getBytes(UTF_8));
        this.distinct = distinct;
    }

    @Override
    public void reset()
    {
        length = -1;
        forgetParts();
    }

    @Override
    public void add(Block block, int position)
    {
        if (!block.isNull(position)) {
            append(VARCHAR.getSlice(block, position));
        }
    }

    @Override
    public void addReversed(Block block, int position)
    {
        if (block.isNull(position)) {
            return;
        }
        if (length < 0) {
            set(VARCHAR.getSlice(block, position));
            return;
        }
        Slice late = Slices.wrappedBuffer(bytes, 0, length).copy();
        set(VARCHAR.getSlice(block, position));
        append(late);
    }

    @Override
    public void retract(Block block, int position)
    {
        throw Aggregators.cannotRetract(AggregateFunction.LISTAGG, column);
    }

    @Override
    public void replace(Block block, int position)
    {
        reset();
        add(block, position);
    }

    @Override
    public void writeTo(BlockBuilder builder)
    {
        if (length < 0) {
            builder.appendNull();
            return;
        }
        VARCHAR.writeSlice(builder, Slices.wrappedBuffer(bytes, 0, length));
    }

    private void append(Slice text)
    {
        if (length <= 0) {
            set(text);
            return;
        }
        if (text.length() == 0) {
            return;
        }
        if (!distinct) {
            write(delimiter);
            write(text);
            return;
        }
        if (!partsKnown) {
            forEachPart(Slices.wrappedBuffer(bytes, 0, length), part -> parts.add(part.copy()));
            partsKnown = true;
        }
        boolean[] appended = new boolean[1];
        forEachPart(text, part -> {
            if (part.length() > 0 && parts.add(part.copy())) {
                write(delimiter);
                write(part);
                appended[0] = true;
            }
        });
        // parts that meet can make others, unless what divides them is a single byte
        if (appended[0] && delimiter.length() != 1) {
            forgetParts();
        }
    }

    private void forEachPart(Slice text, PartConsumer consumer)
    {
        Slice separator = delimiter.length() == 0 ? BLANK : delimiter;
        int start = 0;
        int end = text.indexOf(separator);
        while (end >= 0) {
            consumer.accept(text.slice(start, end - start));
            start = end + separator.length();
            end = text.indexOf(separator, start);
        }
        consumer.accept(text.slice(start, text.length() - start));
    }

    private void set(Slice text)
    {
        length = 0;
        forgetParts();
        write(text);
    }

    private void write(Slice text)
    {
        int end = addExact(length, text.length());
        if (end > bytes.length) {
            bytes = Arrays.copyOf(bytes, max(end, (int) Math.min(2L * bytes.length, Integer.MAX_VALUE - 8)));
        }
        text.getBytes(0, bytes, length, text.length());
        length = end;
    }

    private void forgetParts()
    {
        if (partsKnown) {
            parts.clear();
            partsKnown = false;
        }
    }

    private interface PartConsumer
    {
        void accept(Slice part);
    }
}
