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
package io.lookup.storage.testing;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.airlift.slice.Slices;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.commit.CommitRequest;
import io.lookup.storage.commit.CommitResult;
import io.lookup.storage.commit.CommitStatistics;
import io.lookup.storage.commit.CommitTarget;
import io.lookup.storage.commit.TableCommitter;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.TrinoBlocks;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.manifest.ManifestStore;
import io.lookup.storage.format.parquet.DataFileWriterFactory;
import io.lookup.storage.format.parquet.DataFileWriterFactory.RollingWriter;
import io.lookup.storage.format.reader.DataFileReaderFactory;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BinaryRowEncoder;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.scan.ChangePlanner;
import io.lookup.storage.scan.ChangeReader;
import io.lookup.storage.scan.ChangeSplit;
import io.lookup.storage.scan.ScanFilter;
import io.lookup.storage.scan.ScanPlanner;
import io.lookup.storage.scan.SplitReaderFactory;
import io.lookup.storage.scan.TableSplit;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.schema.TypeRoot;
import io.lookup.storage.snapshot.LiveFiles;
import io.lookup.storage.snapshot.SnapshotManager;
import io.trino.spi.Page;
import io.trino.spi.PageBuilder;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeUtils;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.TinyintType.TINYINT;

/**
 * A table on a local disk with the smallest writer that can be: rows come sorted, each call makes one file.
 * Columns are INT or STRING.
 */
public final class TestTable
{
    public static final DataType INT = new DataType.ScalarType(TypeRoot.INTEGER, 0, 0, true);
    public static final DataType STRING = new DataType.ScalarType(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH, 0, true);

    private final FileIo fileIo;
    private final TableSchema schema;
    private final CoreOptions options;
    private final SchemaManager schemas;
    private final TablePaths paths;
    private final SnapshotManager snapshots;
    private final ManifestStore manifests;
    private final LiveFiles liveFiles;
    private final DataFileWriterFactory writers;

    private TestTable(FileIo fileIo, Path root)
    {
        this.fileIo = fileIo;
        this.schemas = new SchemaManager(fileIo, root);
        this.schema = schemas.latest().orElseThrow();
        this.options = new CoreOptions(schema.options());
        this.paths = new TablePaths(root, schema);
        this.snapshots = new SnapshotManager(fileIo, paths);
        this.manifests = new ManifestStore(fileIo, paths, schema);
        this.liveFiles = new LiveFiles(manifests);
        this.writers = new DataFileWriterFactory(fileIo, paths, schema);
    }

    public static FileIo localFileIo()
    {
        return new HadoopFileIo(HadoopConfigurations.create(ImmutableMap.of(), ImmutableList.of()));
    }

    public static Path root(java.nio.file.Path warehouse, String name)
    {
        return new Path(warehouse.toUri().toString().replaceAll("/$", "") + "/default.db/" + name);
    }

    /**
     * Columns k INT (key), v STRING, w INT.
     */
    public static TestTable create(FileIo fileIo, Path root, Map<String, String> options)
    {
        List<DataField> fields = ImmutableList.of(
                new DataField(0, "k", INT.withNullable(false)),
                new DataField(1, "v", STRING),
                new DataField(2, "w", INT));
        return create(fileIo, root, new TableSchema(TableSchema.CURRENT_VERSION, 0, fields, 2, ImmutableList.of(), ImmutableList.of("k"), withBucket(options), Optional.empty(), 1));
    }

    /**
     * Columns p STRING (partition), k INT (key), v STRING.
     */
    public static TestTable createPartitioned(FileIo fileIo, Path root, Map<String, String> options)
    {
        List<DataField> fields = ImmutableList.of(
                new DataField(0, "p", STRING.withNullable(false)),
                new DataField(1, "k", INT.withNullable(false)),
                new DataField(2, "v", STRING));
        return create(fileIo, root, new TableSchema(TableSchema.CURRENT_VERSION, 0, fields, 2, ImmutableList.of("p"), ImmutableList.of("p", "k"), withBucket(options), Optional.empty(), 1));
    }

    public static TestTable create(FileIo fileIo, Path root, TableSchema schema)
    {
        if (!new SchemaManager(fileIo, root).tryCreate(schema)) {
            throw new IllegalStateException("schema exists");
        }
        return open(fileIo, root);
    }

