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

import org.apache.hadoop.fs.Path;

import java.io.IOException;

/**
 * A store that ignores the condition of a conditional write, as some S3 look-alikes do.
 */
final class OverwritingFileIo
        extends ForwardingFileIo
{
    OverwritingFileIo(FileIo delegate)
    {
        super(delegate);
    }

    @Override
    public boolean createExclusively(Path path, byte[] content)
            throws IOException
    {
        overwrite(path, content);
        return true;
    }
}
