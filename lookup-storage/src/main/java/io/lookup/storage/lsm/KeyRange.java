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
package io.lookup.storage.lsm;

import io.airlift.slice.Slice;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.manifest.DataFileMeta;

import java.util.Comparator;
import java.util.List;

import static java.util.Objects.requireNonNull;

/**
 * A file with its bounds in comparable form, both inclusive.
 */
record KeyRange(DataFileMeta file, Slice min, Slice max)
{
    static final Comparator<KeyRange> BY_MIN_THEN_MAX = Comparator.comparing(KeyRange::min).thenComparing(KeyRange::max);

    KeyRange
    {
        requireNonNull(file, "file is null");
        requireNonNull(min, "min is null");
        requireNonNull(max, "max is null");
    }

    /**
     * Ranges of the files in ascending order of their least, then their greatest key.
     */
    static List<KeyRange> sorted(List<DataFileMeta> files, KeyEncoder keyEncoder)
    {
        return files.stream()
                .map(file -> new KeyRange(file, keyEncoder.encode(file.minKey()), keyEncoder.encode(file.maxKey())))
                .sorted(BY_MIN_THEN_MAX)
                .toList();
    }
}
