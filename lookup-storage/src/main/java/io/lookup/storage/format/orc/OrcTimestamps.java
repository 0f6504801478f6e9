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
package io.lookup.storage.format.orc;

import io.lookup.storage.format.column.BlockTransform;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;

import java.util.TimeZone;

import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.DateTimeEncoding.unpackMillisUtc;
import static io.trino.spi.type.LongTimestampWithTimeZone.fromEpochMillisAndFraction;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static io.trino.spi.type.Timestamps.MICROSECONDS_PER_MILLISECOND;
import static java.lang.Math.floorMod;

/**
 * What Trino's reader makes of times is not always what ORC's own library makes of them.
 */
final class OrcTimestamps
{
    private static final long MILLISECONDS_PER_SECOND = 1_000;
    private static final long MICROSECONDS_PER_SECOND = 1_000_000;

    private OrcTimestamps() {}

    /**
     * Times before 1970 with less than a millisecond behind the full second: writers of ORC count their seconds as they are, but for all other fractions one
     * too many. Trino's reader takes a second off for every fraction.
     */
    static BlockTransform repair(TimestampType type)
    {
        return BlockTransform.ofValues(type, (block, position, builder) -> {
            if (type.isShort()) {
                long micros = type.getLong(block, position);
                type.writeLong(builder, isEarly(micros, 0) ? micros + MICROSECONDS_PER_SECOND : micros);
                return;
            }
            LongTimestamp value = (LongTimestamp) type.getObject(block, position);
            boolean early = isEarly(value.getEpochMicros(), value.getPicosOfMicro());
            type.writeObject(builder, early ? new LongTimestamp(value.getEpochMicros() + MICROSECONDS_PER_SECOND, value.getPicosOfMicro()) : value);
        });
    }

    private static boolean isEarly(long micros, int picosOfMicro)
    {
        long fraction = floorMod(micros, MICROSECONDS_PER_SECOND);
        return micros + MICROSECONDS_PER_SECOND < 0 && fraction < MICROSECONDS_PER_MILLISECOND && (fraction > 0 || picosOfMicro > 0);
    }

    /**
     * As {@link #repair(TimestampType)}.
     */
    static BlockTransform repair(TimestampWithTimeZoneType type)
    {
        return BlockTransform.ofValues(type, (block, position, builder) -> {
            LongTimestampWithTimeZone value = (LongTimestampWithTimeZone) type.getObject(block, position);
            long millis = value.getEpochMillis();
            boolean early = millis + MILLISECONDS_PER_SECOND < 0 && floorMod(millis, MILLISECONDS_PER_SECOND) == 0 && value.getPicosOfMilli() > 0;
            type.writeObject(builder, early ? fromEpochMillisAndFraction(millis + MILLISECONDS_PER_SECOND, value.getPicosOfMilli(), UTC_KEY) : value);
        });
    }

    /**
     * Takes what the clocks of a zone showed for UTC.
     */
    static BlockTransform shift(TimestampWithTimeZoneType type, TimeZone zone)
    {
        return BlockTransform.ofValues(type, (block, position, builder) -> {
            if (type.isShort()) {
                long millis = unpackMillisUtc(type.getLong(block, position));
                type.writeLong(builder, packDateTimeWithZone(millis + zone.getOffset(millis), UTC_KEY));
                return;
            }
            LongTimestampWithTimeZone value = (LongTimestampWithTimeZone) type.getObject(block, position);
            long millis = value.getEpochMillis();
            type.writeObject(builder, fromEpochMillisAndFraction(millis + zone.getOffset(millis), value.getPicosOfMilli(), UTC_KEY));
        });
    }
}
