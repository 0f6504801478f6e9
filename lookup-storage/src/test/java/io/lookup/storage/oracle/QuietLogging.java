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

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * Keeps Paimon's and Hadoop's information messages out of test output; errors still appear.
 */
final class QuietLogging
{
    // java.util.logging forgets the level of a logger that nobody holds
    private static final List<Logger> HELD = Stream.of("org.apache.paimon", "org.apache.hadoop", "org.apache.parquet")
            .map(Logger::getLogger)
            .collect(ImmutableList.toImmutableList());

    private QuietLogging() {}

    static void install()
    {
        HELD.forEach(logger -> logger.setLevel(Level.SEVERE));
    }
}
