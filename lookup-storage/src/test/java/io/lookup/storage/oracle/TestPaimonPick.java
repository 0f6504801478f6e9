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
package io.lookup.storage.oracle;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.oracle.PaimonPick.Picked;
import io.lookup.storage.oracle.PaimonPick.Run;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class TestPaimonPick
{
    private static final PaimonPick UNIVERSAL = new PaimonPick(6, 200, 1, 5, false);
    private static final PaimonPick FORCED = new PaimonPick(6, 200, 1, 5, true);

    @Test
    void testNothingToPick()
    {
        assertThat(UNIVERSAL.pick(ImmutableList.of())).isEmpty();
        assertThat(FORCED.pick(ImmutableList.of())).isEmpty();
        assertThat(FORCED.pick(ImmutableList.of(new Run(5, 100)))).isEmpty();
        assertThat(UNIVERSAL.pick(ImmutableList.of(new Run(0, 100), new Run(0, 100)))).isEmpty();
    }

    @Test
    void testLevelZeroIsForcedUp()
    {
        assertThat(FORCED.pick(ImmutableList.of(new Run(0, 100))))
                .contains(new Picked(5, ImmutableList.of(0)));
        // to the level before the next older run
        assertThat(FORCED.pick(ImmutableList.of(new Run(0, 1102), new Run(5, 1119))))
                .contains(new Picked(4, ImmutableList.of(0)));
        // unless one percent more reaches the size of that run
        assertThat(FORCED.pick(ImmutableList.of(new Run(0, 1102), new Run(5, 1113))))
                .contains(new Picked(5, ImmutableList.of(0, 1)));
        // level 1 has no level between
        assertThat(FORCED.pick(ImmutableList.of(new Run(0, 10), new Run(0, 10), new Run(1, 100), new Run(5, 1000))))
                .contains(new Picked(1, ImmutableList.of(0, 1, 2)));
    }

    @Test
    void testTriggers()
    {
        ImmutableList<Run> amplified = ImmutableList.of(new Run(0, 100), new Run(0, 100), new Run(0, 100), new Run(0, 100), new Run(5, 100));
        assertThat(UNIVERSAL.pick(amplified)).contains(new Picked(5, ImmutableList.of(0, 1, 2, 3, 4)));

        ImmutableList<Run> similar = ImmutableList.of(new Run(0, 10), new Run(0, 10), new Run(0, 15), new Run(4, 1000), new Run(5, 10_000));
        assertThat(UNIVERSAL.pick(similar)).contains(new Picked(3, ImmutableList.of(0, 1, 2)));

        ImmutableList<Run> many = ImmutableList.of(
                new Run(0, 1), new Run(0, 10), new Run(0, 100), new Run(0, 1_000), new Run(4, 10_000), new Run(5, 100_000));
        assertThat(UNIVERSAL.pick(many)).contains(new Picked(4, ImmutableList.of(0, 1, 2, 3, 4)));
    }
}
