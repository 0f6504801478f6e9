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

import io.lookup.storage.format.manifest.DataFileMeta;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

import static java.util.Objects.requireNonNull;

/**
 * Everything to the highest level. Where everything is there, only files with a reason of their own are rewritten.
 */
public final class FullCompaction
        implements CompactionPicker
{
    private final Predicate<DataFileMeta> needsRewrite;

    /**
     * @param needsRewrite whether a file of the highest level is to be rewritten: it has a deletion vector, or rows whose
     * time is over, or the table asks that all files be rewritten
     */
    public FullCompaction(Predicate<DataFileMeta> needsRewrite)
    {
        this.needsRewrite = requireNonNull(needsRewrite, "needsRewrite is null");
    }

    @Override
    public Optional<CompactionUnit> pick(int numLevels, List<SortedRun> runs)
    {
        int maxLevel = numLevels - 1;
        if (runs.isEmpty()) {
            return Optional.empty();
        }
        if (runs.size() > 1 || runs.getFirst().level() != maxLevel) {
            return Optional.of(CompactionUnit.ofRuns(maxLevel, runs));
        }
        List<DataFileMeta> files = runs.getFirst().files().stream().filter(needsRewrite).toList();
        if (files.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new CompactionUnit(maxLevel, files, true));
    }
}
