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

import java.nio.file.Path;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/**
 * @param directory a local folder, which other servers may use too; it need not exist
 * @param maxDiskBytes bound on the bytes of all lookup files
 * @param maxMemoryBytes bound on the bytes of what is kept of them in memory
 * @param retentionMillis a file that was not used for so long is removed
 * @param blockBytes size of a block before compression
 * @param copyThreads how many lookup files of data files that are there may be made at a time; with 0 none is made in the background
 */
public record LookupFileSettings(Path directory, long maxDiskBytes, long maxMemoryBytes, long retentionMillis, LookupCompression compression, int blockBytes, int copyThreads)
{
    public static final int DEFAULT_BLOCK_BYTES = 16 << 10;
    public static final int DEFAULT_COPY_THREADS = 1;

    public LookupFileSettings(Path directory, long maxDiskBytes, long maxMemoryBytes, long retentionMillis, LookupCompression compression, int blockBytes)
    {
        this(directory, maxDiskBytes, maxMemoryBytes, retentionMillis, compression, blockBytes, DEFAULT_COPY_THREADS);
    }

    public LookupFileSettings
    {
        requireNonNull(directory, "directory is null");
        checkArgument(maxDiskBytes >= 0, "maxDiskBytes is negative");
        checkArgument(maxMemoryBytes >= 0, "maxMemoryBytes is negative");
        checkArgument(retentionMillis >= 0, "retentionMillis is negative");
        requireNonNull(compression, "compression is null");
        checkArgument(blockBytes > 0, "blockBytes is not positive");
        checkArgument(copyThreads >= 0, "copyThreads is negative");
    }
}
