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

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.JsonFiles;
import io.lookup.storage.format.StoredNames;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Snapshot files as Paimon writes them, member for member. Unknown members are ignored.
 */
public final class SnapshotJson
{
    // records were counted from this version on
    private static final int VERSION_WITH_COUNTS = 3;

    private SnapshotJson() {}

    public static byte[] write(Snapshot snapshot)
    {
        return JsonFiles.write(generator -> {
            generator.writeStartObject();
            writeMembers(generator, snapshot);
            generator.writeEndObject();
        });
    }

    static void writeMembers(JsonGenerator generator, Snapshot snapshot)
            throws IOException
    {
        generator.writeNumberField("version", snapshot.version());
        generator.writeNumberField("id", snapshot.id());
        generator.writeNumberField("schemaId", snapshot.schemaId());
        generator.writeStringField("baseManifestList", snapshot.baseManifestList());
        write(generator, "baseManifestListSize", snapshot.baseManifestListSize());
        generator.writeStringField("deltaManifestList", snapshot.deltaManifestList());
        write(generator, "deltaManifestListSize", snapshot.deltaManifestListSize());
        write(generator, "changelogManifestList", snapshot.changelogManifestList());
        write(generator, "changelogManifestListSize", snapshot.changelogManifestListSize());
        write(generator, "indexManifest", snapshot.indexManifest());
        generator.writeStringField("commitUser", snapshot.commitUser());
        generator.writeNumberField("commitIdentifier", snapshot.commitIdentifier());
        generator.writeStringField("commitKind", snapshot.commitKind().name());
        generator.writeNumberField("timeMillis", snapshot.timeMillis());
        generator.writeNumberField("totalRecordCount", snapshot.totalRecordCount());
        generator.writeNumberField("deltaRecordCount", snapshot.deltaRecordCount());
        write(generator, "changelogRecordCount", snapshot.changelogRecordCount());
        write(generator, "watermark", snapshot.watermark());
        write(generator, "statistics", snapshot.statistics());
        if (!snapshot.properties().isEmpty()) {
            generator.writeObjectFieldStart("properties");
            for (Map.Entry<String, String> property : snapshot.properties().entrySet()) {
                generator.writeStringField(property.getKey(), property.getValue());
            }
            generator.writeEndObject();
        }
        write(generator, "nextRowId", snapshot.nextRowId());
    }

    /**
     * @throws StorageException CORRUPT_FILE naming the file and the member
     */
    public static Snapshot read(Path file, byte[] content)
    {
        return read(file, JsonFiles.readObject(file, content));
    }

    static Snapshot read(Path file, JsonNode node)
    {
        int version = JsonFiles.optionalInt(file, node, "version", 1);
        return new Snapshot(
                version,
                JsonFiles.requiredLong(file, node, "id"),
                JsonFiles.requiredLong(file, node, "schemaId"),
                fileName(file, JsonFiles.requiredText(file, node, "baseManifestList"), "baseManifestList"),
                JsonFiles.optionalLong(file, node, "baseManifestListSize"),
                fileName(file, JsonFiles.requiredText(file, node, "deltaManifestList"), "deltaManifestList"),
                JsonFiles.optionalLong(file, node, "deltaManifestListSize"),
                optionalFileName(file, node, "changelogManifestList"),
                JsonFiles.optionalLong(file, node, "changelogManifestListSize"),
                optionalFileName(file, node, "indexManifest"),
                JsonFiles.requiredText(file, node, "commitUser"),
                JsonFiles.requiredLong(file, node, "commitIdentifier"),
                readKind(file, node),
                JsonFiles.requiredLong(file, node, "timeMillis"),
                readCount(file, node, "totalRecordCount", version),
                readCount(file, node, "deltaRecordCount", version),
                JsonFiles.optionalLong(file, node, "changelogRecordCount"),
                JsonFiles.optionalLong(file, node, "watermark"),
                optionalFileName(file, node, "statistics"),
                readProperties(file, node),
                JsonFiles.optionalLong(file, node, "nextRowId"));
    }

    private static Optional<String> optionalFileName(Path file, JsonNode node, String member)
    {
        return JsonFiles.optionalText(file, node, member).map(name -> fileName(file, name, member));
    }

    private static String fileName(Path file, String name, String member)
    {
        try {
            return StoredNames.checkFileName(name);
        }
        catch (IllegalArgumentException e) {
            throw JsonFiles.corrupt(file, "member '%s': %s".formatted(member, e.getMessage()));
        }
    }

    private static CommitKind readKind(Path file, JsonNode node)
    {
        String kind = JsonFiles.requiredText(file, node, "commitKind");
        return Arrays.stream(CommitKind.values())
                .filter(value -> value.name().equals(kind))
                .findFirst()
                .orElseThrow(() -> JsonFiles.corrupt(file, "unknown commitKind '%s'".formatted(kind)));
    }

    private static long readCount(Path file, JsonNode node, String member, int version)
    {
        if (version < VERSION_WITH_COUNTS) {
            return JsonFiles.optionalLong(file, node, member).orElse(0);
        }
        return JsonFiles.requiredLong(file, node, member);
    }

    private static Map<String, String> readProperties(Path file, JsonNode node)
    {
        JsonNode object = node.get("properties");
        Map<String, String> properties = new LinkedHashMap<>();
        if (object == null || object.isNull()) {
            return properties;
        }
        if (!object.isObject()) {
            throw JsonFiles.corrupt(file, "member 'properties' is not an object");
        }
        for (Map.Entry<String, JsonNode> property : object.properties()) {
            properties.put(property.getKey(), JsonFiles.text(file, property.getValue(), "properties." + property.getKey()));
        }
        return properties;
    }

    private static void write(JsonGenerator generator, String member, OptionalLong value)
            throws IOException
    {
        if (value.isPresent()) {
            generator.writeNumberField(member, value.getAsLong());
        }
    }

    private static void write(JsonGenerator generator, String member, Optional<String> value)
            throws IOException
    {
        if (value.isPresent()) {
            generator.writeStringField(member, value.get());
        }
    }
}
