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
package io.lookup.benchmark;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * What a benchmark is told: {@code name=value} each, and {@code option.<table option>=value} for the tables.
 */
record BenchmarkArguments(Map<String, String> values)
{
    private static final String OPTION_PREFIX = "option.";

    BenchmarkArguments
    {
        values = ImmutableMap.copyOf(requireNonNull(values, "values is null"));
    }

    /**
     * @throws IllegalArgumentException for an argument of another form, or one that comes twice
     */
    static BenchmarkArguments parse(String[] arguments)
    {
        ImmutableMap.Builder<String, String> parsed = ImmutableMap.builder();
        for (String argument : arguments) {
            int separator = argument.indexOf('=');
            if (separator < 0) {
                throw new IllegalArgumentException("Argument '%s' is not of the form name=value".formatted(argument));
            }
            parsed.put(argument.substring(0, separator), argument.substring(separator + 1));
        }
        return new BenchmarkArguments(parsed.buildOrThrow());
    }

    Optional<String> text(String name)
    {
        return Optional.ofNullable(values.get(name));
    }

    String text(String name, String defaultValue)
    {
        return values.getOrDefault(name, defaultValue);
    }

    List<String> list(String name, String defaultValue)
    {
        return Splitter.on(',').splitToList(text(name, defaultValue));
    }

    int number(String name, int defaultValue)
    {
        return text(name).map(Integer::parseInt).orElse(defaultValue);
    }

    /**
     * These options of a table, and those that the arguments add or replace.
     */
    Map<String, String> tableOptions(Map<String, String> defaults)
    {
        ImmutableMap.Builder<String, String> options = ImmutableMap.<String, String>builder().putAll(defaults);
        values.forEach((key, value) -> {
            if (key.startsWith(OPTION_PREFIX)) {
                options.put(key.substring(OPTION_PREFIX.length()), value);
            }
        });
        return options.buildKeepingLast();
    }
}
