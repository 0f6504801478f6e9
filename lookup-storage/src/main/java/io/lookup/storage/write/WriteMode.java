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
 * What two inserts of one key within a statement mean. In both modes an insert of a key beats a delete of it,
 * whatever order they arrive in.
 */
public enum WriteMode
{
    /**
     * INSERT: the rows are merged in order of arrival.
     */
    UPSERT,
    /**
     * UPDATE, DELETE and MERGE: two inserts of one key are an error.
     */
    ROW_CHANGES,
}
