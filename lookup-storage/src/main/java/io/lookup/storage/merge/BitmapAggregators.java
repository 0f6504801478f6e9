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
import org.roaringbitmap.RoaringBitmap;
import org.roaringbitmap.longlong.Roaring64Bitmap;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * {@code rbm32} and {@code rbm64}: unions of roaring bitmaps of 32 and 64 bits. The former are serialized in the portable
 * form of RoaringBitmap, the latter in the form of its {@link Roaring64Bitmap}, which is its own.
 */
final class BitmapAggregators
{
    private BitmapAggregators() {}

    static Aggregator create32(String column)
    {
        return new Bitmap32Aggregator(column);
    }

    static Aggregator create64(String column)
    {
        return new Bitmap64Aggregator(column);
    }

    private static final class Bitmap32Aggregator
            extends UnionAggregator<RoaringBitmap>
    {
        private Bitmap32Aggregator(String column)
        {
            super(AggregateFunction.RBM32, column);
        }

        @Override
        protected RoaringBitmap deserialize(byte[] bytes)
                throws IOException
        {
            RoaringBitmap bitmap = new RoaringBitmap();
            bitmap.deserialize(ByteBuffer.wrap(bytes));
            return bitmap;
        }

        @Override
        protected RoaringBitmap unite(RoaringBitmap left, RoaringBitmap right)
        {
            left.or(right);
            // of two containers of one size, which one a set has depends on how it came about
            left.runOptimize();
            return left;
        }

        @Override
        protected byte[] serialize(RoaringBitmap bitmap)
        {
            ByteBuffer buffer = ByteBuffer.allocate(bitmap.serializedSizeInBytes());
            bitmap.serialize(buffer);
            return buffer.array();
        }
    }

    private static final class Bitmap64Aggregator
            extends UnionAggregator<Roaring64Bitmap>
    {
        private Bitmap64Aggregator(String column)
        {
            super(AggregateFunction.RBM64, column);
        }

        @Override
        protected Roaring64Bitmap deserialize(byte[] bytes)
                throws IOException
        {
            BitmapImages.check64(bytes);
            Roaring64Bitmap bitmap = new Roaring64Bitmap();
            bitmap.deserialize(new DataInputStream(new ByteArrayInputStream(bytes)));
            return bitmap;
        }

        @Override
        protected Roaring64Bitmap unite(Roaring64Bitmap left, Roaring64Bitmap right)
        {
            left.or(right);
            // of two containers of one size, which one a set has depends on how it came about
            left.runOptimize();
            return left;
        }

        @Override
        protected byte[] serialize(Roaring64Bitmap bitmap)
                throws IOException
        {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            bitmap.serialize(new DataOutputStream(bytes));
            return bytes.toByteArray();
        }
    }
}
