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
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.lsm.CompactionPlan.Rewrite;
import io.lookup.storage.lsm.CompactionPlan.Step;
import io.lookup.storage.lsm.CompactionPlan.Upgrade;
import io.lookup.storage.schema.CoreOptions;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Predicate;

import static io.lookup.storage.lsm.TestingFiles.KEY_ENCODER;
import static io.lookup.storage.lsm.UpgradeStrategy.CHANGELOG_NO_REWRITE;
import static io.lookup.storage.lsm.UpgradeStrategy.CHANGELOG_WITH_REWRITE;
import static io.lookup.storage.lsm.UpgradeStrategy.NO_CHANGELOG_NO_REWRITE;
import static org.assertj.core.api.Assertions.assertThat;

final class TestCompactionPlan
{
    private static final int MAX_LEVEL = 5;
    private static final long TARGET_FILE_SIZE = 1000;
    private static final Map<String, String> LOOKUP = ImmutableMap.of("changelog-producer", "lookup");
    private static final Map<String, String> LOOKUP_SUM = ImmutableMap.of("changelog-producer", "lookup", "merge-engine", "aggregation");

    @Test
    void testSmallFileAloneRises()
    {
        DataFileMeta file = file("a", 0, 1, 3, 10);
        DataFileMeta older = file("old", 5, 1, 3, 10);
        assertThat(steps(LOOKUP, 4, List.of(file), List.of(file, older))).containsExactly(new Upgrade(file, CHANGELOG_NO_REWRITE));
        assertThat(steps(LOOKUP_SUM, 4, List.of(file), List.of(file, older))).containsExactly(new Upgrade(file, CHANGELOG_WITH_REWRITE));
        assertThat(steps(ImmutableMap.of(), 4, List.of(file), List.of(file, older))).containsExactly(new Upgrade(file, NO_CHANGELOG_NO_REWRITE));
    }

    @Test
    void testSmallNeighboursAreWrittenTogether()
    {
        DataFileMeta first = file("a", 0, 1, 3, 10);
        DataFileMeta second = file("b", 0, 5, 9, 10);
        assertThat(steps(LOOKUP, 4, List.of(second, first), List.of(first, second, file("old", 5, 1, 3, 10))))
                .containsExactly(new Rewrite(List.of(List.of(run(first)), List.of(run(second))), true));
    }

    @Test
    void testLargeFileSeparatesRewrites()
    {
        DataFileMeta first = file("a", 0, 1, 3, 10);
        DataFileMeta second = file("b", 4, 5, 9, 699);
        DataFileMeta large = file("c", 3, 10, 20, 700);
        DataFileMeta last = file("d", 4, 30, 40, 10);
        assertThat(steps(LOOKUP, 4, List.of(first, large, second, last), List.of(first, second, large, last, file("old", 5, 1, 99, 10)))).containsExactly(
                new Rewrite(List.of(List.of(run(first)), List.of(run(second))), true),
                new Upgrade(large, NO_CHANGELOG_NO_REWRITE));
        // d is at level 4 already, alone between the large file and the end, so nothing happens to it
    }

    @Test
    void testOverlapIsRewrittenWhateverTheSize()
    {
        DataFileMeta newer = file("a", 0, 1, 5, 5000);
        DataFileMeta older = file("b", 5, 5, 9, 5000);
        List<Step> steps = steps(LOOKUP, 5, List.of(newer, older), List.of(newer, older));
        assertThat(steps).hasSize(1);
        assertThat(((Rewrite) steps.getFirst()).files()).containsExactlyInAnyOrder(newer, older);
        assertThat(((Rewrite) steps.getFirst()).changelog()).isTrue();
    }

    @Test
    void testNoRetractRowsAtTheHighestLevel()
    {
        DataFileMeta clean = file("a", 0, 1, 3, 5000);
        DataFileMeta deletes = TestingFiles.file("b", 0, 5, 9, 5000, OptionalLong.of(1), 0, 0, 0);
        DataFileMeta unknown = TestingFiles.file("c", 0, 11, 12, 5000, OptionalLong.empty(), 0, 0, 0);
        List<DataFileMeta> files = List.of(clean, deletes, unknown);
        assertThat(steps(LOOKUP, 5, files, files)).containsExactly(
                new Upgrade(clean, CHANGELOG_NO_REWRITE),
                new Rewrite(List.of(List.of(run(deletes))), true),
                new Rewrite(List.of(List.of(run(unknown))), true));
        // below it they stay
        DataFileMeta older = file("old", 5, 1, 3, 10);
        assertThat(steps(LOOKUP, 4, List.of(deletes), List.of(deletes, older))).containsExactly(new Upgrade(deletes, CHANGELOG_NO_REWRITE));
    }

    @Test
    void testDropDelete()
    {
        DataFileMeta newer = file("a", 0, 1, 3, 10);
        DataFileMeta older = file("old", 5, 1, 3, 10);
        assertThat(plan(LOOKUP, 4, List.of(newer), List.of(newer, older), _ -> false).dropDelete()).isFalse();
        assertThat(plan(LOOKUP, 5, List.of(newer, older), List.of(newer, older), _ -> false).dropDelete()).isTrue();
        assertThat(plan(LOOKUP, 5, List.of(newer), List.of(newer), _ -> false).dropDelete()).isTrue();
        assertThat(plan(ImmutableMap.of("deletion-vectors.enabled", "true"), 4, List.of(newer), List.of(newer, older), _ -> false).dropDelete()).isTrue();
    }

