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
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.KnownOption.Kind;
import io.lookup.storage.schema.KnownOption.Support;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import static com.google.common.base.Preconditions.checkState;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

/**
 * Which table options the format knows, and what writing does with each (see {@code known-options.txt}).
 */
public final class OptionCatalog
{
    private static final String RESOURCE = "known-options.txt";
    private static final Splitter COLUMNS = Splitter.on('|').trimResults();
    private static final Splitter VALUES = Splitter.on(',').trimResults();
    private static final String CHOICE_PREFIX = "one of ";
    private static final String LIMITED_PREFIX = "only ";

    private static final Map<String, KnownOption> OPTIONS = load();

    // keys with a free part, by what comes before it
    private static final Map<String, Support> PREFIXES = ImmutableMap.<String, Support>builder()
            .put("parquet.", Support.HARMLESS)
            .put("orc.", Support.HARMLESS)
            .put("avro.", Support.HARMLESS)
            .put("file-index.", Support.HARMLESS)
            .put("metadata.iceberg.", Support.HARMLESS)
            .put("commit.callback.", Support.UNSUPPORTED)
            .put("tag.callback.", Support.UNSUPPORTED)
            .buildOrThrow();

    // options of single columns, by what follows the column's name
    private static final Map<String, KnownOption> FIELD_OPTIONS = ImmutableMap.<String, KnownOption>builder()
            .put("aggregate-function", fieldOption("aggregate-function", Kind.TEXT, Optional.empty(), Support.SUPPORTED))
            .put("ignore-retract", fieldOption("ignore-retract", Kind.BOOLEAN, Optional.of("false"), Support.SUPPORTED))
            .put("distinct", fieldOption("distinct", Kind.BOOLEAN, Optional.of("false"), Support.SUPPORTED))
            .put("list-agg-delimiter", fieldOption("list-agg-delimiter", Kind.TEXT, Optional.of(","), Support.SUPPORTED))
            .put("nested-key", fieldOption("nested-key", Kind.TEXT, Optional.empty(), Support.SUPPORTED))
            .put("nested-sequence-field", fieldOption("nested-sequence-field", Kind.TEXT, Optional.empty(), Support.UNSUPPORTED))
            .put("nested-key-null-strategy", fieldOption("nested-key-null-strategy", Kind.TEXT, Optional.empty(), Support.UNSUPPORTED))
            .put("count-limit", fieldOption("count-limit", Kind.INTEGER, Optional.of("2147483647"), Support.SUPPORTED))
            .put("ts-field", fieldOption("ts-field", Kind.TEXT, Optional.empty(), Support.SUPPORTED))
            .put("sequence-group", fieldOption("sequence-group", Kind.TEXT, Optional.empty(), Support.SUPPORTED))
            .put("stats-mode", fieldOption("stats-mode", Kind.TEXT, Optional.empty(), Support.HARMLESS))
            .buildOrThrow();

    private OptionCatalog() {}

    /**
     * Empty if the format does not know the key.
     */
    public static Optional<KnownOption> find(String key)
    {
        KnownOption option = OPTIONS.get(key);
        if (option != null) {
            return Optional.of(option);
        }
        Optional<FieldOptionKey> fieldKey = FieldOptionKey.parse(key);
        if (fieldKey.isPresent()) {
            return Optional.ofNullable(FIELD_OPTIONS.get(fieldKey.get().suffix()));
        }
        return PREFIXES.entrySet().stream()
                .filter(prefix -> key.startsWith(prefix.getKey()) && key.length() > prefix.getKey().length())
                .findFirst()
                .map(prefix -> new KnownOption(key, Kind.TEXT, ImmutableList.of(), Optional.empty(), prefix.getValue(), ImmutableList.of()));
    }

    public static Iterable<KnownOption> all()
    {
        return OPTIONS.values();
    }

    /**
     * @throws StorageException INVALID_OPTION if the key is unknown (naming the nearest known one) or the value is not of
     * its kind; UNSUPPORTED_FEATURE if writing does not support the value
     */
    public static void check(String key, String value)
    {
        KnownOption option = find(key).orElseThrow(() -> new StorageException(
                StorageErrorCode.INVALID_OPTION,
                "Unknown option '%s'; did you mean '%s'?".formatted(key, nearest(key))));
        if (option.support() == Support.CREATION) {
            throw new StorageException(StorageErrorCode.INVALID_OPTION, "Option '%s' cannot be set here: use the table property for it".formatted(key));
        }
        option.checkValue(key, value);
        checkWritable(option, key, value);
    }

