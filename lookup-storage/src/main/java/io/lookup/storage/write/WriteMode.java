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

/**
 * What two rows of one key within a statement mean.
 */
public enum WriteMode
{
    /**
     * INSERT: the rows are merged in order of arrival, those that {@code rowkind.field} makes deletes included.
     */
    UPSERT,
    /**
     * UPDATE, DELETE and MERGE: an insert of a key beats a delete of it, whatever order they arrive in, and two inserts of
     * one key are an error.
     */
    ROW_CHANGES,
}
