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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A table's options by key, each parsed when it is asked for.
 */
final class OptionMap
{
    private final Map<String, String> options;

    OptionMap(Map<String, String> options)
    {
        this.options = ImmutableMap.copyOf(options);
    }

    Map<String, String> asMap()
    {
        return options;
    }

    Optional<String> get(String key)
    {
        return Optional.ofNullable(options.get(key));
    }

    int getInt(String key, int defaultValue)
    {
        String value = options.get(key);
        return value == null ? defaultValue : OptionValues.parseInt(key, value);
    }

    boolean getBoolean(String key, boolean defaultValue, String... fallbackKeys)
    {
        String value = options.get(key);
        if (value != null) {
            return OptionValues.parseBoolean(key, value);
        }
        for (String fallbackKey : fallbackKeys) {
            String fallback = options.get(fallbackKey);
            if (fallback != null) {
                return OptionValues.parseBoolean(fallbackKey, fallback);
            }
        }
        return defaultValue;
    }

    OptionalLong getSize(String key)
    {
        String value = options.get(key);
        return value == null ? OptionalLong.empty() : OptionalLong.of(OptionValues.parseSize(key, value));
    }

    Optional<Duration> getDuration(String key)
    {
        return get(key).map(value -> OptionValues.parseDuration(key, value));
    }

    <E extends Enum<E>> E getEnum(String key, E defaultValue, Class<E> type)
    {
        return get(key).map(value -> OptionValues.parseEnum(key, value, type)).orElse(defaultValue);
    }

    List<String> getList(String key)
    {
        return get(key).map(OptionValues::parseList).orElse(ImmutableList.of());
    }
}
