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
package io.lookup.trino.changes;

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slice;
import io.lookup.trino.handle.ChangeMode;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.function.table.Argument;
import io.trino.spi.function.table.ArgumentSpecification;
import io.trino.spi.function.table.ScalarArgument;
import io.trino.spi.function.table.ScalarArgumentSpecification;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.Type;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import static io.trino.spi.StandardErrorCode.INVALID_FUNCTION_ARGUMENT;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.TimestampWithTimeZoneType.TIMESTAMP_TZ_NANOS;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.lang.String.format;
import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

/**
 * What {@code table_changes} was called with. Each end of the range is given in at most one way; an argument that is
 * NULL is not given.
 *
 * @param incrementalBetween {@code start,end}, each a tag or a snapshot id
 */
record TableChangesArguments(
        SchemaTableName table,
        ChangeMode mode,
        RangeEnd start,
        RangeEnd end,
        Optional<String> incrementalBetween)
{
    static final String FUNCTION_SCHEMA = "system";

    private static final String SCHEMA_NAME = "SCHEMA_NAME";
    private static final String TABLE_NAME = "TABLE_NAME";
    private static final String SNAPSHOT_ID = "_SNAPSHOT_ID";
    private static final String TAG = "_TAG";
    private static final String TIMESTAMP = "_TIMESTAMP";
    private static final String START = "START";
    private static final String END = "END";
    private static final String INCREMENTAL_BETWEEN = "INCREMENTAL_BETWEEN";
    private static final String SCAN_MODE = "SCAN_MODE";

    /**
     * The arguments that name a table, see {@link #table}.
     */
    static final List<ArgumentSpecification> TABLE_SPECIFICATIONS = ImmutableList.of(
            required(SCHEMA_NAME),
            required(TABLE_NAME));

    static final List<ArgumentSpecification> SPECIFICATIONS = ImmutableList.of(
            TABLE_SPECIFICATIONS.getFirst(),
            TABLE_SPECIFICATIONS.getLast(),
            optional(START + SNAPSHOT_ID, BIGINT),
            optional(END + SNAPSHOT_ID, BIGINT),
            optional(START + TAG, VARCHAR),
            optional(END + TAG, VARCHAR),
            // the finest precision: a literal of any precision widens to it, but does not narrow
            optional(START + TIMESTAMP, TIMESTAMP_TZ_NANOS),
            optional(END + TIMESTAMP, TIMESTAMP_TZ_NANOS),
            optional(INCREMENTAL_BETWEEN, VARCHAR),
            optional(SCAN_MODE, VARCHAR));

    TableChangesArguments
    {
        requireNonNull(table, "table is null");
        requireNonNull(mode, "mode is null");
        requireNonNull(start, "start is null");
        requireNonNull(end, "end is null");
        requireNonNull(incrementalBetween, "incrementalBetween is null");
    }

    /**
     * One end of the range; at most one field is present.
     */
    record RangeEnd(String name, Optional<Long> snapshotId, Optional<String> tag, Optional<Long> timeMillis)
    {
        boolean isGiven()
        {
            return snapshotId.isPresent() || tag.isPresent() || timeMillis.isPresent();
        }
    }

    static TableChangesArguments parse(Map<String, Argument> arguments)
    {
        SchemaTableName table = table(arguments);
        RangeEnd start = rangeEnd(arguments, START);
        RangeEnd end = rangeEnd(arguments, END);
        Optional<String> incrementalBetween = text(arguments, INCREMENTAL_BETWEEN);
        if (incrementalBetween.isPresent() && (start.isGiven() || end.isGiven())) {
            throw new TrinoException(INVALID_FUNCTION_ARGUMENT, "incremental_between excludes every other way to give the start and the end");
        }
        return new TableChangesArguments(table, text(arguments, SCAN_MODE).map(TableChangesArguments::mode).orElse(ChangeMode.AUTO), start, end, incrementalBetween);
    }

    static SchemaTableName table(Map<String, Argument> arguments)
    {
        return new SchemaTableName(name(arguments, SCHEMA_NAME), name(arguments, TABLE_NAME));
    }

    private static RangeEnd rangeEnd(Map<String, Argument> arguments, String prefix)
    {
        RangeEnd end = new RangeEnd(
                prefix.toLowerCase(ENGLISH),
                value(arguments, prefix + SNAPSHOT_ID).map(Long.class::cast),
                text(arguments, prefix + TAG),
                value(arguments, prefix + TIMESTAMP).map(value -> ((LongTimestampWithTimeZone) value).getEpochMillis()));
        if (Stream.of(end.snapshotId(), end.tag(), end.timeMillis()).filter(Optional::isPresent).count() > 1) {
            throw new TrinoException(INVALID_FUNCTION_ARGUMENT, format("Give only one of %1$s_snapshot_id, %1$s_tag and %1$s_timestamp", end.name()));
        }
        return end;
    }

    private static ChangeMode mode(String text)
    {
        return Arrays.stream(ChangeMode.values())
                .filter(mode -> mode.name().equalsIgnoreCase(text))
                .findFirst()
                .orElseThrow(() -> new TrinoException(INVALID_FUNCTION_ARGUMENT, format("Bad scan_mode '%s': must be one of %s", text, Arrays.stream(ChangeMode.values())
                        .map(mode -> mode.name().toLowerCase(ENGLISH))
                        .collect(joining(", ")))));
    }

    private static String name(Map<String, Argument> arguments, String argument)
    {
        String name = text(arguments, argument)
                .orElseThrow(() -> new TrinoException(INVALID_FUNCTION_ARGUMENT, format("Argument %s must not be NULL", argument.toLowerCase(ENGLISH))));
        if (name.isEmpty()) {
            throw new TrinoException(INVALID_FUNCTION_ARGUMENT, format("Argument %s must not be empty", argument.toLowerCase(ENGLISH)));
        }
        return name;
    }

    private static Optional<String> text(Map<String, Argument> arguments, String name)
    {
        return value(arguments, name).map(value -> ((Slice) value).toStringUtf8());
    }

    private static Optional<Object> value(Map<String, Argument> arguments, String name)
    {
        return Optional.ofNullable(((ScalarArgument) arguments.get(name)).getValue());
    }

    private static ScalarArgumentSpecification required(String name)
    {
        return ScalarArgumentSpecification.builder()
                .name(name)
                .type(VARCHAR)
                .build();
    }

    private static ScalarArgumentSpecification optional(String name, Type type)
    {
        return ScalarArgumentSpecification.builder()
                .name(name)
                .type(type)
                .defaultValue(null)
                .build();
    }
}
