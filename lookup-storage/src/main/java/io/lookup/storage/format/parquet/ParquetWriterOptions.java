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

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.CoreOptions;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static java.util.Objects.requireNonNull;

/**
 * How files of one kind and level are encoded, derived from the table's options.
 *
 * @param zstdLevel compression level of zstd
 * @param rowGroupBytes a row group ends once its encoded pages reach this size
 * @param pageLimits when a page ends
 * @param firstPageLimits when the first page of a column chunk ends, by which the encoder decides whether a dictionary pays
 * @param dictionary whether columns start dictionary-encoded
 * @param dictionaryPageBytes a column chunk falls back to plain values once its dictionary exceeds this size
 */
public record ParquetWriterOptions(
        CompressionCodecName codec,
        int zstdLevel,
        long rowGroupBytes,
        PageLimits pageLimits,
        PageLimits firstPageLimits,
        boolean dictionary,
        int dictionaryPageBytes)
{
    /** Finding a key reads a page of each column, so that pages are as small as their number allows. */
    public static final ParquetWriterOptions DEFAULT = new ParquetWriterOptions(
            CompressionCodecName.ZSTD, 1, 128 << 20, new PageLimits(16 << 10, 1_000), new PageLimits(1 << 20, 8_000), true, 1 << 20);

    private static final Pattern SIZE = Pattern.compile("(\\d+)\\s*([a-z]*)");
    private static final Map<String, Integer> SIZE_SHIFTS = ImmutableMap.<String, Integer>builder()
            .put("", 0).put("b", 0).put("bytes", 0)
            .put("k", 10).put("kb", 10).put("kibibytes", 10)
            .put("m", 20).put("mb", 20).put("mebibytes", 20)
            .put("g", 30).put("gb", 30).put("gibibytes", 30)
            .buildOrThrow();

    public ParquetWriterOptions
    {
        requireNonNull(codec, "codec is null");
        requireNonNull(pageLimits, "pageLimits is null");
        requireNonNull(firstPageLimits, "firstPageLimits is null");
    }

    /**
     * @param level level of the LSM tree that is written
     */
    static ParquetWriterOptions forDataFiles(CoreOptions options, int level)
    {
        Optional<String> perLevel = perLevel(options, "file.compression.per.level", level);
        String key = perLevel.isPresent() ? "file.compression.per.level" : "file.compression";
        return create(options, key, perLevel.orElseGet(options::fileCompression));
    }

    static ParquetWriterOptions forChangelogFiles(CoreOptions options)
    {
        Optional<String> compression = options.get("changelog-file.compression");
        String key = compression.isPresent() ? "changelog-file.compression" : "file.compression";
        return create(options, key, compression.orElseGet(options::fileCompression));
    }

    private static ParquetWriterOptions create(CoreOptions options, String key, String compression)
    {
        // Parquet's own option goes before the general one
        Optional<String> own = options.get("parquet.compression");
        return new ParquetWriterOptions(
                own.map(value -> codec("parquet.compression", value)).orElseGet(() -> codec(key, compression)),
                options.zstdLevel(),
                size(options, "file.block-size", size(options, "parquet.block.size", DEFAULT.rowGroupBytes)),
                pageLimits(options, DEFAULT.pageLimits),
                pageLimits(options, DEFAULT.firstPageLimits),
                options.get("parquet.enable.dictionary").map(Boolean::parseBoolean).orElse(true),
                Math.toIntExact(size(options, "parquet.dictionary.page.size", DEFAULT.dictionaryPageBytes)));
    }

    private static PageLimits pageLimits(CoreOptions options, PageLimits defaults)
    {
        return new PageLimits(
                Math.toIntExact(size(options, "parquet.page.size", defaults.bytes)),
                Math.toIntExact(size(options, "parquet.page.row.count.limit", defaults.rows)));
    }

    static CompressionCodecName codec(String key, String value)
    {
        return switch (value.toLowerCase(Locale.ENGLISH)) {
            case "zstd" -> CompressionCodecName.ZSTD;
            case "snappy" -> CompressionCodecName.SNAPPY;
            case "gzip" -> CompressionCodecName.GZIP;
            case "none", "uncompressed" -> CompressionCodecName.UNCOMPRESSED;
            // Parquet's two kinds of LZ4 are each unreadable to some readers, Trino's among them
            case "lz4", "lz4_raw", "lzo", "brotli" -> throw new StorageException(
                    StorageErrorCode.UNSUPPORTED_FEATURE, "Option '%s' is '%s', which cannot be written; use zstd, snappy, gzip or none".formatted(key, value));
            default -> throw new StorageException(
                    StorageErrorCode.INVALID_OPTION, "Option '%s' has unknown value '%s'; use zstd, snappy, gzip or none".formatted(key, value));
        };
    }

    /**
     * Value of an option that maps levels to values, such as {@code 0:avro,3:parquet}.
     */
    static Optional<String> perLevel(CoreOptions options, String key, int level)
    {
        Optional<String> value = options.get(key);
        if (value.isEmpty()) {
            return Optional.empty();
        }
        try {
            Map<String, String> values = Splitter.on(',').trimResults().omitEmptyStrings().withKeyValueSeparator(Splitter.on(':').trimResults().limit(2)).split(value.get());
            return Optional.ofNullable(values.get(Integer.toString(level)));
        }
        catch (IllegalArgumentException e) {
            throw new StorageException(StorageErrorCode.INVALID_OPTION, "Option '%s' has value '%s'; use level:value pairs such as 0:value,3:value".formatted(key, value.get()), e);
        }
    }

    static OptionalInt integer(CoreOptions options, String key)
    {
        Optional<String> value = options.get(key);
        if (value.isEmpty()) {
            return OptionalInt.empty();
        }
        try {
            return OptionalInt.of(Integer.parseInt(value.get().strip()));
        }
        catch (NumberFormatException e) {
            throw new StorageException(StorageErrorCode.INVALID_OPTION, "Option '%s' has value '%s'; use a whole number".formatted(key, value.get()), e);
        }
    }

    private static long size(CoreOptions options, String key, long defaultValue)
    {
        Optional<String> value = options.get(key);
        if (value.isEmpty()) {
            return defaultValue;
        }
        Matcher matcher = SIZE.matcher(value.get().strip().toLowerCase(Locale.ENGLISH));
        Integer shift = matcher.matches() ? SIZE_SHIFTS.get(matcher.group(2)) : null;
        if (shift == null || matcher.group(1).length() > 12 || Long.parseLong(matcher.group(1)) == 0 || Long.parseLong(matcher.group(1)) << shift > 1L << 40) {
            throw new StorageException(StorageErrorCode.INVALID_OPTION, "Option '%s' has value '%s'; use a positive size such as '64 mb'".formatted(key, value.get()));
        }
        long result = Long.parseLong(matcher.group(1)) << shift;
        if (!key.endsWith("block.size") && !key.endsWith("block-size") && result > 1 << 30) {
            throw new StorageException(StorageErrorCode.INVALID_OPTION, "Option '%s' has value '%s'; the most is 1 gb".formatted(key, value.get()));
        }
        return result;
    }

    /**
     * @param bytes a page ends once its encoded values reach this size
     * @param rows most rows of a page
     */
    public record PageLimits(int bytes, int rows) {}
}
