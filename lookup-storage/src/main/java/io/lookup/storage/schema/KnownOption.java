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
import io.lookup.storage.StorageException;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * A table option that the format knows.
 *
 * @param choices allowed values of kind CHOICE in lower case, else empty
 * @param defaultValue what the format takes if the option is absent; empty if that is nothing, or depends on others
 * @param writableValues values that writing supports in lower case; empty if it supports all, or just the default
 */
public record KnownOption(String key, Kind kind, List<String> choices, Optional<String> defaultValue, Support support, List<String> writableValues)
{
    public KnownOption
    {
        requireNonNull(key, "key is null");
        requireNonNull(kind, "kind is null");
        choices = ImmutableList.copyOf(choices);
        requireNonNull(defaultValue, "defaultValue is null");
        requireNonNull(support, "support is null");
        writableValues = ImmutableList.copyOf(writableValues);
    }

    public enum Kind
    {
        BOOLEAN,
        INTEGER,
        NUMBER,
        SIZE,
        DURATION,
        TEXT,
        CHOICE,
    }

    public enum Support
    {
        /**
         * Works as the format says.
         */
        SUPPORTED,
        /**
         * Tunes, schedules or informs other engines; has no effect on what is written here.
         */
        HARMLESS,
        /**
         * Works with {@link #writableValues()}.
         */
        LIMITED,
        /**
         * Works with its default value only.
         */
        UNSUPPORTED,
        /**
         * Says at creation what the schema itself says afterwards.
         */
        CREATION,
    }

    /**
     * @throws StorageException INVALID_OPTION if the value is not of the option's kind
     */
    public void checkValue(String usedKey, String value)
    {
        normalize(usedKey, value);
    }

    public boolean isWritable(String usedKey, String value)
    {
        return switch (support) {
            case SUPPORTED, HARMLESS -> true;
            case LIMITED -> writableValues.contains(normalize(usedKey, value));
            case UNSUPPORTED -> isDefault(usedKey, value);
            case CREATION -> false;
        };
    }

    private boolean isDefault(String usedKey, String value)
    {
        if (defaultValue.isEmpty()) {
            return value.isBlank();
        }
        return normalize(usedKey, value).equals(normalize(usedKey, defaultValue.get()));
    }

    /**
     * A text that is equal for equal values.
     */
    private String normalize(String usedKey, String value)
    {
        return switch (kind) {
            case BOOLEAN -> Boolean.toString(OptionValues.parseBoolean(usedKey, value));
            case INTEGER -> Long.toString(OptionValues.parseLong(usedKey, value));
            case NUMBER -> Double.toString(OptionValues.parseDouble(usedKey, value));
            case SIZE -> Long.toString(OptionValues.parseSize(usedKey, value));
            case DURATION -> OptionValues.parseDuration(usedKey, value).toString();
            case TEXT -> value.toLowerCase(Locale.ROOT);
            case CHOICE -> OptionValues.parseChoice(usedKey, value, choices);
        };
    }
}
