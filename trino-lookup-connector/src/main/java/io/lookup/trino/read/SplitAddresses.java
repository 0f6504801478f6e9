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
package io.lookup.trino.read;

import com.google.common.collect.ImmutableList;
import com.google.inject.Inject;
import io.lookup.storage.scan.SplitFile;
import io.lookup.trino.engine.NodePlacement;
import io.trino.spi.HostAddress;
import io.trino.spi.Node;
import io.trino.spi.NodeManager;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

import static java.util.Objects.requireNonNull;

/**
 * Sends a split to workers that have read its files before and so have their footers. Of several files the largest one counts, which stays while commits
 * come and go.
 */
public final class SplitAddresses
{
    private final NodeManager nodeManager;

    @Inject
    SplitAddresses(NodeManager nodeManager)
    {
        this.nodeManager = requireNonNull(nodeManager, "nodeManager is null");
    }

    /**
     * @return by the files of a split the nodes to prefer, of those that are there now
     */
    Function<Stream<SplitFile>, List<HostAddress>> forPlan()
    {
        Set<Node> workers = nodeManager.getWorkerNodes();
        if (workers.isEmpty()) {
            // Trino says so in its own words when it deals out the splits
            return _ -> ImmutableList.of();
        }
        NodePlacement placement = new NodePlacement(workers);
        return files -> files.max(Comparator.comparingLong(SplitFile::fileSize))
                .map(largest -> placement.readers(largest.fileName()).stream().map(Node::getHostAndPort).toList())
                .orElse(ImmutableList.of());
    }
}
