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

import io.airlift.slice.Slice;

/**
 * Order-preserving key bytes of a run of rows: comparing the bytes as unsigned gives the key order of the format
 * (fact sheet 6.5). The first eight bytes are kept as a long for fast comparison.
 */
public final class EncodedKeys
{
    /** offsets has count + 1 entries */
    public EncodedKeys(Slice bytes, int[] offsets, long[] prefixes, int count) { throw new UnsupportedOperationException(); }

    public int count() { throw new UnsupportedOperationException(); }
    /** first eight bytes, big-endian, zero padded; compare unsigned */
    public long prefix(int index) { throw new UnsupportedOperationException(); }
    /** a view, not a copy */
    public Slice key(int index) { throw new UnsupportedOperationException(); }
    public int compare(int index, EncodedKeys other, int otherIndex) { throw new UnsupportedOperationException(); }
    public int compare(int index, Slice otherKey) { throw new UnsupportedOperationException(); }
    public boolean equal(int index, EncodedKeys other, int otherIndex) { throw new UnsupportedOperationException(); }
    public long sizeInBytes() { throw new UnsupportedOperationException(); }
}
