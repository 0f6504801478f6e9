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

import java.util.Arrays;

import static java.util.Objects.requireNonNull;

/**
 * Finds elements of a list by the identity of their first channel: an open hash table of indexes into the list. Not
 * thread-safe.
 */
final class ElementIndex
{
    private static final int INITIAL_SLOTS = 32;

    private final ValueIdentity identity;
    // index + 1, 0 for a free slot
    private int[] slots = new int[INITIAL_SLOTS];
    private long[] hashes = new long[INITIAL_SLOTS];
    private int count;

    ElementIndex(ValueIdentity identity)
    {
        this.identity = requireNonNull(identity, "identity is null");
    }

    void clear()
    {
        if (slots.length > 1024) {
            // one huge array must not make the clearing of every later one expensive
            slots = new int[INITIAL_SLOTS];
            hashes = new long[INITIAL_SLOTS];
        }
        else {
            Arrays.fill(slots, 0);
        }
        count = 0;
    }

    /**
     * The index in {@code list} of an element that is the same as one of {@code other}, below 0 if none was put.
     */
    int find(ElementList list, ElementList other, int index)
    {
        long hash = identity.hash(other.block(0, index), other.position(0, index));
        int mask = slots.length - 1;
        for (int slot = slot(hash, mask); slots[slot] != 0; slot = (slot + 1) & mask) {
            int candidate = slots[slot] - 1;
            if (hashes[slot] == hash && identity.same(list.block(0, candidate), list.position(0, candidate), other.block(0, index), other.position(0, index))) {
                return candidate;
            }
        }
        return -1;
    }

    /**
     * Puts an element of the list, which must not be there yet.
     */
    void put(ElementList list, int index)
    {
        if (2 * (count + 1) > slots.length) {
            grow();
        }
        insert(identity.hash(list.block(0, index), list.position(0, index)), index + 1);
        count++;
    }

    void putAll(ElementList list)
    {
        for (int index = 0; index < list.count(); index++) {
            put(list, index);
        }
    }

    private void insert(long hash, int entry)
    {
        int mask = slots.length - 1;
        int slot = slot(hash, mask);
        while (slots[slot] != 0) {
            slot = (slot + 1) & mask;
        }
        slots[slot] = entry;
        hashes[slot] = hash;
    }

    private void grow()
    {
        int[] oldSlots = slots;
        long[] oldHashes = hashes;
        slots = new int[oldSlots.length * 2];
        hashes = new long[slots.length];
        for (int slot = 0; slot < oldSlots.length; slot++) {
            if (oldSlots[slot] != 0) {
                insert(oldHashes[slot], oldSlots[slot]);
            }
        }
    }

    private static int slot(long hash, int mask)
    {
        long mixed = hash * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> 32) & mask;
    }
}
