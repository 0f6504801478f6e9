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
package io.lookup.storage.lookup;

import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.parquet.PointReader;
import io.lookup.storage.lookup.local.DataFileLookup;
import io.trino.spi.predicate.TupleDomain;

import java.io.IOException;
import java.util.Optional;

/**
 * Opens the data files that keys are looked up in, with the columns that hits have.
 */
public interface LookupFileReader
{
    /**
     * Rows of a file ascending by key, without those that are deleted in it.
     *
     * @param predicate over the key columns by field id; only skips row groups and pages
     */
    PageStream open(DataFileMeta file, TupleDomain<Integer> predicate)
            throws IOException;

    /**
     * The same columns, for reading single rows.
     *
     * @return empty if the file can only be read from its beginning
     */
    default Optional<PointReader> openPoints(DataFileMeta file)
            throws IOException
    {
        return Optional.empty();
    }

    /**
     * Whether a copy of the file that was made to be looked up is on this node, or could be.
     */
    default LocalCopy localCopy(DataFileMeta file)
    {
        return LocalCopy.IMPOSSIBLE;
    }

    /**
     * The same columns, from a copy of the file.
     *
     * @param fallback for the case that the copy turns out to be unreadable
     * @return empty if there is none any more, or if the local disk fails
     */
    default Optional<FileLookup> openLocal(DataFileMeta file, DataFileLookup fallback)
            throws IOException
    {
        return Optional.empty();
    }

    /**
     * As {@link #openLocal}, from a copy that is made now if there is none: for tests, whose ways do not depend on time.
     *
     * @return empty if the local disk has no room, or fails
     */
    default Optional<FileLookup> makeLocal(DataFileMeta file, DataFileLookup fallback)
            throws IOException
    {
        return Optional.empty();
    }

    /**
     * Has a copy of the file made in the background.
     *
     * @return whether there will be one if nothing fails
     */
    default boolean requestLocal(DataFileMeta file)
    {
        return false;
    }

    enum LocalCopy
    {
        IMPOSSIBLE, ABSENT, PRESENT
    }
}