    public static TestTable open(FileIo fileIo, Path root)
    {
        return new TestTable(fileIo, root);
    }

    private static Map<String, String> withBucket(Map<String, String> options)
    {
        return ImmutableMap.<String, String>builder().put("bucket", "1").putAll(options).buildKeepingLast();
    }

    /**
     * A record as it is stored.
     */
    public record Row(RowKind kind, long sequence, List<Object> values)
    {
        public static Row row(RowKind kind, long sequence, Object... values)
        {
            List<Object> list = new ArrayList<>();
            for (Object value : values) {
                list.add(value);
            }
            return new Row(kind, sequence, list);
        }

        public static Row insert(long sequence, Object... values)
        {
            return row(RowKind.INSERT, sequence, values);
        }

        public static Row delete(long sequence, Object... values)
        {
            return row(RowKind.DELETE, sequence, values);
        }
    }

    public TableSchema schema()
    {
        return schema;
    }

    public CoreOptions options()
    {
        return options;
    }

    public SchemaManager schemas()
    {
        return schemas;
    }

    public SnapshotManager snapshots()
    {
        return snapshots;
    }

    public LiveFiles liveFiles()
    {
        return liveFiles;
    }

    public TablePaths paths()
    {
        return paths;
    }

    public FileIo fileIo()
    {
        return fileIo;
    }

    public TableCommitter committer()
    {
        return new TableCommitter(new CommitTarget("default." + paths.root().getName(), fileIo, paths, schema, options, schemas, snapshots, manifests, liveFiles, System::currentTimeMillis, new CommitStatistics()), Optional.empty());
    }

    public BinaryRow partition(Object... values)
    {
        List<Object> natives = new ArrayList<>();
        for (Object value : values) {
            natives.add(toNative(value));
        }
        return new BinaryRowEncoder(schema.partitionFields().stream().map(DataField::type).collect(toImmutableList())).encodeValues(natives);
    }

    public DataFileMeta writeFile(BinaryRow partition, int bucket, int level, Row... rows)
    {
        return write(writers.createDataWriter(partition, bucket, level, level == 0 ? FileSource.APPEND : FileSource.COMPACT), rows);
    }

    public DataFileMeta writeChangelog(BinaryRow partition, int bucket, int level, Row... rows)
    {
        return write(writers.createChangelogWriter(partition, bucket, level), rows);
    }

