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
package io.lookup.trino.compaction;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.lookup.storage.format.manifest.BucketId;
import io.trino.spi.connector.SchemaTableName;

import java.util.Map;
import java.util.Set;

import static java.util.Objects.requireNonNull;

/**
 * What one sink of a statement wrote and did not compact.
 *
 * @param files names of the data files that it wrote, by bucket
 */
record WrittenBuckets(Statement statement, Map<BucketId, Set<String>> files)
{
    WrittenBuckets
    {
        requireNonNull(statement, "statement is null");
        files = ImmutableMap.copyOf(files);
    }

    /**
     * A statement that writes a table; a query writes a table once.
     *
     * @param properties what the snapshots of its own changes tell of it
     */
    record Statement(String queryId, SchemaTableName table, Map<String, String> properties)
    {
        Statement
        {
            requireNonNull(queryId, "queryId is null");
            requireNonNull(table, "table is null");
            properties = ImmutableMap.copyOf(properties);
        }

        @Override
        public String toString()
        {
            return "query %s on table %s".formatted(queryId, table);
        }
    }

    /**
     * Buckets of one table that one thread compacts and publishes together.
     *
     * @param statement the last that wrote each of the buckets
     * @param files names of the data files that it wrote there
     */
    record Batch(Statement statement, Set<BucketId> buckets, Set<String> files)
    {
        Batch
        {
            requireNonNull(statement, "statement is null");
            buckets = ImmutableSet.copyOf(buckets);
            files = ImmutableSet.copyOf(files);
        }
    }
}
