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

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

/**
 * What lookup files ask of the local disk.
 */
interface LocalDisk
{
    OutputStream create(Path path)
            throws IOException;

    ReadableFile open(Path path)
            throws IOException;

    void move(Path source, Path target)
            throws IOException;

    void delete(Path path)
            throws IOException;

    /**
     * Thread-safe. Its bytes stay readable after the file was deleted. An interrupted thread does not harm others that read.
     */
    interface ReadableFile
            extends Closeable
    {
        long size();

        /**
         * Fills the buffer.
         *
         * @throws IOException also if the file is shorter
         */
        void read(long position, byte[] buffer)
                throws IOException;
    }
}
