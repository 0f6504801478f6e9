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
package io.lookup.trino.handle;

import io.trino.spi.SplitWeight;

final class SplitWeights
{
    private static final long STANDARD_SIZE_IN_BYTES = 64L << 20;
    private static final double MIN_WEIGHT = 0.05;

    private SplitWeights() {}

    static SplitWeight ofSize(long sizeInBytes)
    {
        return SplitWeight.fromProportion(Math.clamp((double) sizeInBytes / STANDARD_SIZE_IN_BYTES, MIN_WEIGHT, 1.0));
    }
}
