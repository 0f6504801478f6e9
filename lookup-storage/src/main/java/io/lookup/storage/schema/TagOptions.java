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

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.OptionalInt;

import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/**
 * Options of the tags that a commit makes by itself.
 */
public final class TagOptions
{
    private final OptionMap values;

    TagOptions(OptionMap values)
    {
        this.values = requireNonNull(values, "values is null");
    }

    public enum Creation
    {
        NONE,
        PROCESS_TIME,
        WATERMARK,
        /** by the jobs of other engines, at their end */
        BATCH,
    }

    public enum Format
    {
        WITH_DASHES,
        WITHOUT_DASHES,
        WITHOUT_DASHES_AND_SPACES,
    }

    public enum Period
    {
        DAILY,
        HOURLY,
        TWO_HOURS,
    }

    public Creation creation()
    {
        return parse("tag.automatic-creation", Creation.NONE, Creation.class);
    }

    public Period period()
    {
        return parse("tag.creation-period", Period.DAILY, Period.class);
    }

    public Format format()
    {
        return parse("tag.period-formatter", Format.WITH_DASHES, Format.class);
    }

    /**
     * Takes the place of {@link #period}.
     */
    public Optional<Duration> periodDuration()
    {
        return values.getDuration("tag.creation-period-duration");
    }

    public Duration delay()
    {
        return values.getDuration("tag.creation-delay").orElse(Duration.ZERO);
    }

    /**
     * How many tags of this kind stay; all if empty.
     */
    public OptionalInt maxRetained()
    {
        int count = values.getInt("tag.num-retained-max", 0);
        return count > 0 ? OptionalInt.of(count) : OptionalInt.empty();
    }

    /**
     * Whether periods without a commit get a tag later, one with each commit.
     */
    public boolean completes()
    {
        return values.getBoolean("tag.automatic-completion", false);
    }

    /**
     * Whether a commit removes tags whose time to live has passed.
     */
    public boolean expires()
    {
        return values.getBoolean("tag.time-expire-enabled", true) && (creation() != Creation.NONE || values.get("tag.default-time-retained").isPresent());
    }

    /**
     * The zone in which periods begin.
     */
    public ZoneId zone()
    {
        return creation() == Creation.WATERMARK ?
                zone("sink.watermark-time-zone", ZoneOffset.UTC) :
                zone("sink.process-time-zone", ZoneId.systemDefault());
    }

    private ZoneId zone(String key, ZoneId defaultZone)
    {
        try {
            return values.get(key).map(String::trim).map(ZoneId::of).orElse(defaultZone);
        }
        catch (DateTimeException e) {
            throw new StorageException(StorageErrorCode.INVALID_OPTION, "Option '%s' is no time zone: '%s'".formatted(key, values.get(key).orElse("")), e);
        }
    }

    private <E extends Enum<E>> E parse(String key, E defaultValue, Class<E> type)
    {
        Optional<String> text = values.get(key);
        if (text.isEmpty()) {
            return defaultValue;
        }
        try {
            return Enum.valueOf(type, text.get().trim().toUpperCase(ENGLISH).replace('-', '_'));
        }
        catch (IllegalArgumentException e) {
            throw new StorageException(StorageErrorCode.INVALID_OPTION, "Option '%s' cannot be '%s'".formatted(key, text.get()), e);
        }
    }
}
