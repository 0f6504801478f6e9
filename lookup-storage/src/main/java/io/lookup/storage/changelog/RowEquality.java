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
package io.lookup.storage.changelog;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.merge.ValueIdentity;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TrinoTypes;
import io.trino.spi.Page;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * Whether two rows hold the same values, at every depth: null is null, NaN is NaN, and 0.0 is not -0.0, so that a log without what is equal still gives the
 * table's rows. Row kind and sequence number do not count.
 */
public final class RowEquality
{
    private final int[] channels;
    private final List<ValueIdentity> identities;

    /**
     * @param ignoredColumns columns whose change does not count ({@code changelog-producer.row-deduplicate-ignore-fields})
     */
    public RowEquality(KeyValueLayout layout, Collection<String> ignoredColumns)
    {
        ImmutableList.Builder<ValueIdentity> identityBuilder = ImmutableList.builder();
        int[] compared = new int[layout.columns().size()];
        int count = 0;
        for (int channel = 0; channel < layout.columns().size(); channel++) {
            DataField column = layout.columns().get(channel);
            if (layout.keyChannels().contains(channel) || ignoredColumns.contains(column.name())) {
                continue;
            }
            compared[count] = channel;
            count++;
            identityBuilder.add(ValueIdentity.of(TrinoTypes.toTrinoType(column.type())));
        }
        this.channels = Arrays.copyOf(compared, count);
        this.identities = identityBuilder.build();
    }

    public boolean equal(Page left, int leftPosition, Page right, int rightPosition)
    {
        for (int index = 0; index < channels.length; index++) {
            if (!identities.get(index).same(left.getBlock(channels[index]), leftPosition, right.getBlock(channels[index]), rightPosition)) {
                return false;
            }
        }
        return true;
    }
}
