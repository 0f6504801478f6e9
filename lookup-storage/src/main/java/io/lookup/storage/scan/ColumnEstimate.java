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

import io.trino.spi.predicate.Range;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * What metadata tells of a column's values. Each member may be unknown.
 *
 * @param nullFraction from 0 to 1; where files overlap, older versions of rows are counted too
 * @param range no value lies outside; of the column's Trino type
 * @param distinctCount known of partition columns, and where all values are alike
 */
public record ColumnEstimate(OptionalDouble nullFraction, Optional<Range> range, OptionalLong distinctCount)
{
    public ColumnEstimate
    {
        requireNonNull(nullFraction, "nullFraction is null");
        requireNonNull(range, "range is null");
        requireNonNull(distinctCount, "distinctCount is null");
    }
}
