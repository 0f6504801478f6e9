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
package io.lookup.storage.commit;

/**
 * Writes a statement's rows of a bucket once more, so that they win over rows that others committed meanwhile.
 */
public interface RowRenumberer
{
    /**
     * @param message with new files
     * @param offset by which all sequence numbers grow
     * @return the same rows in other files, without a compaction; the message's own files stay where they are
     */
    CommitMessage renumber(CommitMessage message, long offset);
}
