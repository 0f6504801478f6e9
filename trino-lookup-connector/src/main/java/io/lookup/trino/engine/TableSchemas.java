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
package io.lookup.trino.engine;

import io.lookup.storage.schema.ParsedSchemas;
import io.lookup.storage.schema.SchemaJson;
import io.lookup.storage.schema.TableSchema;
import org.apache.hadoop.fs.Path;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Table schemas as the text that handles carry from node to node.
 */
public final class TableSchemas
{
    private static final Path SOURCE = new Path("handle");

    private TableSchemas() {}

    public static String toJson(TableSchema schema)
    {
        return new String(SchemaJson.write(schema), UTF_8);
    }

    public static TableSchema fromJson(String json)
    {
        return ParsedSchemas.read(SOURCE, json.getBytes(UTF_8));
    }
}
