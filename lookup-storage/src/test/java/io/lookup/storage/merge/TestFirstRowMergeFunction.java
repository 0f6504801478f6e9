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

import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.merge.MergeSteps.Version;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

import static io.lookup.storage.format.row.RowKind.DELETE;
import static io.lookup.storage.format.row.RowKind.INSERT;
import static io.lookup.storage.format.row.RowKind.UPDATE_AFTER;
import static io.lookup.storage.format.row.RowKind.UPDATE_BEFORE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestFirstRowMergeFunction
{
    private static final Map<String, String> FIRST_ROW = ImmutableMap.of("merge-engine", "first-row");

    @Test
    void testOldestVersionWins()
    {
        MergeSteps steps = MergeSteps.of(2, FIRST_ROW);
        steps.add(UPDATE_AFTER, 1, 7).add(1, 8).add(1, 9);
        assertThat(steps.result(false)).isEqualTo(new Version(UPDATE_AFTER, 0, 0, List.of(1, 7)));
    }

    /**
     * A row that readers have seen stays, also where a statement that began earlier brings lower sequence numbers.
     */
    @Test
    void testVisibleVersionWins()
    {
        MergeSteps steps = MergeSteps.of(2, FIRST_ROW);
        steps.addAt(0, INSERT, 1, 7).addAt(3, INSERT, 1, 8).addAt(0, INSERT, 1, 9);
        assertThat(steps.values()).containsExactly(1, 8);
    }

    @Test
    void testRetractionIsRefused()
    {
        MergeSteps steps = MergeSteps.of(2, FIRST_ROW);
        steps.add(1, 7).add(DELETE, 1, 7);
        assertThatThrownBy(() -> steps.result(false))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.UNSUPPORTED_FEATURE))
                .hasMessageContaining("first-row")
                .hasMessageContaining("'ignore-delete'");
    }

    @Test
    void testRetractionIsPassedOver()
    {
        for (String key : List.of("ignore-delete", "first-row.ignore-delete")) {
            MergeSteps steps = MergeSteps.of(2, ImmutableMap.of("merge-engine", "first-row", key, "true"));
            steps.add(DELETE, 1, 6).add(1, 7).add(UPDATE_BEFORE, 1, 7).add(1, 8);
            assertThat(steps.values()).containsExactly(1, 7);
            steps.reset();
            steps.add(DELETE, 1, 6).add(UPDATE_BEFORE, 1, 7);
            assertThat(steps.result(true).kind()).isEqualTo(UPDATE_BEFORE);
        }
    }
}
