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

import com.google.common.collect.ImmutableMap;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.SimpleStats;
import io.lookup.storage.format.manifest.StatisticsPruning;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BinaryRowDecoder;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.MergeEngine;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TrinoTypes;
import io.trino.spi.predicate.Range;
import io.trino.spi.type.Type;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * Adds up the statistics of files. A column is left out where merging makes values that no file holds, and where one file has no
 * statistics of it.
 */
final class ColumnEstimates
{
    private final TableSchema schema;
    private final boolean resultIsAVersion;
    private final List<DataField> keyFields;
    private final StatisticsPruning keyStatistics;
    private final FileStatisticsColumns valueColumns;

    ColumnEstimates(TableSchema schema, CoreOptions options, SchemaManager schemas)
    {
        this.schema = requireNonNull(schema, "schema is null");
        this.resultIsAVersion = schema.primaryKeys().isEmpty() || options.mergeEngine() == MergeEngine.DEDUPLICATE || options.mergeEngine() == MergeEngine.FIRST_ROW;
        this.keyFields = schema.trimmedPrimaryKeyFields();
        this.keyStatistics = new StatisticsPruning(keyFields);
        this.valueColumns = new FileStatisticsColumns(schemas);
    }

    Map<Integer, ColumnEstimate> of(List<ManifestEntry> files)
    {
        Map<Integer, ColumnEstimate> estimates = new HashMap<>(partitionColumns(files));
        for (DataField field : schema.fields()) {
            int keyIndex = keyFields.indexOf(field);
            if (!estimates.containsKey(field.id()) && (keyIndex >= 0 || resultIsAVersion)) {
                Sum sum = new Sum();
                for (ManifestEntry entry : files) {
                    add(sum, entry.file(), field, keyIndex);
                }
                estimates.put(field.id(), sum.estimate());
            }
        }
        return ImmutableMap.copyOf(estimates);
    }

    private void add(Sum sum, DataFileMeta file, DataField field, int keyIndex)
    {
        if (keyIndex >= 0) {
            sum.add(keyStatistics, file.keyStats(), keyIndex, field, file.rowCount());
            return;
        }
        if (file.writeColumns().isPresent()) {
            sum.addUnknown();
            return;
        }
        FileStatisticsColumns.Columns columns = valueColumns.of(file);
        if (columns.fileSchema().findField(field.id()).isEmpty()) {
            // the column is younger than the file: all its values are null
            sum.addNulls(file.rowCount());
            return;
        }
        int index = columns.indexOf(field.id());
        if (index < 0) {
            sum.addUnknown();
            return;
        }
        sum.add(columns.pruning(), file.valueStats(), index, field, file.rowCount());
    }

    private Map<Integer, ColumnEstimate> partitionColumns(List<ManifestEntry> files)
    {
        List<DataField> fields = schema.partitionFields();
        BinaryRowDecoder decoder = new BinaryRowDecoder(fields.stream().map(field -> field.type().withNullable(true)).collect(toImmutableList()));
        Map<BinaryRow, Long> rows = new HashMap<>();
        files.forEach(entry -> rows.merge(entry.partition(), entry.file().rowCount(), Long::sum));
        ImmutableMap.Builder<Integer, ColumnEstimate> estimates = ImmutableMap.builder();
        for (int index = 0; index < fields.size(); index++) {
            Type type = TrinoTypes.toTrinoType(fields.get(index).type());
            Set<Object> values = new HashSet<>();
            long nulls = 0;
            Optional<Range> range = Optional.empty();
            for (Map.Entry<BinaryRow, Long> partition : rows.entrySet()) {
                Object value = decoder.value(partition.getKey(), index);
                if (value == null) {
                    nulls += partition.getValue();
                    continue;
                }
                if (values.add(value)) {
                    Range point = Range.equal(type, value);
                    range = Optional.of(range.map(known -> known.span(point)).orElse(point));
                }
            }
            long total = rows.values().stream().mapToLong(Long::longValue).sum();
            estimates.put(fields.get(index).id(), new ColumnEstimate(
                    total == 0 ? OptionalDouble.empty() : OptionalDouble.of((double) nulls / total),
                    range,
                    OptionalLong.of(values.size())));
        }
        return estimates.buildOrThrow();
    }

    private static final class Sum
    {
        private long rows;
        private long nulls;
        private boolean nullsKnown = true;
        private boolean rangeKnown = true;
        private Optional<Range> range = Optional.empty();

        void add(StatisticsPruning pruning, SimpleStats statistics, int index, DataField field, long rowCount)
        {
            rows += rowCount;
            Optional<Long> nullCount = index < statistics.nullCounts().size() ? statistics.nullCounts().get(index) : Optional.empty();
            nullCount.ifPresentOrElse(count -> nulls += count, () -> nullsKnown = false);
            if (nullCount.isPresent() && nullCount.get() == rowCount) {
                return;
            }
            Optional<Range> bounds = rangeKnown ? pruning.bounds(statistics, index, field.type()) : Optional.empty();
            rangeKnown &= bounds.isPresent();
            bounds.ifPresent(added -> range = Optional.of(range.map(known -> known.span(added)).orElse(added)));
        }

        void addNulls(long rowCount)
        {
            rows += rowCount;
            nulls += rowCount;
        }

        void addUnknown()
        {
            nullsKnown = false;
            rangeKnown = false;
        }

        ColumnEstimate estimate()
        {
            boolean nullsOnly = nullsKnown && nulls == rows && rows > 0;
            boolean oneValue = rangeKnown && range.map(Range::isSingleValue).orElse(false);
            return new ColumnEstimate(
                    nullsKnown && rows > 0 ? OptionalDouble.of(Math.min(1, (double) nulls / rows)) : OptionalDouble.empty(),
                    rangeKnown ? range : Optional.empty(),
                    nullsOnly ? OptionalLong.of(0) : oneValue ? OptionalLong.of(1) : OptionalLong.empty());
        }
    }
}
