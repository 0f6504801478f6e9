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
package io.lookup.storage.filesystem;

import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

import static java.util.Objects.requireNonNull;

/**
 * A store that ignores the condition of a conditional write, as some S3 look-alikes do.
 */
final class OverwritingFileIo
        implements FileIo
{
    private final FileIo delegate;

    OverwritingFileIo(FileIo delegate)
    {
        this.delegate = requireNonNull(delegate, "delegate is null");
    }

    @Override
    public boolean createExclusively(Path path, byte[] content)
            throws IOException
    {
        delegate.overwrite(path, content);
        return true;
    }

    @Override
    public FSDataInputStream open(Path path, long length)
            throws IOException
    {
        return delegate.open(path, length);
    }

    @Override
    public OutputStream create(Path path)
            throws IOException
    {
        return delegate.create(path);
    }

    @Override
    public byte[] readFully(Path path)
            throws IOException
    {
        return delegate.readFully(path);
    }

    @Override
    public void overwrite(Path path, byte[] content)
            throws IOException
    {
        delegate.overwrite(path, content);
    }

    @Override
    public boolean exists(Path path)
            throws IOException
    {
        return delegate.exists(path);
    }

    @Override
    public FileEntry status(Path path)
            throws IOException
    {
        return delegate.status(path);
    }

    @Override
    public List<FileEntry> list(Path directory)
            throws IOException
    {
        return delegate.list(directory);
    }

    @Override
    public void createDirectories(Path directory)
            throws IOException
    {
        delegate.createDirectories(directory);
    }

    @Override
    public void deleteFile(Path path)
            throws IOException
    {
        delegate.deleteFile(path);
    }

    @Override
    public void deleteRecursively(Path directory)
            throws IOException
    {
        delegate.deleteRecursively(directory);
    }

    @Override
    public boolean renameDirectory(Path source, Path target)
            throws IOException
    {
        return delegate.renameDirectory(source, target);
    }
}
