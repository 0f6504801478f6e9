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
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.JsonFiles;
import io.lookup.storage.snapshot.StoredStatistics.StoredColumn;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Statistics files as Paimon writes them, member for member. Unknown members are ignored.
 */
public final class StatisticsJson
{
    private StatisticsJson() {}

    public static byte[] write(StoredStatistics statistics)
    {
        return JsonFiles.write(generator -> {
            generator.writeStartObject();
            generator.writeNumberField("snapshotId", statistics.snapshotId());
            generator.writeNumberField("schemaId", statistics.schemaId());
            write(generator, "mergedRecordCount", statistics.mergedRecordCount());
            write(generator, "mergedRecordSize", statistics.mergedRecordSize());
            generator.writeFieldName("colStats");
            writeColumns(generator, statistics);
            generator.writeEndObject();
        });
    }

    /**
     * The columns alone, as the system table shows them.
     */
    public static byte[] writeColumns(StoredStatistics statistics)
    {
        return JsonFiles.write(generator -> writeColumns(generator, statistics));
    }

    private static void writeColumns(JsonGenerator generator, StoredStatistics statistics)
            throws IOException
    {
        generator.writeStartObject();
        for (Map.Entry<String, StoredColumn> entry : statistics.columns().entrySet()) {
            StoredColumn column = entry.getValue();
            generator.writeObjectFieldStart(entry.getKey());
            generator.writeNumberField("colId", column.columnId());
            write(generator, "distinctCount", column.distinctCount());
            write(generator, "min", column.min());
            write(generator, "max", column.max());
            write(generator, "nullCount", column.nullCount());
            write(generator, "avgLen", column.averageLength());
            write(generator, "maxLen", column.maxLength());
            generator.writeEndObject();
        }
        generator.writeEndObject();
    }

    /**
     * @throws StorageException CORRUPT_FILE naming the file and the member
     */
    public static StoredStatistics read(Path file, byte[] content)
    {
        JsonNode node = JsonFiles.readObject(file, content);
        JsonNode columns = node.get("colStats");
        ImmutableMap.Builder<String, StoredColumn> columnStatistics = ImmutableMap.builder();
        if (columns != null && !columns.isNull()) {
            if (!columns.isObject()) {
                throw JsonFiles.corrupt(file, "member 'colStats' is not an object");
            }
            for (Map.Entry<String, JsonNode> entry : columns.properties()) {
                columnStatistics.put(entry.getKey(), readColumn(file, entry.getKey(), entry.getValue()));
            }
        }
        return new StoredStatistics(
                JsonFiles.requiredLong(file, node, "snapshotId"),
                JsonFiles.requiredLong(file, node, "schemaId"),
                JsonFiles.optionalLong(file, node, "mergedRecordCount"),
                JsonFiles.optionalLong(file, node, "mergedRecordSize"),
                columnStatistics.buildOrThrow());
    }

    private static StoredColumn readColumn(Path file, String name, JsonNode node)
    {
        if (!node.isObject()) {
            throw JsonFiles.corrupt(file, "member 'colStats.%s' is not an object".formatted(name));
        }
        return new StoredColumn(
                JsonFiles.requiredInt(file, node, "colId"),
                JsonFiles.optionalLong(file, node, "distinctCount"),
                JsonFiles.optionalText(file, node, "min"),
                JsonFiles.optionalText(file, node, "max"),
                JsonFiles.optionalLong(file, node, "nullCount"),
                JsonFiles.optionalLong(file, node, "avgLen"),
                JsonFiles.optionalLong(file, node, "maxLen"));
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
