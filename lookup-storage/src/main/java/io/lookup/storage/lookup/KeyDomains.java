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
package io.lookup.storage.lookup;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.block.Block;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.predicate.ValueSet;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeUtils;

import java.util.ArrayList;
import java.util.List;

/**
 * Turns a batch of probes into a predicate over the key columns, for skipping row groups and pages.
 */
final class KeyDomains
{
    // above this a range says nearly as much and costs less
    private static final int MAX_DISCRETE_VALUES = 2_000;

    private KeyDomains() {}

    static TupleDomain<Integer> of(KeyValueLayout layout, List<Type> types, ProbeKeys probes, int from, int to)
    {
        ImmutableMap.Builder<Integer, Domain> domains = ImmutableMap.builder();
        for (int index = 0; index < layout.keyChannels().size(); index++) {
            int channel = layout.keyChannels().get(index);
            DataField field = layout.columns().get(channel);
            Type type = types.get(channel);
            if (!canPrune(field, type)) {
                continue;
            }
            if (to - from <= MAX_DISCRETE_VALUES) {
                List<Object> values = new ArrayList<>(to - from);
                boolean comparable = true;
                for (int probe = from; probe < to; probe++) {
                    Object value = value(type, probes, probe, channel);
                    comparable &= !isNaN(value);
                    values.add(value);
                }
                if (comparable) {
                    domains.put(field.id(), Domain.create(ValueSet.copyOf(type, values), false));
                }
            }
            else if (index == 0) {
                // only the leading column is ordered over the batch
                Object low = value(type, probes, from, channel);
                Object high = value(type, probes, to - 1, channel);
                if (!isNaN(low) && !isNaN(high)) {
                    domains.put(field.id(), Domain.create(ValueSet.ofRanges(ImmutableList.of(Range.range(type, low, true, high, true))), false));
                }
            }
        }
        return TupleDomain.withColumnDomains(domains.buildOrThrow());
    }

    private static boolean canPrune(DataField field, Type type)
    {
        // Trino orders chars and zero by other rules than the files are sorted by: -0.0 and 0.0 are two keys there
        TypeRoot root = field.type().root();
        return type.isOrderable() && root != TypeRoot.CHAR && root != TypeRoot.FLOAT && root != TypeRoot.DOUBLE;
    }

    private static Object value(Type type, ProbeKeys probes, int probe, int channel)
    {
        Block block = probes.page(probe).getBlock(channel);
        return TypeUtils.readNativeValue(type, block, probes.position(probe));
    }

    private static boolean isNaN(Object value)
    {
        return value instanceof Double number && number.isNaN();
    }
}
