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
package io.lookup.storage.schema;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;

import java.util.List;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * A key {@code fields.<column>[,<column>].<suffix>}.
 */
record FieldOptionKey(List<String> columns, String suffix)
{
    private static final Splitter COLUMNS = Splitter.on(',');

    FieldOptionKey
    {
        columns = ImmutableList.copyOf(columns);
        requireNonNull(suffix, "suffix is null");
    }

    /**
     * Empty if the key is none. Column names may hold dots: suffixes do not.
     */
    static Optional<FieldOptionKey> parse(String key)
    {
        int suffixStart = key.lastIndexOf('.') + 1;
        if (!key.startsWith(CoreOptions.FIELDS_PREFIX) || suffixStart <= CoreOptions.FIELDS_PREFIX.length()) {
            return Optional.empty();
        }
        List<String> columns = COLUMNS.splitToList(key.substring(CoreOptions.FIELDS_PREFIX.length(), suffixStart - 1));
        return Optional.of(new FieldOptionKey(columns, key.substring(suffixStart)));
    }
}
