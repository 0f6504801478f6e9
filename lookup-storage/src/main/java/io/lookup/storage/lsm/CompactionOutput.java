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
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.parquet.DataFileWriterFactory.RollingWriter;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Gathers what the steps of one compaction do. Not thread-safe.
 */
final class CompactionOutput
{
    private final List<RollingWriter> writers = new ArrayList<>();
    private final ImmutableList.Builder<DataFileMeta> before = ImmutableList.builder();
    private final ImmutableList.Builder<DataFileMeta> after = ImmutableList.builder();
    private final ImmutableList.Builder<DataFileMeta> changelog = ImmutableList.builder();

    RollingWriter open(RollingWriter writer)
    {
        writers.add(writer);
        return writer;
    }

    void deleted(List<DataFileMeta> files)
    {
        before.addAll(files);
    }

    void upgraded(DataFileMeta file)
    {
        after.add(file);
    }

    void finishData(RollingWriter writer)
            throws IOException
    {
        after.addAll(writer.finish());
    }

    void finishChangelog(RollingWriter writer)
            throws IOException
    {
        changelog.addAll(writer.finish());
    }

    /**
     * A changelog file that was made without a writer. {@link #abort()} leaves it to the caller.
     */
    void copiedChangelog(DataFileMeta file)
    {
        changelog.add(file);
    }

    CompactionResult result()
    {
        return new CompactionResult(before.build(), after.build(), changelog.build(), ImmutableList.of());
    }

    /**
     * Deletes everything that writers wrote; never throws.
     */
    void abort()
    {
        writers.forEach(RollingWriter::abort);
    }
}
