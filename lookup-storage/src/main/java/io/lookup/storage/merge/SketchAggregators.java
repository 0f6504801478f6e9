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

import io.lookup.storage.schema.AggregateFunction;
import org.apache.datasketches.hll.HllSketch;
import org.apache.datasketches.hll.TgtHllType;
import org.apache.datasketches.memory.Memory;
import org.apache.datasketches.theta.SetOperation;
import org.apache.datasketches.theta.Union;

/**
 * {@code hll_sketch} and {@code theta_sketch}: unions of sketches of Apache DataSketches, which estimate how many different
 * values there were. What an HLL union is depends on the order of its parts and on how they were grouped, so two serialized
 * sketches are united at a time, as the format does it, and results are the same byte by byte.
 */
final class SketchAggregators
{
    private SketchAggregators() {}

    static Aggregator createHll(String column)
    {
        return new HllAggregator(column);
    }

    static Aggregator createTheta(String column)
    {
        return new ThetaAggregator(column);
    }

    private static final class HllAggregator
            extends UnionAggregator<byte[]>
    {
        private HllAggregator(String column)
        {
            super(AggregateFunction.HLL_SKETCH, column);
        }

        @Override
        protected byte[] deserialize(byte[] bytes)
        {
            SketchImages.checkHll(bytes);
            return bytes;
        }

        @Override
        protected byte[] unite(byte[] left, byte[] right)
        {
            org.apache.datasketches.hll.Union union = org.apache.datasketches.hll.Union.heapify(right);
            union.update(HllSketch.heapify(left));
            return union.getResult(TgtHllType.HLL_4).toCompactByteArray();
        }

        @Override
        protected byte[] serialize(byte[] sketch)
        {
            return sketch;
        }
    }

    private static final class ThetaAggregator
            extends UnionAggregator<byte[]>
    {
        private ThetaAggregator(String column)
        {
            super(AggregateFunction.THETA_SKETCH, column);
        }

        @Override
        protected byte[] deserialize(byte[] bytes)
        {
            SketchImages.checkTheta(bytes);
            return bytes;
        }

        @Override
        protected byte[] unite(byte[] left, byte[] right)
        {
            Union union = SetOperation.builder().buildUnion();
            union.union(Memory.wrap(left));
            union.union(Memory.wrap(right));
            return union.getResult().toByteArray();
        }

        @Override
        protected byte[] serialize(byte[] sketch)
        {
            return sketch;
        }
    }
}
