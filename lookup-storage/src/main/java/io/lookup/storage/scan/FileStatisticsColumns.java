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
package io.lookup.storage.scan;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.StatisticsPruning;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * Which columns the value statistics of files speak of: those of the schema version that wrote a file. Not thread-safe.
 */
final class FileStatisticsColumns
{
    private final SchemaManager schemas;
    private final Map<Key, Columns> known = new HashMap<>();

    FileStatisticsColumns(SchemaManager schemas)
    {
        this.schemas = requireNonNull(schemas, "schemas is null");
    }

    private record Key(long schemaId, Optional<List<String>> names) {}

    /**
     * @param fileSchema schema version of the file
     * @param columns in the order of the statistics
     */
    record Columns(TableSchema fileSchema, List<DataField> columns, StatisticsPruning pruning)
    {
        /**
         * @return -1 if there are no statistics of the column
         */
        int indexOf(int fieldId)
        {
            for (int index = 0; index < columns.size(); index++) {
                if (columns.get(index).id() == fieldId) {
                    return index;
                }
            }
            return -1;
        }
    }

    Columns of(DataFileMeta file)
    {
        return known.computeIfAbsent(new Key(file.schemaId(), file.valueStatsColumns()), this::columns);
    }

    private Columns columns(Key key)
    {
        TableSchema fileSchema = schemas.schema(key.schemaId());
        List<DataField> columns = key.names()
                .map(names -> names.stream().map(name -> statisticsField(fileSchema, name)).collect(toImmutableList()))
                .orElse(ImmutableList.copyOf(fileSchema.fields()));
        return new Columns(fileSchema, columns, new StatisticsPruning(columns));
    }

    private static DataField statisticsField(TableSchema fileSchema, String name)
    {
        return fileSchema.findField(name).orElseThrow(() -> new StorageException(
                StorageErrorCode.CORRUPT_FILE,
                "Manifests have statistics of column '%s' in files of schema version %s, which has no such column: the schema's or a manifest's file is damaged; restore it".formatted(name, fileSchema.id())));
    }
}
