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
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.ScanCounters;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.column.ReadRequest;
import io.lookup.storage.format.deletion.DeletionVector;
import io.lookup.storage.format.deletion.DeletionVectorLocation;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.reader.DataFileReaderFactory;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.merge.MergeFunction;
import io.lookup.storage.merge.MergeFunctions;
import io.lookup.storage.merge.MergingPageStream;
import io.lookup.storage.merge.RunInput;
import io.lookup.storage.merge.UnsortedMergePageStream;
import io.lookup.storage.scan.TableSplit.Section;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.SequenceGroups;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.predicate.TupleDomain;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.TinyintType.TINYINT;
import static io.trino.spi.type.TypeUtils.writeNativeValue;
import static java.util.Objects.requireNonNull;

/**
 * Reads splits of a table scan: rows as they are where a key range has one version, merged where it has
 * several. Thread-safe; streams are not.
 */
public final class SplitReaderFactory
{
    private final TableSchema schema;
    private final CoreOptions options;
    private final SchemaManager schemas;
    private final TablePaths paths;
    private final DataFileReaderFactory files;

    /**
     * @param schema the version that is read
     */
    public SplitReaderFactory(TableSchema schema, CoreOptions options, SchemaManager schemas, TablePaths paths, DataFileReaderFactory files)
    {
        this.schema = requireNonNull(schema, "schema is null");
        this.options = requireNonNull(options, "options is null");
        this.schemas = requireNonNull(schemas, "schemas is null");
        this.paths = requireNonNull(paths, "paths is null");
        this.files = requireNonNull(files, "files is null");
    }

    /**
     * The live rows of the split, in no order.
     *
     * @param columns columns of the schema that is read, none twice; may be empty, then pages have rows only
     * @param predicate by field id; rows that do not match may be returned, and those may be outdated versions
     * of their key: the caller filters all rows by it
     */
    public PageStream open(TableSplit split, List<DataField> columns, TupleDomain<Integer> predicate)
    {
        return open(split, columns, predicate, new ScanCounters());
    }

    /**
     * @param counters told what is read
     */
    public PageStream open(TableSplit split, List<DataField> columns, TupleDomain<Integer> predicate, ScanCounters counters)
    {
        return open(new Reader(split, columns, predicate, false, counters));
    }

    /**
     * The live rows of a split, in the order of their keys, if the split was planned so.
     */
    public PageStream openSorted(TableSplit split, List<DataField> columns)
    {
        return open(new Reader(split, columns, TupleDomain.all(), true, new ScanCounters()));
    }

    private PageStream open(Reader reader)
    {
        checkArgument(reader.split.schemaId() == schema.id(), "split is of schema %s, not %s", reader.split.schemaId(), schema.id());
        return new ConcatenatedPageStream(reader.split.sections().stream()
                .map(section -> (ConcatenatedPageStream.Source) () -> reader.openSection(section))
                .iterator());
    }

    private final class Reader
    {
        private final TableSplit split;
        private final List<DataField> columns;
        private final TupleDomain<Integer> predicate;
        private final boolean sorted;
        private final ScanCounters counters;
        private final boolean keyed = !schema.primaryKeys().isEmpty();
        private MergePlan mergePlan;

        private Reader(TableSplit split, List<DataField> columns, TupleDomain<Integer> predicate, boolean sorted, ScanCounters counters)
        {
            this.sorted = sorted;
            this.counters = requireNonNull(counters, "counters is null");
            this.split = requireNonNull(split, "split is null");
            this.columns = ImmutableList.copyOf(columns);
            this.predicate = withoutPartitionColumns(predicate);
        }

        PageStream openSection(Section section)
                throws IOException
        {
            counters.addSection(section.runs().size() > 1);
            if (section.runs().size() > 1) {
                return openMerged(section);
            }
            return new ConcatenatedPageStream(section.files()
                    .map(file -> (ConcatenatedPageStream.Source) () -> openPlain(file))
                    .iterator());
        }

        private PageStream openPlain(SplitFile file)
                throws IOException
        {
            if (!keyed || file.hasOnlyAdds()) {
                if (columns.isEmpty() && predicate.isAll() && file.undeletedRowCount().isPresent()) {
                    return new RowCountPageStream(file.undeletedRowCount().getAsLong());
                }
                return openFile(file, columns, false, predicate);
            }
            // a key's lone version counts unless it is a retraction
            return new LiveRowsPageStream(openFile(file, columns, true, predicate), columns.size());
        }

