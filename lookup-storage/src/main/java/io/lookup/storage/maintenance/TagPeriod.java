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
package io.lookup.storage.maintenance;

import com.google.common.math.LongMath;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.TagOptions;
import io.lookup.storage.schema.TagOptions.Format;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.util.Optional;

import static java.lang.String.format;
import static java.math.RoundingMode.DOWN;
import static java.util.Objects.requireNonNull;

/**
 * The periods that tags are named after, as Paimon names them.
 *
 * @param length of a period
 * @param formatter of a period's begin
 * @param daily whether names have no time
 */
record TagPeriod(Duration length, DateTimeFormatter formatter, boolean daily)
{
    TagPeriod
    {
        requireNonNull(length, "length is null");
        requireNonNull(formatter, "formatter is null");
    }

    /**
     * @throws StorageException INVALID_OPTION for a delay that is not shorter than a period
     */
    static TagPeriod of(TagOptions options)
    {
        TagPeriod period = options.periodDuration()
                .map(length -> new TagPeriod(length, formatter("uuuuMMddHHmm"), false))
                .orElseGet(() -> switch (options.period()) {
                    case DAILY -> new TagPeriod(Duration.ofDays(1), formatter(options.format() == Format.WITH_DASHES ? "uuuu-MM-dd" : "uuuuMMdd"), true);
                    case HOURLY -> new TagPeriod(Duration.ofHours(1), formatter(switch (options.format()) {
                        case WITH_DASHES -> "uuuu-MM-dd HH";
                        case WITHOUT_DASHES -> "uuuuMMdd HH";
                        case WITHOUT_DASHES_AND_SPACES -> "uuuuMMddHH";
                    }), false);
                    case TWO_HOURS -> new TagPeriod(Duration.ofHours(2), formatter("uuuu-MM-dd HH"), false);
                });
        if (period.length.compareTo(options.delay()) <= 0) {
            throw new StorageException(StorageErrorCode.INVALID_OPTION, format("Option 'tag.creation-delay' is %s, and must be shorter than a period of %s", options.delay(), period.length));
        }
        return period;
    }

    private static DateTimeFormatter formatter(String pattern)
    {
        DateTimeFormatterBuilder builder = new DateTimeFormatterBuilder().appendPattern(pattern);
        if (!pattern.contains("mm")) {
            // a name without minutes is of a full hour
            builder.parseDefaulting(ChronoField.MINUTE_OF_HOUR, 0);
        }
        return builder.toFormatter().withResolverStyle(ResolverStyle.STRICT);
    }

    /**
     * The name of the period that begins then.
     */
    String name(LocalDateTime begin)
    {
        return formatter.format(begin);
    }

    /**
     * When the period of a name begins; empty for names that are none of a period.
     */
    Optional<LocalDateTime> begin(String name)
    {
        try {
            return Optional.of(daily ? LocalDate.parse(name.split(" ", 2)[0], formatter).atStartOfDay() : LocalDateTime.parse(name, formatter));
        }
        catch (DateTimeException _) {
            return Optional.empty();
        }
    }

    /**
     * The last period that is over.
     */
    LocalDateTime lastCompleted(LocalDateTime time)
    {
        long millis = time.toInstant(ZoneOffset.UTC).toEpochMilli();
        long begin = LongMath.divide(millis, length.toMillis(), DOWN) * length.toMillis();
        return LocalDateTime.ofEpochSecond(Math.floorDiv(begin, 1000L), Math.floorMod(begin, 1000) * 1_000_000, ZoneOffset.UTC).minus(length);
    }
}
