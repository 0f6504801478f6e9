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
package io.lookup.storage.format.manifest;

import com.google.common.collect.ImmutableMap;
import io.airlift.slice.Slice;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BinaryRowDecoder;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TrinoTypes;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.CharType;
import io.trino.spi.type.Type;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.RealType.REAL;

/**
 * Picks partitions by predicates over field ids: exactly for one partition, by statistics for a manifest.
 * Thread-safe.
 */
public final class PartitionPruning
{
    // past this many values a domain costs more than it saves
    private static final int MAX_DOMAIN_VALUES = 1_000;

    private final List<DataField> fields;
    private final List<Type> types;
    private final BinaryRowDecoder decoder;
    private final StatisticsPruning statistics;

    public PartitionPruning(TableSchema schema)
    {
        fields = schema.partitionFields();
        types = fields.stream().map(field -> TrinoTypes.toTrinoType(field.type())).collect(toImmutableList());
        decoder = new BinaryRowDecoder(fields.stream().map(field -> field.type().withNullable(true)).collect(toImmutableList()));
        statistics = new StatisticsPruning(fields);
    }

    /**
     * The partition's value of a column as Trino has it, null for null.
     */
    public Object value(BinaryRow partition, int index)
    {
        if (partition.isNull(index)) {
            return null;
        }
        Object value = decoder.value(partition, index);
        if (types.get(index) instanceof CharType) {
            return trimTrailingBlanks((Slice) value);
        }
        return value;
    }

    public boolean matches(BinaryRow partition, TupleDomain<Integer> predicate)
    {
        if (predicate.isNone()) {
            return false;
        }
        Map<Integer, Domain> domains = predicate.getDomains().orElseThrow();
        for (int index = 0; index < fields.size(); index++) {
            Domain domain = domains.get(fields.get(index).id());
            if (domain != null && !FloatingZeros.includes(domain, value(partition, index))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether the manifest can hold an entry of a partition that matches.
     */
    public boolean mayContain(ManifestFileMeta manifest, TupleDomain<Integer> predicate)
    {
        if (predicate.isNone()) {
            return false;
        }
        Map<Integer, Domain> domains = predicate.getDomains().orElseThrow();
        return IntStream.range(0, fields.size()).allMatch(index -> {
            Domain domain = domains.get(fields.get(index).id());
            return domain == null || statistics.mayMatch(manifest.partitionStats(), index, fields.get(index).type(), -1, domain);
        });
    }

    /**
     * A predicate that all of these partitions match; used to skip manifests, so it may match others as well.
     */
    public TupleDomain<Integer> covering(Collection<BinaryRow> partitions)
    {
        if (partitions.isEmpty()) {
            return TupleDomain.none();
        }
        if (partitions.size() > MAX_DOMAIN_VALUES) {
            return TupleDomain.all();
        }
        ImmutableMap.Builder<Integer, Domain> domains = ImmutableMap.builder();
        for (int index = 0; index < fields.size(); index++) {
            Type type = types.get(index);
            if (type == DOUBLE || type == REAL) {
                // NaN has no place in a domain
                continue;
            }
            List<Object> values = new ArrayList<>();
            boolean nullAllowed = false;
            for (BinaryRow partition : partitions) {
                Object value = value(partition, index);
                if (value == null) {
                    nullAllowed = true;
                }
                else {
                    values.add(value);
                }
            }
            Domain domain = values.isEmpty() ? Domain.none(type) : Domain.multipleValues(type, values);
            domains.put(fields.get(index).id(), nullAllowed ? domain.union(Domain.onlyNull(type)) : domain);
        }
        return TupleDomain.withColumnDomains(domains.buildOrThrow());
    }

    private static Slice trimTrailingBlanks(Slice value)
    {
        int length = value.length();
        while (length > 0 && value.getByte(length - 1) == ' ') {
            length--;
        }
        return length == value.length() ? value : value.copy(0, length);
    }
}
