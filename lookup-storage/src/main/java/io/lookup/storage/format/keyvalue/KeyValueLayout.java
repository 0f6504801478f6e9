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
package io.lookup.storage.format.keyvalue;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TrinoTypes;
import io.trino.spi.type.Type;

import java.util.List;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.TinyintType.TINYINT;

/**
 * What the channels of an in-memory page of keyed rows hold: first the value columns in the order of
 * {@code columns}, then the sequence number (BIGINT), then the row kind (TINYINT, see RowKind). Keys are
 * value columns; they are not repeated.
 *
 * @param columns the table's columns that the page carries, never null-typed; keys and sequence fields included
 * @param keyChannels channels of the trimmed primary key, in key order
 * @param sequenceFieldChannels channels of the {@code sequence.field} columns, in their order; often empty
 * @param sequenceFieldDescending whether a smaller non-null sequence field wins
 */
public record KeyValueLayout(
        List<DataField> columns,
        List<Integer> keyChannels,
        List<Integer> sequenceFieldChannels,
        boolean sequenceFieldDescending)
{
    public KeyValueLayout
    {
        columns = ImmutableList.copyOf(columns);
        keyChannels = ImmutableList.copyOf(keyChannels);
        sequenceFieldChannels = ImmutableList.copyOf(sequenceFieldChannels);
        int count = columns.size();
        checkArgument(!keyChannels.isEmpty(), "no key channels");
        checkArgument(keyChannels.stream().allMatch(channel -> channel >= 0 && channel < count), "bad key channels");
        checkArgument(sequenceFieldChannels.stream().allMatch(channel -> channel >= 0 && channel < count), "bad sequence field channels");
    }

    /**
     * The layout of a whole table: every column in schema order.
     */
    public static KeyValueLayout ofTable(TableSchema schema, CoreOptions options)
    {
        return new KeyValueLayout(
                schema.fields(),
                schema.trimmedPrimaryKeys().stream().map(schema::fieldIndex).collect(toImmutableList()),
                options.sequenceField().stream().map(schema::fieldIndex).collect(toImmutableList()),
                options.sequenceFieldDescending());
    }

    public int[] keyChannelArray()
    {
        return keyChannels.stream().mapToInt(Integer::intValue).toArray();
    }

    public List<DataType> keyTypes()
    {
        return keyChannels.stream().map(channel -> columns.get(channel).type()).collect(toImmutableList());
    }

    public int sequenceChannel()
    {
        return columns.size();
    }

    public int kindChannel()
    {
        return columns.size() + 1;
    }

    public int channelCount()
    {
        return columns.size() + 2;
    }

    /**
     * Types of all channels, the two system channels last.
     */
    public List<Type> types()
    {
        ImmutableList.Builder<Type> types = ImmutableList.builder();
        for (DataField column : columns) {
            types.add(TrinoTypes.toTrinoType(column.type()));
        }
        return types.add(BIGINT).add(TINYINT).build();
    }
}
