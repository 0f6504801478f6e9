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

import io.lookup.storage.format.manifest.DataFileMeta;

import static java.util.Objects.requireNonNull;

/**
 * A data file and the columns of it that are looked up.
 *
 * @param dataFile full path of the data file
 */
public record LookupFileId(String dataFile, DataFileMeta file, LookupLayout layout)
{
    public LookupFileId
    {
        requireNonNull(dataFile, "dataFile is null");
        requireNonNull(file, "file is null");
        requireNonNull(layout, "layout is null");
    }

    String identity()
    {
        return LookupFileFormat.identity(dataFile, layout);
    }

    /**
     * The name of a copy that lies beside the data file.
     */
    String remoteName()
    {
        return LookupFileFormat.remoteName(dataFile, layout);
    }

    boolean hasRemoteCopy()
    {
        return file.extraFiles().contains(remoteName());
    }

    String localName()
    {
        return LookupFileFormat.name(dataFile, identity());
    }
}
