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
package io.lookup.storage.lsm;

import java.util.List;
import java.util.Optional;

/**
 * Decides which runs to compact. Runs are taken from the newest on without a gap, since a run that was passed over would
 * end up below data that is older than it is. Pure.
 */
public interface CompactionPicker
{
    /**
     * @param numLevels levels of the tree, level 0 included
     * @param runs as {@link Levels#sortedRuns} gives them
     * @return empty if there is nothing to do
     */
    Optional<CompactionUnit> pick(int numLevels, List<SortedRun> runs);
}