    private DataFileMeta write(RollingWriter writer, Row... rows)
    {
        try {
            writer.write(page(rows));
            return writer.finish().getFirst();
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Page page(Row... rows)
    {
        List<Type> types = ImmutableList.<Type>builder()
                .addAll(schema.fields().stream().map(field -> TrinoTypes.toTrinoType(field.type())).collect(toImmutableList()))
                .add(BIGINT)
                .add(TINYINT)
                .build();
        PageBuilder builder = new PageBuilder(types);
        for (Row row : rows) {
            builder.declarePosition();
            for (int channel = 0; channel < row.values().size(); channel++) {
                TypeUtils.writeNativeValue(types.get(channel), builder.getBlockBuilder(channel), toNative(row.values().get(channel)));
            }
            BIGINT.writeLong(builder.getBlockBuilder(types.size() - 2), row.sequence());
            TINYINT.writeLong(builder.getBlockBuilder(types.size() - 1), row.kind().value());
        }
        return builder.build();
    }

    private static Object toNative(Object value)
    {
        return switch (value) {
            case null -> null;
            case String text -> Slices.utf8Slice(text);
            case Integer number -> (long) number;
            default -> throw new IllegalArgumentException("Not INT or STRING: " + value);
        };
    }

    public CommitMessage append(BinaryRow partition, int bucket, DataFileMeta... files)
    {
        return message(partition, bucket, ImmutableList.copyOf(files), ImmutableList.of(), ImmutableList.of(), ImmutableList.of(), ImmutableList.of());
    }

    public CommitMessage message(
            BinaryRow partition,
            int bucket,
            List<DataFileMeta> newFiles,
            List<DataFileMeta> newChangelog,
            List<DataFileMeta> before,
            List<DataFileMeta> after,
            List<DataFileMeta> changelog)
    {
        return new CommitMessage(partition, bucket, options.bucket(), newFiles, newChangelog, before, after, changelog);
    }

    public CommitRequest request(OptionalLong base, CommitMessage... messages)
    {
        return new CommitRequest(base, ImmutableList.copyOf(messages), false, ImmutableMap.of(), ImmutableMap.of(), UUID.randomUUID().toString(), Optional.empty());
    }

    /**
     * Commits upon the newest snapshot.
     */
    public CommitResult commit(CommitMessage... messages)
    {
        return committer().commit(request(snapshots.latestId(), messages));
    }

    public List<DataFileMeta> live()
    {
        return snapshots.latest().map(snapshot -> liveFiles.liveFiles(snapshot, manifest -> true, entry -> true)).orElse(List.of()).stream()
                .map(ManifestEntry::file)
                .collect(toImmutableList());
    }

    public ScanPlanner scanPlanner()
    {
        return new ScanPlanner(schema, options, schemas, liveFiles);
    }

    public SplitReaderFactory splitReaders()
    {
        return new SplitReaderFactory(schema, options, schemas, paths, new DataFileReaderFactory(fileIo));
    }

    public List<TableSplit> plan(ScanFilter filter)
    {
        return ImmutableList.copyOf(scanPlanner().plan(snapshots.latest().orElseThrow(), filter));
    }

    /**
     * All rows of the newest snapshot as text, sorted.
     */
    public List<String> rows()
    {
        return rows(ScanFilter.ALL, schema.fields());
    }

    public List<String> rows(ScanFilter filter, List<DataField> columns)
    {
        ImmutableList.Builder<String> rows = ImmutableList.builder();
        for (TableSplit split : plan(filter)) {
            rows.addAll(texts(splitReaders().open(TableSplit.fromBytes(split.toBytes()), columns, filter.predicate()), types(columns)));
        }
        return ImmutableList.sortedCopyOf(rows.build());
    }

    public List<ChangeSplit> planChanges(long afterId, long toId, ScanFilter filter)
    {
        return ImmutableList.copyOf(new ChangePlanner(schema, options, schemas, liveFiles).plan(snapshots.snapshots(afterId + 1, toId), filter));
    }

    /**
     * The log as text: kind, then the columns.
     */
    public List<String> changes(long afterId, long toId)
    {
        return changes(afterId, toId, ScanFilter.ALL, schema.fields());
    }

    public List<String> changes(long afterId, long toId, ScanFilter filter, List<DataField> columns)
    {
        List<Type> types = ImmutableList.<Type>builder().addAll(types(columns)).add(BIGINT).add(TINYINT).build();
        ChangeReader reader = new ChangeReader(schema, schemas, paths, new DataFileReaderFactory(fileIo));
        ImmutableList.Builder<String> changes = ImmutableList.builder();
        for (ChangeSplit split : planChanges(afterId, toId, filter)) {
            for (List<Object> row : read(reader.open(ChangeSplit.fromBytes(split.toBytes()), columns, TupleDomain.all(), true), types)) {
                byte kind = (byte) row.getLast();
                changes.add(RowKind.fromValue(kind).shortName() + row.subList(0, row.size() - 2));
            }
        }
        return changes.build();
    }

    public static List<Type> types(List<DataField> columns)
    {
        return columns.stream().map(field -> TrinoTypes.toTrinoType(field.type())).collect(toImmutableList());
    }

    public static List<String> texts(PageStream stream, List<Type> types)
    {
        return read(stream, types).stream().map(Object::toString).collect(toImmutableList());
    }

    public static List<List<Object>> read(PageStream stream, List<Type> types)
    {
        List<List<Object>> rows = new ArrayList<>();
        try (stream) {
            for (Page page = stream.nextPage(); page != null; page = stream.nextPage()) {
                if (page.getChannelCount() != types.size()) {
                    throw new IllegalStateException("Expected %s channels, got %s".formatted(types.size(), page.getChannelCount()));
                }
                for (int position = 0; position < page.getPositionCount(); position++) {
                    List<Object> row = new ArrayList<>();
                    for (int channel = 0; channel < types.size(); channel++) {
                        row.add(TrinoBlocks.objectValue(types.get(channel), page.getBlock(channel), position));
                    }
                    rows.add(row);
                }
            }
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return rows;
    }
}
