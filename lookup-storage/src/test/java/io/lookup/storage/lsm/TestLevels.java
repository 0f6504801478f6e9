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
import io.lookup.storage.StorageException;
import io.lookup.storage.format.manifest.DataFileMeta;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;

import static io.lookup.storage.lsm.TestingFiles.KEY_ENCODER;
import static io.lookup.storage.lsm.TestingFiles.file;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestLevels
{
    @Test
    void testRunsNewestFirst()
    {
        List<DataFileMeta> newestFirst = ImmutableList.of(
                level0("a", 9, 20, 0),
                level0("b", 3, 10, 5),
                level0("d", 4, 10, 1),
                level0("c", 4, 10, 2),
                level0("e", 4, 10, 2),
                level0("f", 0, 2, 9));
        List<DataFileMeta> files = new ArrayList<>(newestFirst);
        DataFileMeta low = file("low", 2, 1, 5, 100);
        DataFileMeta high = file("high", 2, 6, 9, 100);
        DataFileMeta oldest = file("oldest", 5, 1, 9, 100);
        files.addAll(List.of(low, high, oldest));
        for (int seed = 0; seed < 50; seed++) {
            Collections.shuffle(files, new Random(seed));
            Levels levels = new Levels(files, 6, KEY_ENCODER);
            assertThat(levels.level0()).isEqualTo(newestFirst);
            assertThat(levels.sortedRuns().subList(6, 8)).containsExactly(new SortedRun(2, List.of(low, high)), new SortedRun(5, List.of(oldest)));
            assertThat(levels.sortedRuns()).hasSize(8);
            assertThat(levels.allFiles()).containsExactlyInAnyOrderElementsOf(files);
        }
    }

    @Test
    void testNumberOfLevels()
    {
        Levels empty = new Levels(ImmutableList.of(), 3, KEY_ENCODER);
        assertThat(empty.numberOfLevels()).isEqualTo(3);
        assertThat(empty.nonEmptyHighestLevel()).isEqualTo(-1);
        assertThat(empty.sortedRuns()).isEmpty();
        // written before the option was lowered
        Levels deep = new Levels(ImmutableList.of(file("a", 5, 1, 1, 1)), 3, KEY_ENCODER);
        assertThat(deep.numberOfLevels()).isEqualTo(6);
        assertThat(deep.nonEmptyHighestLevel()).isEqualTo(5);
        assertThat(new Levels(ImmutableList.of(level0("a", 1, 1, 1)), 3, KEY_ENCODER).nonEmptyHighestLevel()).isZero();
    }

    @Test
    void testBoundsOfLevels()
    {
        assertThatThrownBy(() -> new Levels(ImmutableList.of(), 1, KEY_ENCODER)).isInstanceOf(IllegalArgumentException.class);
        Levels levels = new Levels(ImmutableList.of(file("a", 1, 1, 1, 1)), 2, KEY_ENCODER);
        assertThat(levels.maxLevel()).isEqualTo(1);
        assertThat(levels.level(1).files()).hasSize(1);
        assertThatThrownBy(() -> levels.level(0)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("level 0");
        assertThatThrownBy(() -> levels.level(2)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("level 2");
    }

    @Test
    void testUpdate()
    {
        DataFileMeta upgraded = file("a", 0, 1, 3, 100);
        DataFileMeta other = file("b", 5, 1, 3, 100);
        Levels levels = new Levels(ImmutableList.of(upgraded, other), 6, KEY_ENCODER);
        Levels updated = levels.update(ImmutableList.of(upgraded), ImmutableList.of(upgraded.withLevel(4)));
        assertThat(updated.level0()).isEmpty();
        assertThat(updated.level(4).files()).containsExactly(upgraded.withLevel(4));
        assertThat(updated.level(5).files()).containsExactly(other);
        assertThatThrownBy(() -> updated.update(ImmutableList.of(upgraded), ImmutableList.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not in the tree");
    }

    @Test
    void testOverlapInsideLevelIsRefused()
    {
        assertThatThrownBy(() -> new Levels(ImmutableList.of(file("a", 3, 1, 5, 1), file("b", 3, 5, 6, 1)), 6, KEY_ENCODER))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("a and b of level 3 overlap");
    }

    private static DataFileMeta level0(String name, long minSequence, long maxSequence, long creationTime)
    {
        return file(name, 0, 1, 3, 100, OptionalLong.of(0), minSequence, maxSequence, creationTime);
    }
}
