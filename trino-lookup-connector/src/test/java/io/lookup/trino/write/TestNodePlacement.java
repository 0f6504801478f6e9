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
package io.lookup.trino.write;

import io.lookup.storage.format.row.BucketFunction;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TypeRoot;
import io.lookup.trino.LookupTransactionHandle;
import io.lookup.trino.engine.NodePlacement;
import io.lookup.trino.handle.LookupPartitioningHandle;
import io.trino.spi.Node;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import static java.util.function.Function.identity;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

final class TestNodePlacement
{
    private static final long TABLE = NodePlacement.tableHash("schema", "table");

    private final TestingNodes nodes = new TestingNodes(5);
    private final LookupNodePartitioningProvider provider = new LookupNodePartitioningProvider(nodes);

    @Test
    void testDoesNotDependOnTheOrderOfNodes()
    {
        List<Node> reversed = new ArrayList<>(nodes.getWorkerNodes());
        Collections.reverse(reversed);
        assertThat(NodePlacement.assign(TABLE, 256, reversed)).isEqualTo(NodePlacement.assign(TABLE, 256, nodes.getWorkerNodes()));
    }

    @Test
    void testSpreadsPlaces()
    {
        Map<Node, Long> counts = NodePlacement.assign(TABLE, 1_000, nodes.getWorkerNodes()).stream().collect(groupingBy(identity(), counting()));
        assertThat(counts.keySet()).isEqualTo(nodes.getWorkerNodes());
        assertThat(counts.values()).allSatisfy(count -> assertThat(count).isBetween(140L, 260L));
        // tables with one bucket do not meet on one node
        List<Node> ofTables = new ArrayList<>();
        for (int table = 0; table < 1_000; table++) {
            ofTables.addAll(NodePlacement.assign(NodePlacement.tableHash("schema", "table" + table), 1, nodes.getWorkerNodes()));
        }
        assertThat(ofTables.stream().collect(groupingBy(identity(), counting())).values()).hasSize(5).allSatisfy(count -> assertThat(count).isBetween(140L, 260L));
    }

    @Test
    void testNodeThatLeavesMovesItsOwnPlacesOnly()
    {
        for (Node leaving : nodes.getWorkerNodes()) {
            List<Node> before = mapping();
            nodes.remove(leaving);
            List<Node> after = mapping();
            assertThat(after).doesNotContain(leaving);
            for (int place = 0; place < before.size(); place++) {
                if (!before.get(place).equals(leaving)) {
                    assertThat(after.get(place)).isEqualTo(before.get(place));
                }
            }
            // its places go to more than one of the others
            List<Node> heirs = new ArrayList<>();
            for (int place = 0; place < before.size(); place++) {
                if (before.get(place).equals(leaving)) {
                    heirs.add(after.get(place));
                }
            }
            assertThat(heirs.stream().distinct()).hasSizeGreaterThan(2);
            // and it gets them back
            nodes.add(leaving.getNodeIdentifier());
            assertThat(mapping()).isEqualTo(before);
        }
    }

    @Test
    void testFilesAreReadByTheSameNodes()
    {
        Map<String, List<Node>> before = readers();
        assertThat(before.values()).allSatisfy(readers -> assertThat(readers).hasSize(2).doesNotHaveDuplicates());
        assertThat(before.values().stream().map(List::getFirst).collect(groupingBy(identity(), counting())).values()).hasSize(5).allSatisfy(count -> assertThat(count).isBetween(140L, 260L));
        for (Node leaving : nodes.getWorkerNodes()) {
            nodes.remove(leaving);
            readers().forEach((file, readers) -> assertThat(readers).containsAll(before.get(file).stream().filter(node -> !node.equals(leaving)).toList()));
            nodes.add(leaving.getNodeIdentifier());
        }
        assertThat(readers()).isEqualTo(before);
        // nothing to choose
        assertThat(new NodePlacement(new TestingNodes(2).getWorkerNodes()).readers("file")).isEmpty();
    }

    private Map<String, List<Node>> readers()
    {
        NodePlacement placement = new NodePlacement(nodes.getWorkerNodes());
        return IntStream.range(0, 1_000).mapToObj("data-%s-0.parquet"::formatted).collect(toMap(identity(), placement::readers));
    }

    @Test
    void testLayoutsOfOneStatementAgreeWhileNodesComeAndGo()
    {
        LookupTransactionHandle transaction = LookupTransactionHandle.create();
        List<Node> insert = provider.getBucketNodeMapping(transaction, null, handle(List.of())).orElseThrow().getFixedMapping();
        nodes.remove(insert.getFirst());
        List<Node> update = provider.getBucketNodeMapping(transaction, null, handle(List.of(1, 2))).orElseThrow().getFixedMapping();
        assertThat(update).isEqualTo(insert);
        assertThat(mapping()).isNotEqualTo(insert);
    }

    private List<Node> mapping()
    {
        return provider.getBucketNodeMapping(LookupTransactionHandle.create(), null, handle(List.of())).orElseThrow().getFixedMapping();
    }

    private static LookupPartitioningHandle handle(List<Integer> rowIdFields)
    {
        ScalarType key = new ScalarType(TypeRoot.BIGINT, 0, 0, false);
        return new LookupPartitioningHandle("schema", "table", List.of(key), List.of(key), 4, BucketFunction.Kind.values()[0], rowIdFields);
    }
}
