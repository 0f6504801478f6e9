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
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.deletion.DeletionVector;
import io.lookup.storage.format.deletion.DeletionVectorLocation;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.parquet.DataFileReaderFactory;
import io.lookup.storage.format.parquet.DataFileReaderFactory.ReadRequest;
import io.lookup.storage.merge.MergeFunctions;
import io.lookup.storage.merge.MergingPageStream;
import io.lookup.storage.merge.RunInput;
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
     * The live rows of the split.
     *
     * @param columns columns of the schema that is read, none twice; may be empty, then pages have rows only
     * @param predicate by field id; rows that do not match may be returned, and those may be outdated versions
     * of their key: the caller filters all rows by it
     */
    public PageStream open(TableSplit split, List<DataField> columns, TupleDomain<Integer> predicate)
    {
        checkArgument(split.schemaId() == schema.id(), "split is of schema %s, not %s", split.schemaId(), schema.id());
        Reader reader = new Reader(split, columns, predicate);
        return new ConcatenatedPageStream(split.sections().stream()
                .map(section -> (ConcatenatedPageStream.Source) () -> reader.openSection(section))
                .iterator());
    }

    private final class Reader
    {
        private final TableSplit split;
        private final List<DataField> columns;
        private final TupleDomain<Integer> predicate;
        private final boolean keyed = !schema.primaryKeys().isEmpty();
        private MergePlan mergePlan;

        private Reader(TableSplit split, List<DataField> columns, TupleDomain<Integer> predicate)
        {
            this.split = requireNonNull(split, "split is null");
            this.columns = ImmutableList.copyOf(columns);
            this.predicate = withoutPartitionColumns(predicate);
        }

        PageStream openSection(Section section)
                throws IOException
        {
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
            ImmutableList.Builder<RunInput> runs = ImmutableList.builder();
            for (List<SplitFile> run : section.runs()) {
                PageStream pages = new ConcatenatedPageStream(run.stream()
                        // other columns may match in one version of a key and not in its newest
                        .map(file -> (ConcatenatedPageStream.Source) () -> openFile(file, mergePlan.layout.columns(), true, keyPredicate()))
                        .iterator());
                runs.add(new RunInput(pages, run.getFirst().level()));
            }
            MergingPageStream merged = new MergingPageStream(
                    mergePlan.layout,
                    mergePlan.keyEncoder,
                    runs.build(),
                    MergeFunctions.create(schema, options, mergePlan.layout, split.completeLevels()),
                    true);
            return new ProjectedPageStream(merged, mergePlan.outputChannels);
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
            return files.open(request.withDeletions(file.deletions().map(this::readDeletions).orElse(DeletionVector.EMPTY)));
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
