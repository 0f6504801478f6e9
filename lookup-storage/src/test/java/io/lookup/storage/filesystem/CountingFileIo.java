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
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * Remembers the name of every file that was read, once a read.
 */
public final class CountingFileIo
        extends ForwardingFileIo
{
    private final List<String> opened = new CopyOnWriteArrayList<>();

    public CountingFileIo(FileIo delegate)
    {
        super(delegate);
    }

    @Override
    public FSDataInputStream open(Path path, long length)
            throws IOException
    {
        opened.add(path.getName());
        return super.open(path, length);
    }

    @Override
    public byte[] readFully(Path path)
            throws IOException
    {
        opened.add(path.getName());
        return super.readFully(path);
    }

    public void reset()
    {
        opened.clear();
    }

    public List<String> opened()
    {
        return List.copyOf(opened);
    }

    public List<String> opened(Predicate<String> name)
    {
        return opened.stream().filter(name).collect(toImmutableList());
    }
}