    /**
     * @throws StorageException UNSUPPORTED_FEATURE naming the option and the value
     */
    static void checkWritable(KnownOption option, String key, String value)
    {
        if (option.support() == Support.CREATION || option.isWritable(key, value)) {
            return;
        }
        String hint = switch (option.support()) {
            case LIMITED -> "supported are " + String.join(", ", option.writableValues()) +
                    // files are read by their names
                    (key.endsWith("file.format") ? ". Change it by ALTER TABLE: files that are there stay readable" : "");
            default -> option.defaultValue().map("supported is only the default '%s'"::formatted).orElse("remove the option");
        };
        throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, "Option '%s' = '%s' is not supported for writing; %s".formatted(key, value, hint));
    }

    /**
     * The known key that takes the fewest edits to reach.
     */
    public static String nearest(String key)
    {
        String prefix = "";
        String name = key;
        Iterable<String> candidates = OPTIONS.keySet();
        int suffixStart = key.lastIndexOf('.') + 1;
        if (key.startsWith(CoreOptions.FIELDS_PREFIX) && suffixStart > CoreOptions.FIELDS_PREFIX.length()) {
            prefix = key.substring(0, suffixStart);
            name = key.substring(suffixStart);
            candidates = FIELD_OPTIONS.keySet();
        }
        String nearest = null;
        int fewest = Integer.MAX_VALUE;
        for (String candidate : candidates) {
            int edits = editDistance(name.toLowerCase(Locale.ROOT).replace('_', '-'), candidate);
            if (edits < fewest) {
                nearest = candidate;
                fewest = edits;
            }
        }
        return prefix + requireNonNull(nearest, "nearest is null");
    }

    /**
     * Levenshtein distance.
     */
    private static int editDistance(String first, String second)
    {
        int[] previous = new int[second.length() + 1];
        for (int column = 0; column <= second.length(); column++) {
            previous[column] = column;
        }
        for (int row = 1; row <= first.length(); row++) {
            int[] current = new int[second.length() + 1];
            current[0] = row;
            for (int column = 1; column <= second.length(); column++) {
                int replaced = previous[column - 1] + (first.charAt(row - 1) == second.charAt(column - 1) ? 0 : 1);
                current[column] = Math.min(replaced, Math.min(previous[column], current[column - 1]) + 1);
            }
            previous = current;
        }
        return previous[second.length()];
    }

    private static KnownOption fieldOption(String key, Kind kind, Optional<String> defaultValue, Support support)
    {
        return new KnownOption(key, kind, ImmutableList.of(), defaultValue, support, ImmutableList.of());
    }

    private static Map<String, KnownOption> load()
    {
        ImmutableMap.Builder<String, KnownOption> options = ImmutableMap.builder();
        try (InputStream input = OptionCatalog.class.getResourceAsStream(RESOURCE)) {
            requireNonNull(input, RESOURCE + " is missing");
            for (String line : new String(input.readAllBytes(), UTF_8).split("\n")) {
                if (!line.isBlank() && !line.startsWith("#")) {
                    KnownOption option = parse(line);
                    options.put(option.key(), option);
                }
            }
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return options.buildOrThrow();
    }

    private static KnownOption parse(String line)
    {
        List<String> columns = COLUMNS.splitToList(line);
        checkState(columns.size() == 4, "Not four columns: %s", line);
        String kind = columns.get(1);
        String support = columns.get(3);
        return new KnownOption(
                columns.get(0),
                kind.startsWith(CHOICE_PREFIX) ? Kind.CHOICE : Kind.valueOf(kind.toUpperCase(Locale.ROOT)),
                kind.startsWith(CHOICE_PREFIX) ? VALUES.splitToList(kind.substring(CHOICE_PREFIX.length())) : ImmutableList.of(),
                Optional.of(columns.get(2)).filter(value -> !value.isEmpty()),
                support.startsWith(LIMITED_PREFIX) ? Support.LIMITED : Support.valueOf(support.toUpperCase(Locale.ROOT)),
                support.startsWith(LIMITED_PREFIX) ? VALUES.splitToList(support.substring(LIMITED_PREFIX.length())) : ImmutableList.of());
    }
}
