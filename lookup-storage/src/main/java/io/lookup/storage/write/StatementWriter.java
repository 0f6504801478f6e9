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
package io.lookup.storage.write;

import io.lookup.storage.StorageException;
import io.lookup.storage.commit.CommitMessage;
import io.trino.spi.Page;

import java.util.List;

/**
 * One sink's part of a statement. Not thread-safe.
 */
public interface StatementWriter
{
    /**
     * @param values the table's columns in schema order
     * @param kinds one kind a row, or one for all rows
     * @throws StorageException INVALID_ROW for a null in a column that cannot hold one; UNSUPPORTED_FEATURE for a row of a kind that
     * the table cannot take
     */
    void write(Page values, byte[] kinds);

    long memoryUsage();

    /**
     * Completes all files. Nothing is visible before the messages are committed. After a failure {@link #abort()} must be called.
     */
    List<CommitMessage> prepareCommit();

    /**
     * Deletes every file that was written; never throws.
     */
    void abort();
}
