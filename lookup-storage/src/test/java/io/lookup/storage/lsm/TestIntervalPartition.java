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
import io.lookup.storage.format.manifest.DataFileMeta;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.lookup.storage.lsm.TestingFiles.file;
import static org.assertj.core.api.Assertions.assertThat;

final class TestIntervalPartition
{
    @Test
    void testSectionsAndRunsAgainstPaimon()
    {
        for (int seed = 0; seed < 5000; seed++) {
            Random random = new Random(seed);
            List<DataFileMeta> files = new ArrayList<>();
            int keySpace = 5 + random.nextInt(200);
            for (int i = 0; i < random.nextInt(20); i++) {
                int min = random.nextInt(keySpace) - keySpace / 2;
                files.add(file("f" + i, random.nextInt(4), min, min + random.nextInt(random.nextBoolean() ? 5 : 50), 100));
            }
            List<List<SortedRun>> sections = IntervalPartition.sections(files, TestingFiles.KEY_ENCODER);
            List<List<org.apache.paimon.mergetree.SortedRun>> expected = new org.apache.paimon.mergetree.compact.IntervalPartition(
                    files.stream().map(TestingFiles::paimonFile).toList(),
                    (left, right) -> Integer.compare(left.getInt(0), right.getInt(0)))
                    .partition();

            assertThat(sections).as("seed %s", seed).hasSameSizeAs(expected);
            for (int i = 0; i < sections.size(); i++) {
                assertThat(names(sections.get(i))).as("seed %s", seed).isEqualTo(expected.get(i).stream()
                        .flatMap(run -> run.files().stream())
                        .map(org.apache.paimon.io.DataFileMeta::fileName)
                        .collect(Collectors.toSet()));
                // where runs end at one key, which of them goes on is nobody's promise; how many there are is
                assertThat(sections.get(i)).as("seed %s", seed).hasSameSizeAs(expected.get(i));
                sections.get(i).forEach(TestIntervalPartition::assertSorted);
            }
        }
    }

    @Test
    void testTouchingRangesOverlap()
    {
        List<List<SortedRun>> sections = IntervalPartition.sections(
                ImmutableList.of(file("c", 5, 11, 12, 1), file("b", 0, 5, 10, 1), file("a", 5, 1, 5, 1)),
                TestingFiles.KEY_ENCODER);
        assertThat(sections).hasSize(2);
        assertThat(sections.get(0)).hasSize(2);
        assertThat(sections.get(1)).containsExactly(new SortedRun(5, ImmutableList.of(file("c", 5, 11, 12, 1))));
    }

    /**
     * A run of files that follow each other can be of several levels, and says so.
     */
    @Test
    void testRunsThatMixLevels()
    {
        List<List<SortedRun>> sections = IntervalPartition.sections(
                ImmutableList.of(file("a", 1, 1, 5, 1), file("b", 2, 6, 9, 1), file("c", 3, 1, 9, 1)),
                TestingFiles.KEY_ENCODER);
        assertThat(sections).hasSize(1);
        assertThat(sections.getFirst()).containsExactlyInAnyOrder(
                new SortedRun(SortedRun.MIXED_LEVELS, ImmutableList.of(file("a", 1, 1, 5, 1), file("b", 2, 6, 9, 1))),
                new SortedRun(3, ImmutableList.of(file("c", 3, 1, 9, 1))));
    }

    private static Set<String> names(List<SortedRun> section)
    {
        return section.stream().flatMap(run -> run.files().stream()).map(DataFileMeta::fileName).collect(toImmutableSet());
    }

    private static void assertSorted(SortedRun run)
    {
        for (int i = 1; i < run.files().size(); i++) {
            assertThat(run.files().get(i - 1).maxKey().bytes().getInt(8)).isLessThan(run.files().get(i).minKey().bytes().getInt(8));
        }
    }
}
