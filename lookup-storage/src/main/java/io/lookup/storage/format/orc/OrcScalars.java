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
import io.lookup.storage.format.column.ColumnEvolution;
import io.lookup.storage.format.column.ColumnEvolution.ScalarReads;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.type.CharType;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;

import java.util.TimeZone;

import static io.trino.spi.type.CharType.createCharType;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.TimeType.TIME_MILLIS;
import static io.trino.spi.type.TimestampType.TIMESTAMP_MICROS;
import static io.trino.spi.type.TimestampType.TIMESTAMP_MILLIS;
import static io.trino.spi.type.TimestampType.TIMESTAMP_NANOS;
import static io.trino.spi.type.TimestampWithTimeZoneType.TIMESTAMP_TZ_MICROS;
import static io.trino.spi.type.TimestampWithTimeZoneType.TIMESTAMP_TZ_MILLIS;
import static io.trino.spi.type.TimestampWithTimeZoneType.TIMESTAMP_TZ_NANOS;

/**
 * How ORC files of Paimon keep single values. Instants are written shifted by the time zone of the writer's JVM, unless the option
 * {@code orc.timestamp-ltz.legacy.type} is false; as Paimon does, they are shifted back by that of the reader's.
 */
final class OrcScalars
        implements ScalarReads
{
    private static final String LEGACY_INSTANTS = "orc.timestamp-ltz.legacy.type";
    private static final long PICOSECONDS_PER_MILLISECOND = 1_000_000_000;

    private static final BlockTransform TIMES = BlockTransform.ofValues(TIME_MILLIS, (block, position, builder) ->
            TIME_MILLIS.writeLong(builder, INTEGER.getInt(block, position) * PICOSECONDS_PER_MILLISECOND));

    private final boolean legacyInstants;
    private final TimeZone writerZone = TimeZone.getDefault();

    OrcScalars(TableSchema fileSchema)
    {
        this.legacyInstants = Boolean.parseBoolean(fileSchema.options().getOrDefault(LEGACY_INSTANTS, "true"));
    }

    /**
     * Whether a domain can be held against what stripes tell of their values: of fractions and times they may tell something else.
     */
    static boolean hasTrustedStatistics(DataType type)
    {
        return switch (type.root()) {
            case TINYINT, SMALLINT, INTEGER, BIGINT, DATE, VARCHAR, DECIMAL -> true;
            default -> false;
        };
    }

    @Override
    public ColumnEvolution read(ScalarType type)
    {
        return switch (type.root()) {
            // padded with spaces
            case CHAR -> new ColumnEvolution(createCharType(Math.min(type.precision(), CharType.MAX_LENGTH)), BlockTransform.IDENTITY);
            case TIME -> new ColumnEvolution(INTEGER, TIMES);
            case TIMESTAMP -> {
                TimestampType stored = storedTimestamp(type.precision());
                yield new ColumnEvolution(stored, stored.equals(TIMESTAMP_MILLIS) ? BlockTransform.IDENTITY : OrcTimestamps.repair(stored));
            }
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> {
                TimestampWithTimeZoneType stored = storedInstant(type.precision());
                BlockTransform repair = stored.isShort() ? BlockTransform.IDENTITY : OrcTimestamps.repair(stored);
                yield new ColumnEvolution(stored, repair.andThen(legacyInstants && !isUtc() ? OrcTimestamps.shift(stored, writerZone) : BlockTransform.IDENTITY));
            }
            default -> new ColumnEvolution(ColumnEvolution.plainType(type), BlockTransform.IDENTITY);
        };
    }

    private boolean isUtc()
    {
        return writerZone.hasSameRules(TimeZone.getTimeZone("UTC"));
    }

    private static TimestampType storedTimestamp(int precision)
    {
        if (precision <= 3) {
            return TIMESTAMP_MILLIS;
        }
        return precision <= 6 ? TIMESTAMP_MICROS : TIMESTAMP_NANOS;
    }

    private static TimestampWithTimeZoneType storedInstant(int precision)
    {
        if (precision <= 3) {
            return TIMESTAMP_TZ_MILLIS;
        }
        return precision <= 6 ? TIMESTAMP_TZ_MICROS : TIMESTAMP_TZ_NANOS;
    }
}
