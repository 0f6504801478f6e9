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
package io.lookup.storage.format.orc;

import io.lookup.storage.format.column.FileRanges;
import io.trino.orc.AbstractOrcDataSource;
import io.trino.orc.OrcDataSourceId;
import io.trino.orc.OrcReaderOptions;
import org.apache.hadoop.fs.Path;

import java.io.IOException;

import static java.util.Objects.requireNonNull;

/**
 * A file of a table for Trino's reader.
 */
final class HadoopOrcDataSource
        extends AbstractOrcDataSource
{
    private final FileRanges ranges;

    HadoopOrcDataSource(FileRanges ranges, Path path, long fileSize, OrcReaderOptions options)
    {
        super(new OrcDataSourceId(path.toString()), fileSize, options);
        this.ranges = requireNonNull(ranges, "ranges is null");
    }

    @Override
    protected void readInternal(long position, byte[] buffer, int bufferOffset, int bufferLength)
            throws IOException
    {
        ranges.read(position, buffer, bufferOffset, bufferLength);
    }

    @Override
    public void close()
            throws IOException
    {
        ranges.close();
    }
}
