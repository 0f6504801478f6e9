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
package io.lookup.storage.schema;

/**
 * How keys are spread over buckets whose number grows with the keys ({@code bucket = -1} and a primary key).
 *
 * @param targetRowCount keys after which a bucket gets no further ones
 * @param initialBuckets how many buckets share the first keys of a partition, at least 1
 * @param maxBuckets how many buckets a partition may have, at least 1; beyond, keys go to buckets that are full
 */
public record DynamicBucketOptions(long targetRowCount, int initialBuckets, int maxBuckets)
{
    /** What the format can count. */
    public static final int BUCKET_LIMIT = Short.MAX_VALUE;

    private static final String TARGET = "dynamic-bucket.target-row-num";
    private static final String INITIAL = "dynamic-bucket.initial-buckets";
    private static final String MAX = "dynamic-bucket.max-buckets";

    /**
     * @throws io.lookup.storage.StorageException INVALID_OPTION naming the option and the value
     */
    public static DynamicBucketOptions of(TableSchema schema)
    {
        OptionMap values = new OptionMap(schema.options());
        int target = values.getInt(TARGET, 2_000_000);
        if (target < 1) {
            throw OptionValues.invalid(TARGET, Integer.toString(target), "at least 1");
        }
        int max = values.getInt(MAX, -1);
        if (max != -1 && (max < 1 || max > BUCKET_LIMIT)) {
            throw OptionValues.invalid(MAX, Integer.toString(max), "-1 or a number from 1 to " + BUCKET_LIMIT);
        }
        int limit = max == -1 ? BUCKET_LIMIT : max;
        int initial = values.getInt(INITIAL, 1);
        if (initial < 1) {
            throw OptionValues.invalid(INITIAL, Integer.toString(initial), "at least 1");
        }
        return new DynamicBucketOptions(target, Math.min(initial, limit), limit);
    }
}
