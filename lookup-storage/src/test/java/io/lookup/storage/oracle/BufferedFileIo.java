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
package io.lookup.storage.oracle;

import org.apache.paimon.fs.ByteArraySeekableStream;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.SeekableInputStream;
import org.apache.paimon.fs.local.LocalFileIO;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;

/**
 * The local file system with files that are read as a whole. Paimon's reader of manifests looks for the end of their headers byte by byte,
 * each with a system call of its own, which took a third of the time of a history.
 */
final class BufferedFileIo
        extends LocalFileIO
{
    private static final long serialVersionUID = 1;
    private static final long MAX_BUFFERED_BYTES = 1 << 22;

    @Override
    public SeekableInputStream newInputStream(Path path)
            throws IOException
    {
        java.nio.file.Path file = toFile(path).toPath();
        try {
            return Files.size(file) <= MAX_BUFFERED_BYTES ? new ByteArraySeekableStream(Files.readAllBytes(file)) : super.newInputStream(path);
        }
        catch (NoSuchFileException e) {
            throw new FileNotFoundException(e.getMessage());
        }
    }
}
