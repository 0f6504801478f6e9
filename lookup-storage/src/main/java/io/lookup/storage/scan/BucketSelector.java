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
package io.lookup.storage.scan;

import com.google.common.collect.Lists;
import io.lookup.storage.format.row.BucketFunction;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import static java.util.Objects.requireNonNull;

/**
 * Buckets that can hold rows of a predicate which fixes the whole bucket key. A file tells how many buckets it
 * was written for, so a partition with another bucket count is pruned rightly too. Thread-safe.
 */
final class BucketSelector
{
    private static final int MAX_KEYS = 1_000;

    private final TableSchema schema;
    private final List<List<Object>> keys;
    private final Map<Integer, Set<Integer>> bucketsByTotal = new ConcurrentHashMap<>();

    private BucketSelector(TableSchema schema, List<List<Object>> keys)
    {
        this.schema = requireNonNull(schema, "schema is null");
        this.keys = requireNonNull(keys, "keys is null");
    }

    /**
     * Empty if the predicate does not fix the bucket key.
     */
    static Optional<BucketSelector> create(TableSchema schema, TupleDomain<Integer> predicate)
    {
        // columns of an append-only table may change their type, and with it their hash
        if (predicate.isNone() || schema.primaryKeys().isEmpty() || !BucketFunction.respectsEquality(schema)) {
            return Optional.empty();
        }
        List<DataField> fields = BucketFunction.bucketKeyFields(schema);
        Map<Integer, Domain> domains = predicate.getDomains().orElseThrow();
        List<List<Object>> values = new ArrayList<>();
        long count = 1;
        for (DataField field : fields) {
            Domain domain = domains.get(field.id());
            if (domain == null || !domain.getValues().isDiscreteSet()) {
                return Optional.empty();
            }
            List<Object> discrete = domain.getValues().getDiscreteSet();
            count *= discrete.size();
            if (count > MAX_KEYS) {
                return Optional.empty();
            }
            values.add(discrete);
        }
        return Optional.of(new BucketSelector(schema, Lists.cartesianProduct(values)));
    }

    boolean matches(int bucket, int totalBuckets)
    {
        if (totalBuckets <= 0) {
            return true;
        }
        return bucketsByTotal.computeIfAbsent(totalBuckets, this::buckets).contains(bucket);
    }

    private Set<Integer> buckets(int totalBuckets)
    {
        BucketFunction function = BucketFunction.forTable(schema, totalBuckets);
        Set<Integer> buckets = new HashSet<>();
        keys.forEach(key -> buckets.add(function.bucketOf(key)));
        return buckets;
    }
}
