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
package io.lookup.storage.format.manifest;

import org.apache.avro.Schema;

/**
 * The Avro schemas of manifest files. Readers of the format find fields by name and take the second branch of
 * a union for its value, so names and the order of branches are fixed.
 */
final class ManifestSchemas
{
    static final Schema MANIFEST_LIST = parse("""
            {"type": "record", "name": "record", "namespace": "org.apache.paimon.avro.generated", "fields": [
              {"name": "_VERSION", "type": "int"},
              {"name": "_FILE_NAME", "type": "string"},
              {"name": "_FILE_SIZE", "type": "long"},
              {"name": "_NUM_ADDED_FILES", "type": "long"},
              {"name": "_NUM_DELETED_FILES", "type": "long"},
              {"name": "_PARTITION_STATS", "type": {"type": "record", "name": "record__PARTITION_STATS", "fields": [
                {"name": "_MIN_VALUES", "type": "bytes"},
                {"name": "_MAX_VALUES", "type": "bytes"},
                {"name": "_NULL_COUNTS", "type": ["null", {"type": "array", "items": ["null", "long"]}], "default": null}]}},
              {"name": "_SCHEMA_ID", "type": "long"},
              {"name": "_MIN_BUCKET", "type": ["null", "int"], "default": null},
              {"name": "_MAX_BUCKET", "type": ["null", "int"], "default": null},
              {"name": "_MIN_LEVEL", "type": ["null", "int"], "default": null},
              {"name": "_MAX_LEVEL", "type": ["null", "int"], "default": null},
              {"name": "_MIN_ROW_ID", "type": ["null", "long"], "default": null},
              {"name": "_MAX_ROW_ID", "type": ["null", "long"], "default": null}]}
            """);

    static final Schema MANIFEST = parse("""
            {"type": "record", "name": "record", "namespace": "org.apache.paimon.avro.generated", "fields": [
              {"name": "_VERSION", "type": "int"},
              {"name": "_KIND", "type": "int"},
              {"name": "_PARTITION", "type": "bytes"},
              {"name": "_BUCKET", "type": "int"},
              {"name": "_TOTAL_BUCKETS", "type": "int"},
              {"name": "_FILE", "type": {"type": "record", "name": "record__FILE", "fields": [
                {"name": "_FILE_NAME", "type": "string"},
                {"name": "_FILE_SIZE", "type": "long"},
                {"name": "_ROW_COUNT", "type": "long"},
                {"name": "_MIN_KEY", "type": "bytes"},
                {"name": "_MAX_KEY", "type": "bytes"},
                {"name": "_KEY_STATS", "type": {"type": "record", "name": "record__FILE__KEY_STATS", "fields": [
                  {"name": "_MIN_VALUES", "type": "bytes"},
                  {"name": "_MAX_VALUES", "type": "bytes"},
                  {"name": "_NULL_COUNTS", "type": ["null", {"type": "array", "items": ["null", "long"]}], "default": null}]}},
                {"name": "_VALUE_STATS", "type": {"type": "record", "name": "record__FILE__VALUE_STATS", "fields": [
                  {"name": "_MIN_VALUES", "type": "bytes"},
                  {"name": "_MAX_VALUES", "type": "bytes"},
                  {"name": "_NULL_COUNTS", "type": ["null", {"type": "array", "items": ["null", "long"]}], "default": null}]}},
                {"name": "_MIN_SEQUENCE_NUMBER", "type": "long"},
                {"name": "_MAX_SEQUENCE_NUMBER", "type": "long"},
                {"name": "_SCHEMA_ID", "type": "long"},
                {"name": "_LEVEL", "type": "int"},
                {"name": "_EXTRA_FILES", "type": {"type": "array", "items": "string"}},
                {"name": "_CREATION_TIME", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}], "default": null},
                {"name": "_DELETE_ROW_COUNT", "type": ["null", "long"], "default": null},
                {"name": "_EMBEDDED_FILE_INDEX", "type": ["null", "bytes"], "default": null},
                {"name": "_FILE_SOURCE", "type": ["null", "int"], "default": null},
                {"name": "_VALUE_STATS_COLS", "type": ["null", {"type": "array", "items": "string"}], "default": null},
                {"name": "_EXTERNAL_PATH", "type": ["null", "string"], "default": null},
                {"name": "_FIRST_ROW_ID", "type": ["null", "long"], "default": null},
                {"name": "_WRITE_COLS", "type": ["null", {"type": "array", "items": "string"}], "default": null}]}}]}
            """);

    static final Schema INDEX_MANIFEST = parse("""
            {"type": "record", "name": "record", "namespace": "org.apache.paimon.avro.generated", "fields": [
              {"name": "_VERSION", "type": "int"},
              {"name": "_KIND", "type": "int"},
              {"name": "_PARTITION", "type": "bytes"},
              {"name": "_BUCKET", "type": "int"},
              {"name": "_INDEX_TYPE", "type": "string"},
              {"name": "_FILE_NAME", "type": "string"},
              {"name": "_FILE_SIZE", "type": "long"},
              {"name": "_ROW_COUNT", "type": "long"},
              {"name": "_DELETIONS_VECTORS_RANGES", "type": ["null", {"type": "array", "items": ["null",
                {"type": "record", "name": "record__DELETIONS_VECTORS_RANGES", "fields": [
                  {"name": "f0", "type": "string"},
                  {"name": "f1", "type": "int"},
                  {"name": "f2", "type": "int"},
                  {"name": "_CARDINALITY", "type": ["null", "long"], "default": null}]}]}], "default": null},
              {"name": "_EXTERNAL_PATH", "type": ["null", "string"], "default": null},
              {"name": "_GLOBAL_INDEX", "type": ["null", {"type": "record", "name": "record__GLOBAL_INDEX", "fields": [
                {"name": "_ROW_RANGE_START", "type": "long"},
                {"name": "_ROW_RANGE_END", "type": "long"},
                {"name": "_INDEX_FIELD_ID", "type": "int"},
                {"name": "_EXTRA_FIELD_IDS", "type": ["null", {"type": "array", "items": "int"}], "default": null},
                {"name": "_INDEX_META", "type": ["null", "bytes"], "default": null}]}], "default": null}]}
            """);

    private ManifestSchemas() {}

    private static Schema parse(String json)
    {
        return new Schema.Parser().parse(json);
    }
}
