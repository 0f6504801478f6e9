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
package io.lookup.storage.format.parquet;

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slice;
import io.airlift.slice.SliceUtf8;
import io.airlift.slice.Slices;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TableSchema;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static java.util.Objects.requireNonNull;

/**
 * What a file's metadata says of a column.
 *
 * @param length characters that {@link Kind#TRUNCATE} keeps of a string; 0 for the others
 */
record StatisticsMode(Kind kind, int length)
{
    enum Kind
    {
        /** nothing */
        NONE,
        /** number of nulls */
        COUNTS,
        /** least and greatest value as well, strings shortened */
        TRUNCATE,
        /** least and greatest value as well, in full */
        FULL,
    }

    static final StatisticsMode NONE = new StatisticsMode(Kind.NONE, 0);
    static final StatisticsMode COUNTS = new StatisticsMode(Kind.COUNTS, 0);
    static final StatisticsMode FULL = new StatisticsMode(Kind.FULL, 0);
    /** mode of key columns, which options do not change */
    static final StatisticsMode KEY = new StatisticsMode(Kind.TRUNCATE, 128);

    private static final Pattern TRUNCATE_PATTERN = Pattern.compile("truncate\\((\\d{1,9})\\)");

    StatisticsMode
    {
        requireNonNull(kind, "kind is null");
    }

    static StatisticsMode parse(String key, String value)
    {
        String mode = value.strip().toLowerCase(Locale.ENGLISH);
        switch (mode) {
            case "none" -> {
                return NONE;
            }
            case "counts" -> {
                return COUNTS;
            }
            case "full" -> {
                return FULL;
            }
            default -> {
                Matcher matcher = TRUNCATE_PATTERN.matcher(mode);
                if (matcher.matches() && Integer.parseInt(matcher.group(1)) > 0) {
                    return new StatisticsMode(Kind.TRUNCATE, Integer.parseInt(matcher.group(1)));
                }
                throw new StorageException(
                        StorageErrorCode.INVALID_OPTION, "Option '%s' has value '%s'; use none, counts, full or truncate(n) with n of at least 1".formatted(key, value));
            }
        }
    }

    static List<StatisticsMode> forDataFiles(CoreOptions options, TableSchema schema, boolean thin, int level)
    {
        Optional<String> perLevel = ParquetWriterOptions.perLevel(options, "metadata.stats-mode.per.level", level);
        return forColumns(options, schema, thin, perLevel.isPresent() ? "metadata.stats-mode.per.level" : "metadata.stats-mode", perLevel.orElseGet(options::statsMode));
    }

    static List<StatisticsMode> forChangelogFiles(CoreOptions options, TableSchema schema, boolean thin)
    {
        Optional<String> own = options.get("changelog-file.stats-mode");
        return forColumns(options, schema, thin, own.isPresent() ? "changelog-file.stats-mode" : "metadata.stats-mode", own.orElseGet(options::statsMode));
    }

    private static List<StatisticsMode> forColumns(CoreOptions options, TableSchema schema, boolean thin, String key, String value)
    {
        StatisticsMode tableMode = parse(key, value);
        OptionalInt keepFirst = ParquetWriterOptions.integer(options, "metadata.stats-keep-first-n-columns");
        // only a thin file takes the key's statistics from the value columns, and so gives these the key's mode
        Set<String> keyNames = thin ? Set.copyOf(schema.trimmedPrimaryKeys()) : Set.of();
        ImmutableList.Builder<StatisticsMode> modes = ImmutableList.builder();
        int counted = 0;
        for (DataField field : schema.fields()) {
            String fieldKey = "fields." + field.name() + ".stats-mode";
            Optional<String> own = options.get(fieldKey);
            if (own.isEmpty() && keyNames.contains(field.name())) {
                modes.add(KEY);
                continue;
            }
            boolean beyond = keepFirst.isPresent() && keepFirst.getAsInt() >= 0 && counted >= keepFirst.getAsInt();
            modes.add(own.map(mode -> parse(fieldKey, mode)).orElse(beyond ? NONE : tableMode));
            counted++;
        }
        return modes.build();
    }

    /**
     * A string that is not greater.
     */
    Slice lowerBound(Slice value)
    {
        return kind == Kind.TRUNCATE ? cut(value) : value;
    }

    /**
     * A string that is not less; empty if there is none of the length.
     */
    Optional<Slice> upperBound(Slice value)
    {
        if (kind != Kind.TRUNCATE) {
            return Optional.of(value);
        }
        Slice cut = cut(value);
        if (cut.length() == value.length()) {
            return Optional.of(value);
        }
        int[] codePoints = cut.toStringUtf8().codePoints().toArray();
        for (int last = codePoints.length - 1; last >= 0; last--) {
            int next = codePoints[last] + 1;
            if (next == Character.MIN_SURROGATE) {
                // surrogates are no characters of their own: as bytes they would be a smaller '?'
                next = Character.MAX_SURROGATE + 1;
            }
            if (next <= Character.MAX_CODE_POINT) {
                codePoints[last] = next;
                return Optional.of(Slices.utf8Slice(new String(codePoints, 0, last + 1)));
            }
        }
        return Optional.empty();
    }

    private Slice cut(Slice value)
    {
        if (value.length() <= length) {
            return value;
        }
        int end = SliceUtf8.offsetOfCodePoint(value, length);
        return end < 0 ? value : value.slice(0, end);
    }
}
