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

import io.lookup.storage.lookup.FileLookup;

import java.io.IOException;

import static java.util.Objects.requireNonNull;

/**
 * The reference of one lookup to its file.
 */
final class LocalFileOwner
        implements LocalFileLookup.Owner
{
    private final LocalLookupFiles files;
    private final LocalFile file;
    private final DataFileLookup fallback;

    LocalFileOwner(LocalLookupFiles files, LocalFile file, DataFileLookup fallback)
    {
        this.files = requireNonNull(files, "files is null");
        this.file = requireNonNull(file, "file is null");
        this.fallback = requireNonNull(fallback, "fallback is null");
    }

    @Override
    public FileLookup fallBack(IOException cause)
            throws IOException
    {
        files.giveUp(file, cause);
        return fallback.open();
    }

    @Override
    public void release()
    {
        files.release(file);
    }
}
