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
package io.lookup.storage.oracle;

import org.apache.paimon.data.InternalRow;
import org.apache.paimon.index.HashBucketAssigner;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.RowPartitionKeyExtractor;

import java.util.UUID;

/**
 * What a job of Paimon does for a table whose buckets grow with its keys, in one task: it chooses each row's bucket.
 */
final class DynamicAssignment
{
    private final RowPartitionKeyExtractor keys;
    private final HashBucketAssigner assigner;

    DynamicAssignment(FileStoreTable table)
    {
        keys = new RowPartitionKeyExtractor(table.schema());
        assigner = new HashBucketAssigner(
                table.snapshotManager(),
                UUID.randomUUID().toString(),
                table.store().newIndexFileHandler(),
                1,
                1,
                0,
                table.coreOptions().dynamicBucketTargetRowNum(),
                table.coreOptions().dynamicBucketMaxBuckets());
    }

    int bucket(InternalRow row)
    {
        return assigner.assign(keys.partition(row), keys.trimmedPrimaryKey(row).hashCode());
    }
}
