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
package io.lookup.trino.state;

import io.lookup.storage.format.PartitionPaths;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.SimpleStats;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.BiFunction;

import static io.airlift.slice.Slices.utf8Slice;
import static io.trino.spi.type.Timestamps.MICROSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

/**
 * Rows of {@code "t$files"}: live data files of one snapshot. Not thread-safe.
 */
final class FileRows
{
    private final TableSchema tableSchema;
    private final SchemaManager schemas;
    private final TablePaths paths;
    private final PartitionPaths partitions;
    private final Map<Long, FileSchema> fileSchemas = new HashMap<>();

    FileRows(TableSchema tableSchema, SchemaManager schemas, TablePaths paths)
    {
        this.tableSchema = requireNonNull(tableSchema, "tableSchema is null");
        this.schemas = requireNonNull(schemas, "schemas is null");
        this.paths = requireNonNull(paths, "paths is null");
        this.partitions = PartitionPaths.of(tableSchema);
    }

    /**
     * @return the native value of a column, or null
     */
    Object value(ManifestEntry entry, String column)
    {
        DataFileMeta file = entry.file();
        return switch (column) {
            case "partition" -> utf8Slice(partitions.braces(entry.partition()));
            case "bucket" -> (long) entry.bucket();
            case "file_path" -> utf8Slice(paths.dataFile(entry.partition(), entry.bucket(), file).toString());
            case "file_format" -> utf8Slice(file.fileName().substring(file.fileName().lastIndexOf('.') + 1));
            case "schema_id" -> file.schemaId();
            case "level" -> (long) file.level();
            case "record_count" -> file.rowCount();
            case "file_size_in_bytes" -> file.fileSize();
            case "min_key" -> key(file, file.minKey());
            case "max_key" -> key(file, file.maxKey());
            case "null_value_counts" -> statistics(file, (stats, index) -> stats.nullCounts().get(index).map(String::valueOf).orElse("null"));
            case "min_value_stats" -> statistics(file, (stats, index) -> fileSchema(file).valueText(file).value(stats.minValues(), index));
            case "max_value_stats" -> statistics(file, (stats, index) -> fileSchema(file).valueText(file).value(stats.maxValues(), index));
            case "min_sequence_number" -> file.minSequenceNumber();
            case "max_sequence_number" -> file.maxSequenceNumber();
            case "creation_time" -> file.creationTimeMillis().isPresent() ? file.creationTimeMillis().getAsLong() * MICROSECONDS_PER_MILLISECOND : null;
            case "deleterowcount" -> boxed(file.deleteRowCount());
            case "file_source" -> file.fileSource().map(source -> (Object) utf8Slice(source.name())).orElse(null);
            case "first_row_id" -> boxed(file.firstRowId());
            case "write_cols" -> file.writeColumns().map(FileRows::textArray).orElse(null);
            default -> throw new IllegalArgumentException("Unknown column " + column);
        };
    }

    private Object key(DataFileMeta file, BinaryRow key)
    {
        if (key.arity() == 0) {
            return null;
        }
        return utf8Slice(fileSchema(file).keyText().row(key, "[", "]"));
    }

    /**
     * Statistics of the table's columns, by name, where the file has them.
     */
    private Object statistics(DataFileMeta file, BiFunction<SimpleStats, Integer, String> text)
    {
        List<String> columns = fileSchema(file).statisticsColumns(file);
        Map<String, String> values = new TreeMap<>();
        tableSchema.fields().forEach(field -> values.put(field.name(), "null"));
        for (int index = 0; index < Math.min(columns.size(), file.valueStats().nullCounts().size()); index++) {
            int fieldId = fileSchema(file).schema().field(columns.get(index)).id();
            int statisticsIndex = index;
            tableSchema.findField(fieldId).ifPresent(field -> values.put(field.name(), text.apply(file.valueStats(), statisticsIndex)));
        }
        return utf8Slice(values.toString());
    }

    private FileSchema fileSchema(DataFileMeta file)
    {
        return fileSchemas.computeIfAbsent(file.schemaId(), id -> new FileSchema(schemas.schema(id)));
    }

    private static Long boxed(OptionalLong value)
    {
        return value.isPresent() ? value.getAsLong() : null;
    }

    private static Block textArray(List<String> values)
    {
        BlockBuilder builder = VARCHAR.createBlockBuilder(null, values.size());
        values.forEach(value -> VARCHAR.writeString(builder, value));
        return builder.build();
    }

    private static final class FileSchema
    {
        private final TableSchema schema;
        private final ValueText keyText;
        private final Map<List<String>, ValueText> valueTexts = new HashMap<>();

        private FileSchema(TableSchema schema)
        {
            this.schema = schema;
            this.keyText = new ValueText(schema.trimmedPrimaryKeyFields());
        }

        private TableSchema schema()
        {
            return schema;
        }

        private ValueText keyText()
        {
            return keyText;
        }

        private List<String> statisticsColumns(DataFileMeta file)
        {
            return file.valueStatsColumns().orElseGet(() -> schema.fields().stream().map(DataField::name).toList());
        }

        private ValueText valueText(DataFileMeta file)
        {
            return valueTexts.computeIfAbsent(statisticsColumns(file), columns -> new ValueText(columns.stream().map(schema::field).toList()));
        }
    }
}
