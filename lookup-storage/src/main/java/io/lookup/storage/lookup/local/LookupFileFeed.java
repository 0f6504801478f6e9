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

import com.google.common.collect.ImmutableList;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.parquet.DataFileListener;
import io.trino.spi.Page;
import org.apache.hadoop.fs.Path;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * Writes local lookup files from the rows of data files while these are written. Not thread-safe.
 */
final class LookupFileFeed
        implements DataFileListener
{
    private final LocalLookupFiles files;
    private final LookupLayout layout;
    private final Optional<FileIo> remote;

    private final List<String> started = new ArrayList<>();
    private Optional<LocalLookupWriter> writer = Optional.empty();

    LookupFileFeed(LocalLookupFiles files, LookupLayout layout, Optional<FileIo> remote)
    {
        this.files = requireNonNull(files, "files is null");
        this.layout = requireNonNull(layout, "layout is null");
        this.remote = requireNonNull(remote, "remote is null");
    }

    @Override
    public void started(Path file)
    {
        String name = file.toString();
        started.add(name);
        writer = files.write(name, layout);
    }

    @Override
    public void written(Page page, int offset, int count)
    {
        writer.ifPresent(current -> current.write(layout.project(page), offset, count));
    }

    @Override
    public List<String> finished(DataFileMeta file)
    {
        Optional<LocalFile> complete = writer.flatMap(current -> current.finishFile(file.rowCount(), remote.isPresent()));
        writer = Optional.empty();
        if (complete.isEmpty() || remote.isEmpty()) {
            return ImmutableList.of();
        }
        return files.upload(complete.get(), layout, remote.get()).map(ImmutableList::of).orElse(ImmutableList.of());
    }

    @Override
    public void aborted()
    {
        writer.ifPresent(LocalLookupWriter::abort);
        writer = Optional.empty();
        started.forEach(files::drop);
    }
}