    @Test
    void testForcedRewrite()
    {
        DataFileMeta first = file("a", 5, 1, 3, 5000);
        DataFileMeta second = file("b", 5, 5, 9, 5000);
        assertThat(plan(LOOKUP, 5, List.of(first, second), List.of(first, second), second::equals).steps())
                .containsExactly(new Rewrite(List.of(List.of(run(second))), false));

        CompactionUnit unit = new CompactionUnit(5, List.of(first, second), true);
        Levels levels = new Levels(List.of(first, second), MAX_LEVEL + 1, KEY_ENCODER);
        assertThat(CompactionPlan.create(unit, levels, KEY_ENCODER, TARGET_FILE_SIZE, UpgradeRule.create(new CoreOptions(LOOKUP)), _ -> false).steps()).containsExactly(
                new Rewrite(List.of(List.of(run(first))), false),
                new Rewrite(List.of(List.of(run(second))), false));
    }

    @Test
    void testUpgradeRule()
    {
        DataFileMeta level0 = file("a", 0, 1, 3, 10);
        DataFileMeta level3 = file("a", 3, 1, 3, 10);
        DataFileMeta deletes = TestingFiles.file("b", 0, 5, 9, 10, OptionalLong.of(1), 0, 0, 0);

        UpgradeRule deduplicate = rule("changelog-producer", "lookup");
        assertThat(deduplicate.strategy(level0, 4, MAX_LEVEL)).isEqualTo(CHANGELOG_NO_REWRITE);
        assertThat(deduplicate.strategy(level3, 4, MAX_LEVEL)).isEqualTo(NO_CHANGELOG_NO_REWRITE);
        assertThat(deduplicate.strategy(deletes, 4, MAX_LEVEL)).isEqualTo(CHANGELOG_NO_REWRITE);

        UpgradeRule sequenceField = rule("changelog-producer", "lookup", "sequence.field", "s");
        assertThat(sequenceField.strategy(level0, 4, MAX_LEVEL)).isEqualTo(CHANGELOG_WITH_REWRITE);
        assertThat(sequenceField.strategy(level0, MAX_LEVEL, MAX_LEVEL)).isEqualTo(CHANGELOG_NO_REWRITE);

        UpgradeRule aggregation = rule("changelog-producer", "lookup", "merge-engine", "aggregation");
        assertThat(aggregation.strategy(level0, 4, MAX_LEVEL)).isEqualTo(CHANGELOG_WITH_REWRITE);
        assertThat(aggregation.strategy(level0, MAX_LEVEL, MAX_LEVEL)).isEqualTo(CHANGELOG_NO_REWRITE);

        UpgradeRule deletionVectors = rule("deletion-vectors.enabled", "true");
        assertThat(deletionVectors.strategy(deletes, MAX_LEVEL, MAX_LEVEL)).isEqualTo(CHANGELOG_WITH_REWRITE);
        assertThat(deletionVectors.strategy(level0, 4, MAX_LEVEL)).isEqualTo(CHANGELOG_NO_REWRITE);

        UpgradeRule fullCompaction = rule("changelog-producer", "full-compaction");
        assertThat(fullCompaction.strategy(level3, MAX_LEVEL, MAX_LEVEL)).isEqualTo(CHANGELOG_NO_REWRITE);
        assertThat(fullCompaction.strategy(level0, 4, MAX_LEVEL)).isEqualTo(NO_CHANGELOG_NO_REWRITE);
        assertThat(fullCompaction.rewriteSeesChangelog(List.of(level3), MAX_LEVEL, MAX_LEVEL)).isTrue();
        assertThat(fullCompaction.rewriteSeesChangelog(List.of(level0), 4, MAX_LEVEL)).isFalse();

        assertThat(deduplicate.rewriteSeesChangelog(List.of(level3), MAX_LEVEL, MAX_LEVEL)).isFalse();
        assertThat(deduplicate.rewriteSeesChangelog(List.of(level3, level0), 4, MAX_LEVEL)).isTrue();
        assertThat(rule("changelog-producer", "input").rewriteSeesChangelog(List.of(level0), MAX_LEVEL, MAX_LEVEL)).isFalse();
    }

    private static UpgradeRule rule(String... options)
    {
        ImmutableMap.Builder<String, String> map = ImmutableMap.builder();
        for (int i = 0; i < options.length; i += 2) {
            map.put(options[i], options[i + 1]);
        }
        return UpgradeRule.create(new CoreOptions(map.buildOrThrow()));
    }

    private static DataFileMeta file(String name, int level, int minKey, int maxKey, long size)
    {
        return TestingFiles.file(name, level, minKey, maxKey, size);
    }

    private static SortedRun run(DataFileMeta file)
    {
        return new SortedRun(file.level(), ImmutableList.of(file));
    }

    private static List<Step> steps(Map<String, String> options, int outputLevel, List<DataFileMeta> picked, List<DataFileMeta> live)
    {
        return plan(options, outputLevel, picked, live, _ -> false).steps();
    }

    private static CompactionPlan plan(Map<String, String> options, int outputLevel, List<DataFileMeta> picked, List<DataFileMeta> live, Predicate<DataFileMeta> forceRewrite)
    {
        return CompactionPlan.create(
                new CompactionUnit(outputLevel, picked),
                new Levels(live, MAX_LEVEL + 1, KEY_ENCODER),
                KEY_ENCODER,
                TARGET_FILE_SIZE,
                UpgradeRule.create(new CoreOptions(options)),
                forceRewrite);
    }
}
