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
package io.lookup.storage.snapshot;

import com.fasterxml.jackson.databind.JsonNode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.JsonFiles;
import org.apache.hadoop.fs.Path;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Optional;

/**
 * Tag files: a snapshot's members, and two more if the tag has a time to live.
 */
final class TagJson
{
    private static final int NANOS_DIGITS = 9;
    private static final int MIN_TIME_PARTS = 3;
    private static final int MAX_TIME_PARTS = 7;
    private static final int MAX_YEAR = 9999;

    private TagJson() {}

    /**
     * Without a time to live exactly as the snapshot's file, which older readers of the format need.
     */
    static byte[] write(Tag tag)
    {
        if (tag.timeRetained().isEmpty()) {
            return SnapshotJson.write(tag.snapshot());
        }
        return JsonFiles.write(generator -> {
            generator.writeStartObject();
            SnapshotJson.writeMembers(generator, tag.snapshot());
            LocalDateTime created = tag.createTime().orElseThrow();
            generator.writeArrayFieldStart("tagCreateTime");
            for (int part : new int[] {created.getYear(), created.getMonthValue(), created.getDayOfMonth(), created.getHour(), created.getMinute(), created.getSecond(), created.getNano()}) {
                generator.writeNumber(part);
            }
            generator.writeEndArray();
            generator.writeNumberField("tagTimeRetained", BigDecimal.valueOf(tag.timeRetained().get().getSeconds())
                    .add(BigDecimal.valueOf(tag.timeRetained().get().getNano(), NANOS_DIGITS)));
            generator.writeEndObject();
        });
    }

    /**
     * @throws StorageException CORRUPT_FILE naming the file
     */
    static Tag read(Path file, String name, byte[] content)
    {
        JsonNode node = JsonFiles.readObject(file, content);
        return new Tag(name, SnapshotJson.read(file, node), readCreateTime(file, node), readTimeRetained(file, node));
    }

    private static Optional<LocalDateTime> readCreateTime(Path file, JsonNode node)
    {
        JsonNode array = node.get("tagCreateTime");
        if (array == null || array.isNull()) {
            return Optional.empty();
        }
        // trailing zeros may be left out
        int[] parts = new int[MAX_TIME_PARTS];
        if (!array.isArray() || array.size() < MIN_TIME_PARTS || array.size() > MAX_TIME_PARTS) {
            throw JsonFiles.corrupt(file, "member 'tagCreateTime' is not a list of time parts");
        }
        for (int index = 0; index < array.size(); index++) {
            JsonNode part = array.get(index);
            if (!part.isIntegralNumber() || !part.canConvertToInt()) {
                throw JsonFiles.corrupt(file, "member 'tagCreateTime' is not a list of time parts");
            }
            parts[index] = part.intValue();
        }
        if (parts[0] < 0 || parts[0] > MAX_YEAR) {
            throw JsonFiles.corrupt(file, "member 'tagCreateTime' is not a time: %s".formatted(array));
        }
        try {
            return Optional.of(LocalDateTime.of(parts[0], parts[1], parts[2], parts[3], parts[4], parts[5], parts[6]));
        }
        catch (DateTimeException e) {
            throw JsonFiles.corrupt(file, "member 'tagCreateTime' is not a time: %s".formatted(array));
        }
    }

    private static Optional<Duration> readTimeRetained(Path file, JsonNode node)
    {
        JsonNode seconds = node.get("tagTimeRetained");
        if (seconds == null || seconds.isNull()) {
            return Optional.empty();
        }
        if (!seconds.isNumber()) {
            throw JsonFiles.corrupt(file, "member 'tagTimeRetained' is not a number of seconds");
        }
        if (seconds.isFloatingPointNumber() && !Double.isFinite(seconds.doubleValue())) {
            throw JsonFiles.corrupt(file, "member 'tagTimeRetained' is out of range");
        }
        BigDecimal whole = seconds.decimalValue().setScale(0, RoundingMode.FLOOR);
        try {
            return Optional.of(Duration.ofSeconds(whole.longValueExact(), seconds.decimalValue().subtract(whole).movePointRight(NANOS_DIGITS).longValue()));
        }
        catch (ArithmeticException e) {
            throw JsonFiles.corrupt(file, "member 'tagTimeRetained' is out of range: %s".formatted(seconds));
        }
    }
}
