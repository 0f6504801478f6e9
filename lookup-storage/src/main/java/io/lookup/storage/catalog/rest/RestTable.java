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
package io.lookup.storage.catalog.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.catalog.LookupCatalog;
import io.lookup.storage.schema.SchemaJson;
import io.lookup.storage.schema.TableSchema;
import org.apache.hadoop.fs.Path;

import java.nio.charset.StandardCharsets;
import java.util.Map;

import static java.util.Objects.requireNonNull;

/**
 * A table as the protocol's {@code GetTableResponse} describes it.
 *
 * @param external whether its folder alone tells its newest snapshot
 * @param schema with the option {@code path}
 */
record RestTable(Path location, boolean external, TableSchema schema)
{
    static final String PATH_OPTION = "path";

    RestTable
    {
        requireNonNull(location, "location is null");
        requireNonNull(schema, "schema is null");
    }

    /**
     * @param answer what the object came in, for errors
     * @throws StorageException CATALOG_ERROR if the object is not as documented; UNSUPPORTED_TYPE naming the column
     */
    static RestTable read(RestAnswer answer, JsonNode table)
    {
        JsonNode path = table.path("path");
        if (!path.isTextual() || path.textValue().isBlank()) {
            throw answer.unusable("member 'path' is missing or not a string");
        }
        Path location;
        try {
            location = LookupCatalog.warehousePath(path.textValue());
        }
        catch (StorageException _) {
            throw answer.unusable("member 'path' is not an absolute URI: '%s'".formatted(path.textValue()));
        }
        return new RestTable(location, table.path("isExternal").asBoolean(false), schema(answer, table, location));
    }

    /**
     * What a schema file of the format would hold, which is more.
     */
    private static TableSchema schema(RestAnswer answer, JsonNode table, Path location)
    {
        JsonNode schema = table.path("schema");
        JsonNode id = table.path("schemaId");
        if (!schema.isObject() || !id.isIntegralNumber()) {
            throw answer.unusable("member 'schema' or 'schemaId' is missing");
        }
        ObjectNode file = schema.deepCopy();
        file.put("version", TableSchema.CURRENT_VERSION);
        file.set("id", id);
        file.put("highestFieldId", highestId(schema.path("fields")));
        file.set("timeMillis", table.path("updatedAt").isIntegralNumber() ? table.get("updatedAt") : file.numberNode(0));
        for (String keys : new String[] {"partitionKeys", "primaryKeys"}) {
            if (file.path(keys).isMissingNode() || file.path(keys).isNull()) {
                file.putArray(keys);
            }
        }
        ObjectNode options = file.putObject("options");
        for (Map.Entry<String, JsonNode> option : schema.path("options").properties()) {
            if (!option.getValue().isNull()) {
                options.set(option.getKey(), option.getValue());
            }
        }
        options.put(PATH_OPTION, location.toString());
        try {
            return SchemaJson.read(new Path(location, "schema/schema-" + id.asText()), file.toString().getBytes(StandardCharsets.UTF_8));
        }
        catch (StorageException e) {
            if (e.errorCode().kind() == StorageErrorCode.Kind.USER) {
                throw e;
            }
            throw answer.unusable(e.getMessage());
        }
    }

    private static int highestId(JsonNode node)
    {
        int highest = node.path("id").asInt(-1);
        for (JsonNode child : node) {
            highest = Math.max(highest, highestId(child));
        }
        return highest;
    }
}