        private PageStream openMerged(Section section)
                throws IOException
        {
            if (mergePlan == null) {
                mergePlan = new MergePlan(schema, options, columns);
            }
            boolean runsInSequence = section.hasRunsInSequence();
            ImmutableList.Builder<RunInput> inputs = ImmutableList.builder();
            for (List<SplitFile> run : section.runs()) {
                PageStream pages = new ConcatenatedPageStream(run.stream()
                        .map(file -> (ConcatenatedPageStream.Source) () -> openVersions(file, runsInSequence))
                        .iterator());
                inputs.add(new RunInput(pages, run.getFirst().level()));
            }
            List<RunInput> runs = inputs.build();
            MergeFunction function = MergeFunctions.create(schema, options, mergePlan.layout, split.completeLevels());
            if (sorted) {
                return new ProjectedPageStream(new MergingPageStream(mergePlan.layout, mergePlan.keyEncoder, runs, function, true), mergePlan.outputChannels);
            }
            return new UnsortedMergePageStream(
                    mergePlan.layout,
                    mergePlan.keyEncoder,
                    runs,
                    function,
                    MergeFunctions.versionRule(options, split.completeLevels()),
                    mergePlan.outputChannels,
                    counters);
        }

        /**
         * @param runsInSequence whether any sequence number of a run stands for all of them
         */
        private PageStream openVersions(SplitFile file, boolean runsInSequence)
                throws IOException
        {
            // other columns may match in one version of a key and not in its newest
            TupleDomain<Integer> keys = keyPredicate();
            if (!runsInSequence || !file.hasOnlyAdds()) {
                return openFile(file, mergePlan.layout.columns(), true, keys);
            }
            return new ConstantColumnsPageStream(
                    openFile(file, mergePlan.layout.columns(), false, keys),
                    ImmutableList.of(writeNativeValue(BIGINT, file.maxSequenceNumber()), writeNativeValue(TINYINT, (long) RowKind.INSERT.value())));
        }

        private PageStream openFile(SplitFile file, List<DataField> fileColumns, boolean systemColumns, TupleDomain<Integer> filePredicate)
                throws IOException
        {
            ReadRequest request = new ReadRequest(
                    file.path(paths, split.partition(), split.bucket()),
                    file.fileSize(),
                    schemas.schema(file.schemaId()),
                    fileColumns,
                    systemColumns,
                    schema.partitionFields(),
                    split.partition(),
                    filePredicate);
            return files.open(request.withDeletions(file.deletions().map(this::readDeletions).orElse(DeletionVector.EMPTY)), counters);
        }

        private DeletionVector readDeletions(DeletionVectorLocation location)
        {
            Path path = paths.indexFile(split.partition(), split.bucket(), location.fileName(), location.externalPath());
            return files.deletionVectors().read(path, location);
        }

        private TupleDomain<Integer> keyPredicate()
        {
            List<Integer> keyIds = schema.trimmedPrimaryKeyFields().stream().map(DataField::id).collect(toImmutableList());
            return predicate.filter((id, domain) -> keyIds.contains(id));
        }

        private TupleDomain<Integer> withoutPartitionColumns(TupleDomain<Integer> predicate)
        {
            List<Integer> partitionIds = schema.partitionFields().stream().map(DataField::id).collect(toImmutableList());
            return predicate.filter((id, domain) -> !partitionIds.contains(id));
        }
    }

    /**
     * Which columns a merge has to carry for the wanted ones.
     */
    private static final class MergePlan
    {
        private final KeyValueLayout layout;
        private final KeyEncoder keyEncoder;
        private final int[] outputChannels;

        private MergePlan(TableSchema schema, CoreOptions options, List<DataField> columns)
        {
            Map<Integer, DataField> carried = new LinkedHashMap<>();
            columns.forEach(column -> carried.put(column.id(), column));
            schema.trimmedPrimaryKeyFields().forEach(column -> carried.putIfAbsent(column.id(), column));
            List<DataField> sequenceFields = options.sequenceField().stream().map(schema::field).collect(toImmutableList());
            sequenceFields.forEach(column -> carried.putIfAbsent(column.id(), column));
            SequenceGroups groups = SequenceGroups.of(schema, options);
            groups.groups().stream()
                    // a group decides over its members, and one that removes rows over all columns
                    .filter(group -> group.removesRecord() || columns.stream().anyMatch(column -> groups.groupOf(column.name()).equals(Optional.of(group))))
                    .flatMap(group -> group.sequenceColumns().stream())
                    .map(schema::field)
                    .forEach(column -> carried.putIfAbsent(column.id(), column));
            List<Integer> ids = ImmutableList.copyOf(carried.keySet());
            layout = new KeyValueLayout(
                    ImmutableList.copyOf(carried.values()),
                    channels(ids, schema.trimmedPrimaryKeyFields()),
                    channels(ids, sequenceFields),
                    options.sequenceFieldDescending());
            keyEncoder = KeyEncoder.forKeys(schema.trimmedPrimaryKeyFields().stream().map(DataField::type).collect(toImmutableList()));
            outputChannels = IntStream.range(0, columns.size()).toArray();
        }

        private static List<Integer> channels(List<Integer> ids, List<DataField> fields)
        {
            return fields.stream().map(field -> ids.indexOf(field.id())).collect(toImmutableList());
        }
    }
}
