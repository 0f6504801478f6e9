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
package io.lookup.storage.lookup.local;

import io.lookup.storage.lookup.LookupStatistics;

/**
 * Lookup files on disks that other packages cannot make.
 */
public final class TestingDisks
{
    private TestingDisks() {}

    /**
     * @param failureRate the share of all reads, writes and moves that fail
     */
    public static LocalLookupFiles failing(LookupFileSettings settings, LookupStatistics statistics, long seed, double failureRate)
    {
        FailingDisk disk = new FailingDisk(seed);
        disk.failureRate = failureRate;
        return new LocalLookupFiles(settings, statistics, disk, System::currentTimeMillis);
    }
}
