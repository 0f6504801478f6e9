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
package io.lookup.storage.lookup;

import io.lookup.storage.lookup.local.LocalLookupFiles;
import io.lookup.storage.lookup.local.LookupCompression;
import io.lookup.storage.lookup.local.LookupFileSettings;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * Lookups by the way that the system property {@code lookup.way} names ({@code pages}, {@code scan} or {@code local}), so that any test of tables can be run with each.
 */
public final class TestingLookups
{
    private TestingLookups() {}

    public static LookupResources forced()
    {
        String way = System.getProperty("lookup.way");
        return way == null ? new LookupResources() : new LookupResources(LookupWayChooser.always(LookupWay.valueOf(way.toUpperCase(Locale.ENGLISH))));
    }

    /**
     * A local disk for lookups if they are to use one. They stay open until the process ends, as those of a server do.
     */
    public static Optional<LocalLookupFiles> files(Path directory)
    {
        if (!"local".equals(System.getProperty("lookup.way"))) {
            return Optional.empty();
        }
        LookupFileSettings settings = new LookupFileSettings(directory.resolve("lookup"), 1L << 30, 1 << 20, 600_000, LookupCompression.LZ4, 1 << 10);
        return Optional.of(new LocalLookupFiles(settings, new LookupStatistics()));
    }
}
