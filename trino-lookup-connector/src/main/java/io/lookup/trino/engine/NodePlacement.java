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
package io.lookup.trino.engine;

import com.google.common.collect.ImmutableList;
import com.google.common.hash.HashCode;
import com.google.common.hash.Hashing;
import io.trino.spi.Node;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

import static com.google.common.base.Preconditions.checkArgument;
import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Which node a place of a table belongs to, and which nodes read a file. Each node draws a number for each place, and the highest wins (rendezvous hashing): it depends on nothing
 * but the table, the place and the nodes' identifiers, so that a node that leaves moves its own places only, and one that comes back gets
 * the same ones again. The price is that few places are not spread evenly.
 */
public final class NodePlacement
{
    private static final long PLACE_STEP = 0x9E37_79B9_7F4A_7C15L;

    private static final int READERS = 2;

    // in one order, so that equal draws have one winner
    private final List<? extends Node> nodes;
    private final long[] nodeHashes;

    /**
     * @param nodes at least one
     */
    public NodePlacement(Collection<? extends Node> nodes)
    {
        checkArgument(!nodes.isEmpty(), "no nodes");
        this.nodes = nodes.stream().sorted(Comparator.comparing(Node::getNodeIdentifier)).toList();
        this.nodeHashes = this.nodes.stream()
                .map(node -> Hashing.murmur3_128().hashString(node.getNodeIdentifier(), UTF_8))
                .mapToLong(HashCode::asLong)
                .toArray();
    }

    public static long tableHash(String schemaName, String tableName)
    {
        return Hashing.murmur3_128().hashString(schemaName + "." + tableName, UTF_8).asLong();
    }

    /**
     * @return the node of each place
     */
    public static List<Node> assign(long tableHash, int places, Collection<? extends Node> nodes)
    {
        NodePlacement placement = new NodePlacement(nodes);
        ImmutableList.Builder<Node> assigned = ImmutableList.builder();
        for (int place = 0; place < places; place++) {
            assigned.add(placement.nodes.get(placement.winner(mix(tableHash + place * PLACE_STEP), -1)));
        }
        return assigned.build();
    }

    /**
     * The nodes that keep what is read of a file again and again: two, so that one of them can be busy.
     *
     * @return nothing if no more nodes than these are there
     */
    public List<Node> readers(String fileName)
    {
        if (nodes.size() <= READERS) {
            return ImmutableList.of();
        }
        long fileHash = Hashing.murmur3_128().hashString(fileName, UTF_8).asLong();
        int first = winner(fileHash, -1);
        return ImmutableList.of(nodes.get(first), nodes.get(winner(fileHash, first)));
    }

    private int winner(long placeHash, int without)
    {
        int winner = -1;
        long highest = Long.MIN_VALUE;
        for (int node = 0; node < nodeHashes.length; node++) {
            long drawn = mix(nodeHashes[node] ^ placeHash);
            if (node != without && (winner < 0 || drawn > highest)) {
                highest = drawn;
                winner = node;
            }
        }
        return winner;
    }

    /**
     * Each bit of the value changes half of the result's.
     */
    private static long mix(long value)
    {
        long mixed = (value ^ (value >>> 33)) * 0xFF51_AFD7_ED55_8CCDL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xC4CE_B9FE_1A85_EC53L;
        return mixed ^ (mixed >>> 33);
    }
}
