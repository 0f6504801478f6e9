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

import com.google.common.collect.ImmutableSet;
import io.trino.spi.HostAddress;
import io.trino.spi.Node;
import io.trino.spi.NodeManager;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import static java.util.Objects.requireNonNull;

/**
 * Workers that come and go.
 */
final class TestingNodes
        implements NodeManager
{
    private final List<Node> workers = new ArrayList<>();

    TestingNodes(int count)
    {
        for (int node = 0; node < count; node++) {
            add("worker-" + node);
        }
    }

    Node add(String identifier)
    {
        Node node = new Worker(identifier);
        workers.add(node);
        return node;
    }

    void remove(Node node)
    {
        workers.remove(node);
    }

    @Override
    public Set<Node> getAllNodes()
    {
        return getWorkerNodes();
    }

    @Override
    public Set<Node> getWorkerNodes()
    {
        return ImmutableSet.copyOf(workers);
    }

    @Override
    public Node getCurrentNode()
    {
        return workers.getFirst();
    }

    // newer versions of Trino do not ask for it
    @SuppressWarnings("MissingOverride")
    public String getEnvironment()
    {
        return "test";
    }

    private record Worker(String identifier)
            implements Node
    {
        private Worker
        {
            requireNonNull(identifier, "identifier is null");
        }

        @Override
        public String getHost()
        {
            return identifier;
        }

        @Override
        public HostAddress getHostAndPort()
        {
            return HostAddress.fromParts(identifier, 8080);
        }

        @Override
        public String getNodeIdentifier()
        {
            return identifier;
        }

        @Override
        public String getVersion()
        {
            return "476";
        }

        @Override
        public boolean isCoordinator()
        {
            return false;
        }
    }
}
