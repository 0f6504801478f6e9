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

import static java.util.Objects.requireNonNull;

/**
 * A row exactly as it lies in a file.
 *
 * @param partition canonical text of the partition row
 */
public record StoredRecord(String fileName, String partition, int bucket, int level, long sequenceNumber, Change change)
{
    public StoredRecord
    {
        requireNonNull(fileName, "fileName is null");
        requireNonNull(partition, "partition is null");
        requireNonNull(change, "change is null");
    }
}
