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

import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.StatisticsPruning;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * Whether a file can hold rows of a predicate, by its statistics. Not thread-safe.
 */
final class FilePruning
{
    private final TableSchema readSchema;
    private final List<DataField> keyFields;
    private final StatisticsPruning keyStatistics;
    // partition columns are constants that the caller has looked at
    private final Map<Integer, Domain> domains = new HashMap<>();
    private final FileStatisticsColumns valueColumns;

    FilePruning(TableSchema readSchema, SchemaManager schemas, TupleDomain<Integer> predicate)
    {
        this.readSchema = requireNonNull(readSchema, "readSchema is null");
        this.valueColumns = new FileStatisticsColumns(schemas);
        this.keyFields = readSchema.trimmedPrimaryKeyFields();
        this.keyStatistics = new StatisticsPruning(keyFields);
        List<Integer> partitionIds = readSchema.partitionFields().stream().map(DataField::id).collect(toImmutableList());
        predicate.getDomains().orElseThrow().forEach((id, domain) -> {
            if (!partitionIds.contains(id)) {
                domains.put(id, domain);
            }
        });
    }

    /**
     * Looks at key columns only. Files without a wanted key can be left out of any merge.
     */
    boolean mayContainKeys(DataFileMeta file)
    {
        for (int index = 0; index < keyFields.size(); index++) {
            DataField field = keyFields.get(index);
            Domain domain = domains.get(field.id());
            if (domain != null && !keyStatistics.mayMatch(file.keyStats(), index, field.type(), file.rowCount(), domain)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Looks at all columns. Only a file whose rows are results by themselves may be left out by this.
     */
    boolean mayContainRows(DataFileMeta file)
    {
        if (domains.isEmpty()) {
            return true;
        }
        if (file.writeColumns().isPresent()) {
            return true;
        }
        FileStatisticsColumns.Columns statistics = valueColumns.of(file);
        for (Map.Entry<Integer, Domain> entry : domains.entrySet()) {
            int fieldId = entry.getKey();
            Optional<DataField> readField = readSchema.findField(fieldId);
            if (readField.isEmpty()) {
                continue;
            }
            if (statistics.fileSchema().findField(fieldId).isEmpty()) {
                // the column is younger than the file: all its values are null
                if (!entry.getValue().isNullAllowed()) {
                    return false;
                }
                continue;
            }
            int index = statistics.indexOf(fieldId);
            if (index < 0 || index >= file.valueStats().minValues().arity()) {
                continue;
            }
            DataType readType = readField.get().type();
            if (!statistics.pruning().mayMatch(file.valueStats(), index, readType, file.rowCount(), entry.getValue())) {
                return false;
            }
        }
        return true;
    }
}
