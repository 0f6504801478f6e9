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
package io.lookup.storage.filesystem;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import org.apache.hadoop.fs.Path;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Reads and writes the small JSON files of a table. Whatever is not a complete JSON object of the expected
 * members is reported as CORRUPT_FILE with the file's name.
 */
public final class JsonFiles
{
    private static final int MAX_SIZE = 64 * 1024 * 1024;
    private static final ObjectMapper MAPPER = new ObjectMapper()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    private static final JsonFactory FACTORY = MAPPER.getFactory();
    private static final DefaultIndenter INDENTER = new DefaultIndenter("  ", "\n");

    private JsonFiles() {}

    public interface JsonWriter
    {
        void write(JsonGenerator generator)
                throws IOException;
    }

    /**
     * Pretty printed UTF-8.
     */
    public static byte[] write(JsonWriter writer)
    {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        try (JsonGenerator generator = FACTORY.createGenerator(output)) {
            generator.setPrettyPrinter(new DefaultPrettyPrinter().withObjectIndenter(INDENTER));
            writer.write(generator);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return output.toByteArray();
    }

    public static JsonNode readObject(Path file, byte[] content)
    {
        if (content.length > MAX_SIZE) {
            throw corrupt(file, "%s bytes are too many for a metadata file".formatted(content.length));
        }
        JsonNode node;
        try {
            node = MAPPER.readTree(content);
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.CORRUPT_FILE, "File %s is truncated or not JSON (%s bytes)".formatted(file, content.length), e);
        }
        if (!node.isObject()) {
            throw corrupt(file, "it is not a JSON object (%s bytes)".formatted(content.length));
        }
        return node;
    }

    public static StorageException corrupt(Path file, String reason)
    {
        return new StorageException(StorageErrorCode.CORRUPT_FILE, "File %s is corrupt: %s".formatted(file, reason));
    }

    public static JsonNode required(Path file, JsonNode object, String member)
    {
        JsonNode node = object.get(member);
        if (node == null || node.isNull()) {
            throw corrupt(file, "member '%s' is missing".formatted(member));
        }
        return node;
    }

    public static String requiredText(Path file, JsonNode object, String member)
    {
        return text(file, required(file, object, member), member);
    }

    public static long requiredLong(Path file, JsonNode object, String member)
    {
        return toLong(file, required(file, object, member), member);
    }

    public static int requiredInt(Path file, JsonNode object, String member)
    {
        return toInt(file, requiredLong(file, object, member), member);
    }

    public static Optional<String> optionalText(Path file, JsonNode object, String member)
    {
        JsonNode node = object.get(member);
        return node == null || node.isNull() ? Optional.empty() : Optional.of(text(file, node, member));
    }

    public static OptionalLong optionalLong(Path file, JsonNode object, String member)
    {
        JsonNode node = object.get(member);
        return node == null || node.isNull() ? OptionalLong.empty() : OptionalLong.of(toLong(file, node, member));
    }

    public static int optionalInt(Path file, JsonNode object, String member, int defaultValue)
    {
        OptionalLong value = optionalLong(file, object, member);
        return value.isEmpty() ? defaultValue : toInt(file, value.getAsLong(), member);
    }

    public static String text(Path file, JsonNode node, String member)
    {
        if (!node.isValueNode() || node.isNull()) {
            throw corrupt(file, "member '%s' is not a string".formatted(member));
        }
        return node.asText();
    }

    private static long toLong(Path file, JsonNode node, String member)
    {
        if (!node.isIntegralNumber() || !node.canConvertToLong()) {
            throw corrupt(file, "member '%s' is not an integer".formatted(member));
        }
        return node.longValue();
    }

    private static int toInt(Path file, long value, String member)
    {
        if ((int) value != value) {
            throw corrupt(file, "member '%s' is out of range: %s".formatted(member, value));
        }
        return (int) value;
    }
}
