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
package io.lookup.storage.format.parquet;

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import org.junit.jupiter.api.Test;

import java.util.Random;

import static io.airlift.slice.Slices.utf8Slice;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestStatisticsMode
{
    @Test
    void testTruncation()
    {
        StatisticsMode mode = StatisticsMode.parse("metadata.stats-mode", "TRUNCATE(16)");
        assertThat(mode.lowerBound(utf8Slice("a string longer than sixteen chars"))).isEqualTo(utf8Slice("a string longer "));
        assertThat(mode.upperBound(utf8Slice("a string longer than sixteen chars"))).contains(utf8Slice("a string longer!"));
        assertThat(mode.upperBound(utf8Slice("exactly sixteen!"))).contains(utf8Slice("exactly sixteen!"));
        assertThat(mode.lowerBound(utf8Slice(""))).isEqualTo(utf8Slice(""));
        assertThat(mode.upperBound(utf8Slice(""))).contains(utf8Slice(""));
    }

    @Test
    void testCharactersThatCannotBeIncremented()
    {
        StatisticsMode mode = StatisticsMode.parse("metadata.stats-mode", "truncate(2)");
        String greatest = new String(Character.toChars(Character.MAX_CODE_POINT));
        assertThat(mode.upperBound(utf8Slice("a" + greatest + "x"))).contains(utf8Slice("b"));
        assertThat(mode.upperBound(utf8Slice(greatest.repeat(3)))).isEmpty();
        // the next number is a surrogate, which as a string would be a question mark
        assertThat(mode.upperBound(utf8Slice("a\uD7FFx"))).contains(utf8Slice("a\uE000"));
        assertThat(mode.lowerBound(utf8Slice(greatest.repeat(3)))).isEqualTo(utf8Slice(greatest.repeat(2)));
    }

    @Test
    void testBoundsEncloseValues()
    {
        Random random = new Random(1);
        int[] alphabet = {0, 'a', 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF};
        for (int round = 0; round < 10_000; round++) {
            StatisticsMode mode = new StatisticsMode(StatisticsMode.Kind.TRUNCATE, 1 + random.nextInt(4));
            StringBuilder text = new StringBuilder();
            for (int length = random.nextInt(7); length > 0; length--) {
                text.appendCodePoint(alphabet[random.nextInt(alphabet.length)]);
            }
            io.airlift.slice.Slice value = utf8Slice(text.toString());
            assertThat(mode.lowerBound(value).compareTo(value)).isLessThanOrEqualTo(0);
            mode.upperBound(value).ifPresent(bound -> assertThat(bound.compareTo(value)).isGreaterThanOrEqualTo(0));
            assertThat(mode.lowerBound(value).toStringUtf8().codePoints().count()).isLessThanOrEqualTo(mode.length());
        }
    }

    @Test
    void testParse()
    {
        assertThat(StatisticsMode.parse("k", "None")).isEqualTo(StatisticsMode.NONE);
        assertThat(StatisticsMode.parse("k", "counts")).isEqualTo(StatisticsMode.COUNTS);
        assertThat(StatisticsMode.parse("k", "FULL")).isEqualTo(StatisticsMode.FULL);
        for (String bad : new String[] {"", "truncate", "truncate(0)", "truncate(-1)", "some"}) {
            assertThatThrownBy(() -> StatisticsMode.parse("metadata.stats-mode", bad))
                    .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.INVALID_OPTION))
                    .hasMessageContaining("metadata.stats-mode")
                    .hasMessageContaining("'" + bad + "'");
        }
    }
}
