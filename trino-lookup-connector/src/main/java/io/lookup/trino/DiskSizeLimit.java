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
package io.lookup.trino;

import io.airlift.units.DataSize;

import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * A bound on disk space, or none.
 *
 * @param size empty if unlimited
 */
public record DiskSizeLimit(Optional<DataSize> size)
{
    private static final String UNLIMITED_TEXT = "unlimited";

    public static final DiskSizeLimit UNLIMITED = new DiskSizeLimit(Optional.empty());

    public DiskSizeLimit
    {
        requireNonNull(size, "size is null");
    }

    /**
     * Called by the configuration library by this name.
     *
     * @throws IllegalArgumentException if the text is neither {@code unlimited} nor a size such as {@code 10GB}
     */
    public static DiskSizeLimit valueOf(String text)
    {
        if (text.equalsIgnoreCase(UNLIMITED_TEXT)) {
            return UNLIMITED;
        }
        return new DiskSizeLimit(Optional.of(DataSize.valueOf(text)));
    }

    @Override
    public String toString()
    {
        return size.map(DataSize::toString).orElse(UNLIMITED_TEXT);
    }
}
