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
package io.lookup.storage.model;

/**
 * The rules between writers, each of which can be left out to see what it is for.
 *
 * @param insertBeatsDelete within one statement an insert of a key beats a delete of it, whatever order they arrive in;
 * else the last arrival wins
 * @param sequencesRewritten a writer whose base is stale, and whose keys another commit since then has touched, numbers
 * its rows anew above everything committed; else it keeps the numbers that follow its base
 * @param staleCompactionsDropped a compaction is published only if no file of the bucket has changed since its base,
 * else it is made again; without the rule it is published if its inputs are still there and its output fits its level
 */
public record ModelRules(boolean insertBeatsDelete, boolean sequencesRewritten, boolean staleCompactionsDropped)
{
    public static final ModelRules ALL = new ModelRules(true, true, true);
}
