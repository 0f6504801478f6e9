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

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.manifest.DataFileMeta;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import static java.util.Objects.requireNonNull;

/**
 * How a compaction unit is carried out: in ascending key order, stretches of files that are merged and written anew, and
 * files that rise as they are. Files that lie at the output level already and need nothing are in no step.
 *
 * @param dropDelete whether retract results disappear in rewrites: nothing older than the output exists, or readers do
 * not need them (deletion vectors, first-row)
 */
public record CompactionPlan(int outputLevel, boolean dropDelete, List<Step> steps)
{
    public CompactionPlan
    {
        steps = ImmutableList.copyOf(steps);
    }

    public sealed interface Step {}

    /**
     * Merge the sections one after another into new files of the output level.
     *
     * @param changelog whether the merge looks up old states or compares with the highest level, to log changes
     */
    public record Rewrite(List<List<SortedRun>> sections, boolean changelog)
            implements Step
    {
        public Rewrite
        {
            sections = sections.stream().<List<SortedRun>>map(ImmutableList::copyOf).collect(ImmutableList.toImmutableList());
        }

        public List<DataFileMeta> files()
        {
            return sections.stream()
                    .flatMap(List::stream)
                    .flatMap(run -> run.files().stream())
                    .toList();
        }
    }

    /**
     * Bring the file to the output level as its strategy says.
     */
    public record Upgrade(DataFileMeta file, UpgradeStrategy strategy)
            implements Step
    {
        public Upgrade
        {
            requireNonNull(file, "file is null");
            requireNonNull(strategy, "strategy is null");
        }
    }

    /**
     * @param targetFileSize files below 70 % of it are merged with their neighbours rather than upgraded
     * @param forceRewrite files that must not stay as they are: {@code compaction.force-rewrite-all-files}, or rows whose
     * time is over
     */
    public static CompactionPlan create(CompactionUnit unit, Levels levels, KeyEncoder keyEncoder, long targetFileSize, UpgradeRule rule, Predicate<DataFileMeta> forceRewrite)
    {
        boolean dropDelete = unit.outputLevel() >= levels.nonEmptyHighestLevel() || !rule.retractsHide();
        Planner planner = new Planner(unit.outputLevel(), levels.maxLevel(), rule, forceRewrite);
        if (unit.rewriteEachFile()) {
            unit.files().forEach(file -> planner.rewrite(ImmutableList.of(singleFile(file))));
            return new CompactionPlan(unit.outputLevel(), dropDelete, planner.steps);
        }
        long minFileSize = targetFileSize / 10 * 7;
        for (List<SortedRun> section : IntervalPartition.sections(unit.files(), keyEncoder)) {
            if (section.size() > 1) {
                planner.pending.add(section);
                continue;
            }
            for (DataFileMeta file : section.getFirst().files()) {
                if (file.fileSize() < minFileSize) {
                    planner.pending.add(singleFile(file));
                }
                else {
                    planner.flush();
                    planner.upgrade(file);
                }
            }
        }
        planner.flush();
        return new CompactionPlan(unit.outputLevel(), dropDelete, planner.steps);
    }

    private static List<SortedRun> singleFile(DataFileMeta file)
    {
        return ImmutableList.of(SortedRun.of(file));
    }

    private static final class Planner
    {
        private final int outputLevel;
        private final int maxLevel;
        private final UpgradeRule rule;
        private final Predicate<DataFileMeta> forceRewrite;
        private final List<Step> steps = new ArrayList<>();
        // sections that wait to be rewritten together with their neighbours
        private final List<List<SortedRun>> pending = new ArrayList<>();

        private Planner(int outputLevel, int maxLevel, UpgradeRule rule, Predicate<DataFileMeta> forceRewrite)
        {
            this.outputLevel = outputLevel;
            this.maxLevel = maxLevel;
            this.rule = requireNonNull(rule, "rule is null");
            this.forceRewrite = requireNonNull(forceRewrite, "forceRewrite is null");
        }

        private void flush()
        {
            if (pending.size() == 1 && pending.getFirst().size() == 1) {
                // a small file alone gains nothing from being rewritten
                pending.getFirst().getFirst().files().forEach(this::upgrade);
            }
            else if (!pending.isEmpty()) {
                rewrite(pending);
            }
            pending.clear();
        }

        private void upgrade(DataFileMeta file)
        {
            // the highest level holds no retract rows
            boolean retractsInTheWay = outputLevel == maxLevel && file.deleteRowCount().orElse(1) > 0;
            if (retractsInTheWay || forceRewrite.test(file)) {
                rewrite(ImmutableList.of(singleFile(file)));
            }
            else if (file.level() != outputLevel) {
                steps.add(new Upgrade(file, rule.strategy(file, outputLevel, maxLevel)));
            }
        }

        private void rewrite(List<List<SortedRun>> sections)
        {
            Rewrite rewrite = new Rewrite(sections, false);
            steps.add(new Rewrite(sections, rule.rewriteSeesChangelog(rewrite.files(), outputLevel, maxLevel)));
        }
    }
}
