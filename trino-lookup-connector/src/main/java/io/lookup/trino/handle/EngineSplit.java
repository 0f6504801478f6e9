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

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.google.common.collect.ImmutableList;
import io.trino.spi.HostAddress;
import io.trino.spi.SplitWeight;
import io.trino.spi.connector.ConnectorSplit;

import java.util.List;

import static io.airlift.slice.SizeOf.estimatedSizeOf;
import static io.airlift.slice.SizeOf.instanceSize;
import static io.airlift.slice.SizeOf.sizeOf;
import static java.util.Objects.requireNonNull;

/**
 * Files of one bucket that the engine reads together.
 *
 * @param content the engine's split of that kind in its stored form
 * @param sizeInBytes bytes of the files to read
 * @param addresses nodes to prefer, since they may have what is read first of the files; empty: no matter which
 */
public record EngineSplit(Kind kind, byte[] content, long sizeInBytes, List<HostAddress> addresses)
        implements ConnectorSplit
{
    private static final int INSTANCE_SIZE = instanceSize(EngineSplit.class);

    public EngineSplit
    {
        requireNonNull(kind, "kind is null");
        requireNonNull(content, "content is null");
        addresses = ImmutableList.copyOf(addresses);
    }

    public enum Kind
    {
        /** a piece of a table's snapshot */
        TABLE,
        /** a piece of a table's change log */
        CHANGES,
        /** a piece of a table's change log that is to be verified */
        VERIFICATION,
        /** a piece of two states of a table that are to be compared */
        DIFFERENCE,
        /**/
    }

    @Override
    public List<HostAddress> getAddresses()
    {
        return addresses;
    }

    @JsonIgnore
    @Override
    public SplitWeight getSplitWeight()
    {
        return SplitWeights.ofSize(sizeInBytes);
    }

    @JsonIgnore
    @Override
    public long getRetainedSizeInBytes()
    {
        return INSTANCE_SIZE + sizeOf(content) + estimatedSizeOf(addresses, HostAddress::getRetainedSizeInBytes);
    }
}
