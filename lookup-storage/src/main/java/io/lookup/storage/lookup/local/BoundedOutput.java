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

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

import static java.util.Objects.requireNonNull;

/**
 * A file that takes no more space than it is given.
 */
final class BoundedOutput
        extends OutputStream
{
    private final OutputStream output;
    private final DiskSpace space;
    private final Consumer<Collection<LocalFile>> evictions;
    private long written;

    /**
     * @param evictions gets the files that made way and have left the books
     */
    BoundedOutput(OutputStream output, DiskSpace space, Consumer<Collection<LocalFile>> evictions)
    {
        this.output = requireNonNull(output, "output is null");
        this.space = requireNonNull(space, "space is null");
        this.evictions = requireNonNull(evictions, "evictions is null");
    }

    long written()
    {
        return written;
    }

    @Override
    public void write(int value)
            throws IOException
    {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length)
            throws IOException
    {
        List<LocalFile> evicted = new ArrayList<>();
        boolean reserved = space.reserve(length, evicted);
        evictions.accept(evicted);
        if (!reserved) {
            throw new NoRoomException();
        }
        written += length;
        output.write(bytes, offset, length);
    }

    @Override
    public void flush()
            throws IOException
    {
        output.flush();
    }

    @Override
    public void close()
            throws IOException
    {
        output.close();
    }

    static final class NoRoomException
            extends IOException {}
}
