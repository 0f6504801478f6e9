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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.lookup.local.LocalLookupFiles;
import io.lookup.storage.lookup.local.LookupCompression;
import io.lookup.storage.lookup.local.LookupFileSettings;
import io.lookup.storage.lookup.local.TestingDisks;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * Ways to look up that tests force. The system property {@code lookup.way} names one (in lower case), so that any test of tables can be
 * run with each.
 */
public enum TestingLookups
{
    /**
     * As costs say, without local lookup files.
     */
    CHOSEN(Optional.empty()),
    PAGES(Optional.of(LookupWay.PAGES)),
    SCAN(Optional.of(LookupWay.SCAN)),
    LOCAL(Optional.of(LookupWay.LOCAL)),
    /**
     * As costs say, with local lookup files that are made in the background.
     */
    BACKGROUND(Optional.empty()),
    /**
     * Two servers on one cache directory take statements at random, and lookup files are put beside data files for the other one.
     */
    REMOTE(Optional.of(LookupWay.LOCAL)),
    /**
     * As {@link #REMOTE}, with room for a file or two, and for hardly a block in memory.
     */
    TINY(Optional.of(LookupWay.LOCAL)),
    /**
     * As {@link #REMOTE}, with disks that fail at random.
     */
    FAILING(Optional.of(LookupWay.LOCAL)),
    /**/;

    private static final int BLOCK_BYTES = 1 << 10;
    private static final long RETENTION_MILLIS = 600_000;
    private static final double FAILURE_RATE = 0.05;

    private final Optional<LookupWay> way;
    private final LookupStatistics statistics = new LookupStatistics();

    TestingLookups(Optional<LookupWay> way)
    {
        this.way = way;
    }

    public static TestingLookups configured()
    {
        return Optional.ofNullable(System.getProperty("lookup.way"))
                .map(name -> valueOf(name.toUpperCase(Locale.ENGLISH)))
                .orElse(CHOSEN);
    }

    public static LookupResources forced()
    {
        return configured().resources();
    }

    public LookupResources resources()
    {
        return way.map(forced -> new LookupResources(LookupWayChooser.always(forced))).orElseGet(LookupResources::new);
    }

    /**
     * What tables need for it.
     */
    public Map<String, String> tableOptions()
    {
        return servers() > 1 ? ImmutableMap.of("lookup.remote-file.enabled", "true") : ImmutableMap.of();
    }

    /**
     * The local lookup files of the servers; empty if these have none. They stay open until the process ends, as those of a server do.
     */
    public List<Optional<LocalLookupFiles>> files(Path directory)
    {
        if (servers() == 0) {
            return ImmutableList.of(Optional.empty());
        }
        Path cache = directory.resolve("lookup");
        LookupFileSettings settings = this == TINY ?
                new LookupFileSettings(cache, 6_000, 2_000, RETENTION_MILLIS, LookupCompression.LZ4, BLOCK_BYTES) :
                new LookupFileSettings(cache, 1L << 30, 1 << 20, RETENTION_MILLIS, LookupCompression.LZ4, BLOCK_BYTES);
        return IntStream.range(0, servers())
                .mapToObj(server -> Optional.of(this == FAILING ? TestingDisks.failing(settings, statistics, server, FAILURE_RATE) : new LocalLookupFiles(settings, statistics)))
                .collect(toImmutableList());
    }

    private int servers()
    {
        return switch (this) {
            case CHOSEN, PAGES, SCAN -> 0;
            case LOCAL, BACKGROUND -> 1;
            case REMOTE, TINY, FAILING -> 2;
        };
    }

    /**
     * What all servers of this kind did.
     */
    public LookupStatistics statistics()
    {
        return statistics;
    }
}
