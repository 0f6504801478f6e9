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
package io.lookup.storage.lookup.local;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.TableBlockEncodings;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.schema.DataField;
import io.trino.spi.Page;
import io.trino.spi.type.Type;

import java.util.List;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

/**
 * What rows of a data file a local lookup file has: those of a table's layout, or their key columns alone. Immutable.
 */
public final class LookupLayout
{
    private final List<Type> types;
    private final int[] channels;
    private final int[] keyChannels;
    private final KeyEncoder keyEncoder;
    private final String fingerprint;
    private final TableBlockEncodings encodings;

    private LookupLayout(List<Type> types, int[] channels, int[] keyChannels, KeyEncoder keyEncoder, String fingerprint)
    {
        this.types = ImmutableList.copyOf(types);
        this.channels = requireNonNull(channels, "channels is null");
        this.keyChannels = requireNonNull(keyChannels, "keyChannels is null");
        this.keyEncoder = requireNonNull(keyEncoder, "keyEncoder is null");
        this.fingerprint = requireNonNull(fingerprint, "fingerprint is null");
        this.encodings = new TableBlockEncodings(types);
    }

    /**
     * Pages in the layout, with sequence numbers and row kinds.
     */
    public static LookupLayout ofRows(KeyValueLayout layout, KeyEncoder keyEncoder)
    {
        return new LookupLayout(
                layout.types(),
                IntStream.range(0, layout.channelCount()).toArray(),
                layout.keyChannelArray(),
                keyEncoder,
                "rows(%s) key %s".formatted(describe(layout.columns()), layout.keyChannels()));
    }

    /**
     * Pages with the key columns alone, in key order.
     */
    public static LookupLayout ofKeys(KeyValueLayout layout, KeyEncoder keyEncoder)
    {
        List<Type> types = layout.types();
        List<DataField> keys = layout.keyChannels().stream().map(layout.columns()::get).collect(toImmutableList());
        return new LookupLayout(
                layout.keyChannels().stream().map(types::get).collect(toImmutableList()),
                layout.keyChannelArray(),
                IntStream.range(0, keys.size()).toArray(),
                keyEncoder,
                "keys(%s)".formatted(describe(keys)));
    }

    /**
     * A column that was dropped and added again is another one, and a renamed one is the same.
     */
    private static String describe(List<DataField> columns)
    {
        return columns.stream()
                .map(column -> column.id() + " " + column.type().withNullable(true))
                .collect(joining(", "));
    }

    /**
     * What a page of the table's layout has for this one.
     */
    Page project(Page page)
    {
        return channels.length == page.getChannelCount() ? page : page.getColumns(channels);
    }

    List<Type> types()
    {
        return types;
    }

    int[] keyChannels()
    {
        return keyChannels;
    }

    KeyEncoder keyEncoder()
    {
        return keyEncoder;
    }

    TableBlockEncodings encodings()
    {
        return encodings;
    }

    /**
     * Two layouts with the same one take the same pages.
     */
    String fingerprint()
    {
        return fingerprint;
    }
}
