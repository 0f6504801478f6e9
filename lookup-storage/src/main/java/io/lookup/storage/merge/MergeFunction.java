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
package io.lookup.storage.merge;

/**
 * Makes one row of the versions of a key. An instance keeps scratch space and serves one thread.
 */
public interface MergeFunction
{
    /**
     * Appends exactly one result a group, in the order of the groups. Where a key is left with nothing, its result is a
     * retract row.
     *
     * @param results referenced pages stay valid after further calls
     * @param applyToSingleRows whether a key's lone version goes through the function too. False for flushes, plain
     * compactions and reads, which return it as it is (a lone -D of an aggregation table stays -D); true for a merge
     * that includes the looked-up state of the key
     */
    void mergeAll(KeyGroups groups, RowReferences results, boolean applyToSingleRows);
}
