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
package io.lookup.storage.lookup;

import com.google.common.collect.ImmutableList;
import com.google.common.util.concurrent.Uninterruptibles;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.deletion.DeletionVector;
import io.lookup.storage.format.keyvalue.EncodedKeys;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.format.manifest.SimpleStats;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BinaryRowEncoder;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.lookup.local.DataFileLookup;
import io.lookup.storage.lookup.local.LocalLookupFiles;
import io.lookup.storage.lookup.local.LookupFileId;
import io.lookup.storage.lookup.local.LookupLayout;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TypeRoot;
import io.lookup.storage.table.BlockValues;
import io.trino.spi.Page;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeUtils;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * Data files that lie in memory and are read as those of a table: ascending by key, page by page, without deleted rows. It
 * knows which were opened, and which are open.
 */
final class LookupFiles
{
    private static final DataField SEQUENCE = new DataField(100, "sequence", new ScalarType(TypeRoot.BIGINT, 0, 0, false));
    private static final DataField KIND = new DataField(101, "kind", new ScalarType(TypeRoot.TINYINT, 0, 0, false));

    private final KeyValueLayout layout;
    private final KeyEncoder keyEncoder;
    private final int pageSize;
    private final boolean large;
    private final List<List<DataFileMeta>> levels = new ArrayList<>();
    private final Map<String, List<Row>> rows = new HashMap<>();
    private final Map<String, Set<Integer>> deleted = new HashMap<>();
    private final List<String> opened = Collections.synchronizedList(new ArrayList<>());
    private final List<String> open = Collections.synchronizedList(new ArrayList<>());
    private final Set<String> broken = new HashSet<>();

    /**
     * @param values one a column
     */
    record Row(RowKind kind, long sequence, List<Object> values)
    {
        static Row row(Object... values)
        {
            return new Row(RowKind.INSERT, 1, ImmutableList.copyOf(values));
        }

        static Row deletion(Object... values)
        {
            return new Row(RowKind.DELETE, 1, ImmutableList.copyOf(values));
        }

        Row withSequence(long number)
        {
            return new Row(kind, number, values);
        }
    }

    /**
     * @param pageSize rows a page
     * @param large whether files claim to have far more rows than a lookup has keys, so that reading them whole would not pay
     */
    LookupFiles(List<DataField> columns, List<Integer> keyChannels, int pageSize, boolean large)
    {
        this.layout = new KeyValueLayout(columns, keyChannels, ImmutableList.of(), false);
        this.keyEncoder = KeyEncoder.forKeys(layout.keyTypes());
        this.pageSize = pageSize;
        this.large = large;
    }

    /**
     * Columns k INT (key) and v INT.
     */
    static LookupFiles ofIntegers(int pageSize, boolean large)
    {
        return new LookupFiles(
                ImmutableList.of(
                        new DataField(0, "k", new ScalarType(TypeRoot.INTEGER, 0, 0, false)),
                        new DataField(1, "v", new ScalarType(TypeRoot.INTEGER, 0, 0, true))),
                ImmutableList.of(0),
                pageSize,
                large);
    }

    /**
     * Adds a file of rows that ascend by key. Levels come in their order.
     */
    DataFileMeta add(int level, Row... fileRows)
    {
        String name = "file-" + rows.size();
        rows.put(name, ImmutableList.copyOf(fileRows));
        DataFileMeta file = file(name, level, fileRows[0], fileRows[fileRows.length - 1], fileRows.length);
        if (levels.isEmpty() || (!levels.getLast().isEmpty() && levels.getLast().getFirst().level() != level)) {
            levels.add(new ArrayList<>());
        }
        levels.getLast().add(file);
        return file;
    }

    /**
     * A file that is in no level.
     */
    DataFileMeta file(String name, int level, Row first, Row last, long rowCount)
    {
        return new DataFileMeta(
                name, 100, large ? 1_000_000_000L : rowCount, key(first), key(last), SimpleStats.EMPTY, SimpleStats.EMPTY, 0, 0,
                0, level, ImmutableList.of(), OptionalLong.of(0), OptionalLong.of(0), Optional.empty(), Optional.of(FileSource.COMPACT),
                Optional.empty(), Optional.empty(), OptionalLong.empty(), Optional.empty());
    }

    void addEmptyLevel()
    {
        levels.add(new ArrayList<>());
    }

    void delete(DataFileMeta file, int position)
    {
        deleted.computeIfAbsent(file.fileName(), _ -> new HashSet<>()).add(position);
    }

    void breakFile(DataFileMeta file)
    {
        broken.add(file.fileName());
    }

    KeyLookup lookup()
    {
        return new KeyLookup(layout, keyEncoder, levels, (file, predicate) -> openFile(file, predicate, layout.columns(), false), expectedProbes(), TestingLookups.forced());
    }

    KeyLookup lookupWithPositions()
    {
        return KeyLookup.withPositions(layout, keyEncoder, levels, (file, predicate) -> openFile(file, predicate, layout.columns(), true), expectedProbes(), TestingLookups.forced());
    }

    KeyLookup lookupOfKeys()
    {
        return KeyLookup.ofKeys(layout, keyEncoder, levels, (file, predicate) -> openFile(file, predicate, keyColumns(), false), expectedProbes(), TestingLookups.forced());
    }

    /**
     * Looks up in copies on the local disk, which are made where they are missing, and in the files where the disk has no room.
     */
    KeyLookup localLookup(LocalLookupFiles copies)
    {
        return new KeyLookup(layout, keyEncoder, levels, localReader(copies, LookupLayout.ofRows(layout, keyEncoder), layout.columns()), expectedProbes(), TestingLookups.LOCAL.resources());
    }

    KeyLookup localLookupOfKeys(LocalLookupFiles copies)
    {
        return KeyLookup.ofKeys(layout, keyEncoder, levels, localReader(copies, LookupLayout.ofKeys(layout, keyEncoder), keyColumns()), expectedProbes(), TestingLookups.LOCAL.resources());
    }

    /**
     * As costs say. Copies are asked for and made in the background.
     *
     * @param mayRead what making a copy waits for
     */
    KeyLookup lookupWithRequests(LocalLookupFiles copies, LookupResources resources, CountDownLatch mayRead)
    {
        LookupLayout lookupLayout = LookupLayout.ofRows(layout, keyEncoder);
        LookupFileReader reader = new LookupFileReader()
        {
            @Override
            public PageStream open(DataFileMeta file, TupleDomain<Integer> predicate)
                    throws IOException
            {
                return openFile(file, predicate, layout.columns(), false);
            }

            @Override
            public LocalCopy localCopy(DataFileMeta file)
            {
                return copies.contains(id(file, lookupLayout)) ? LocalCopy.PRESENT : LocalCopy.ABSENT;
            }

            @Override
            public Optional<FileLookup> openLocal(DataFileMeta file, DataFileLookup fallback)
            {
                return copies.find(id(file, lookupLayout), deletions(file), fallback);
            }

            @Override
            public boolean requestLocal(DataFileMeta file)
            {
                return copies.request(id(file, lookupLayout), Optional.empty(), () -> {
                    Uninterruptibles.awaitUninterruptibly(mayRead);
                    return openFile(file, TupleDomain.all(), layout.columns(), false, Set.of());
                });
            }
        };
        return new KeyLookup(layout, keyEncoder, levels, reader, 100, resources);
    }

    private static LookupFileId id(DataFileMeta file, LookupLayout lookupLayout)
    {
        return new LookupFileId("file:/table/bucket-0/" + file.fileName(), file, lookupLayout);
    }

    private DeletionVector deletions(DataFileMeta file)
    {
        return DeletionVector.of(deleted.getOrDefault(file.fileName(), Set.of()).stream().mapToLong(Integer::longValue).toArray());
    }

    private LookupFileReader localReader(LocalLookupFiles copies, LookupLayout lookupLayout, List<DataField> columns)
    {
        return new LookupFileReader()
        {
            @Override
            public PageStream open(DataFileMeta file, TupleDomain<Integer> predicate)
                    throws IOException
            {
                return openFile(file, predicate, columns, false);
            }

            @Override
            public Optional<FileLookup> makeLocal(DataFileMeta file, DataFileLookup fallback)
                    throws IOException
            {
                return copies.build(id(file, lookupLayout), Optional.empty(), () -> openFile(file, TupleDomain.all(), columns, false, Set.of()), deletions(file), fallback);
            }
        };
    }

    private List<DataField> keyColumns()
    {
        return layout.keyChannels().stream().map(layout.columns()::get).collect(toImmutableList());
    }

    private long expectedProbes()
    {
        return large ? 1 : 1_000_000;
    }

    /**
     * Sorts the rows and makes them the keys that are looked for.
     */
    void probe(ProbeKeys probes, List<Row> probeRows)
    {
        probes.clear();
        List<Row> sorted = probeRows.stream().sorted(Comparator.comparing(row -> keyEncoder.encode(key(row)))).toList();
        if (sorted.isEmpty()) {
            return;
        }
        Page page = page(layout.columns(), sorted, IntStream.range(0, sorted.size()).toArray(), false);
        EncodedKeys keys = keyEncoder.encode(page, layout.keyChannelArray());
        for (int position = 0; position < sorted.size(); position++) {
            probes.add(keys.prefix(position), keys.key(position), page, position);
        }
    }

    /**
     * The values that were found, in the order of the columns.
     */
    List<Object> values(LookupHits hits, int probe)
    {
        return BlockValues.toRow(layout.columns(), hits.page(probe), hits.position(probe));
    }

    /**
     * The columns that hits of records and of keys alone begin with, where the key's columns are the first.
     */
    List<Object> key(LookupHits hits, int probe)
    {
        return BlockValues.toRow(keyColumns(), hits.page(probe), hits.position(probe));
    }

    RowKind kind(LookupHits hits, int probe)
    {
        return RowKind.fromValue(((Number) BlockValues.toRow(ImmutableList.of(KIND), hits.page(probe).getColumns(layout.kindChannel()), hits.position(probe)).getFirst()).byteValue());
    }

    long sequence(LookupHits hits, int probe)
    {
        return ((Number) BlockValues.toRow(ImmutableList.of(SEQUENCE), hits.page(probe).getColumns(layout.sequenceChannel()), hits.position(probe)).getFirst()).longValue();
    }

    /**
     * The files that were opened, each once.
     */
    Set<String> opened()
    {
        return new LinkedHashSet<>(opened);
    }

    /**
     * How often any file was opened.
     */
    int openings()
    {
        return opened.size();
    }

    /**
     * The files that were opened and not closed.
     */
    List<String> open()
    {
        return ImmutableList.copyOf(open);
    }

    private BinaryRow key(Row row)
    {
        List<DataField> keys = keyColumns();
        List<Object> values = layout.keyChannels().stream().map(row.values()::get).collect(toImmutableList());
        Page page = BlockValues.toPage(keys, ImmutableList.of(values));
        return new BinaryRowEncoder(keys.stream().map(DataField::type).collect(toImmutableList())).encode(page, IntStream.range(0, keys.size()).toArray(), 0);
    }

    /**
     * Leaves out what the predicate excludes, row by row: as sharp as a reader could be.
     */
    private PageStream openFile(DataFileMeta file, TupleDomain<Integer> predicate, List<DataField> columns, boolean withPositions)
            throws IOException
    {
        return openFile(file, predicate, columns, withPositions, deleted.getOrDefault(file.fileName(), Set.of()));
    }

    private PageStream openFile(DataFileMeta file, TupleDomain<Integer> predicate, List<DataField> columns, boolean withPositions, Set<Integer> gone)
            throws IOException
    {
        String name = file.fileName();
        opened.add(name);
        if (broken.contains(name)) {
            throw new IOException(name + " is broken");
        }
        open.add(name);
        List<Row> all = rows.get(name);
        int[] positions = IntStream.range(0, all.size())
                .filter(position -> !gone.contains(position) && isAccepted(predicate, all.get(position)))
                .toArray();
        return new PageStream()
        {
            private int next;
            private boolean closed;

            @Override
            public Page nextPage()
            {
                if (next == positions.length) {
                    return null;
                }
                int from = next;
                next = Math.min(positions.length, from + pageSize);
                return page(columns, all, IntStream.range(from, next).map(index -> positions[index]).toArray(), withPositions);
            }

            @Override
            public void close()
            {
                if (!closed) {
                    closed = true;
                    open.remove(name);
                }
            }
        };
    }

    private boolean isAccepted(TupleDomain<Integer> predicate, Row row)
    {
        if (predicate.isNone()) {
            return false;
        }
        for (Map.Entry<Integer, Domain> entry : predicate.getDomains().orElseThrow().entrySet()) {
            DataField column = layout.columns().stream().filter(field -> field.id() == entry.getKey()).findFirst().orElseThrow();
            Type type = entry.getValue().getType();
            Page page = BlockValues.toPage(ImmutableList.of(column), ImmutableList.of(List.of(row.values().get(layout.columns().indexOf(column)))));
            if (!entry.getValue().includesNullableValue(TypeUtils.readNativeValue(type, page.getBlock(0), 0))) {
                return false;
            }
        }
        return true;
    }

    private Page page(List<DataField> columns, List<Row> source, int[] positions, boolean withPositions)
    {
        ImmutableList.Builder<DataField> fields = ImmutableList.<DataField>builder().addAll(columns).add(SEQUENCE, KIND);
        if (withPositions) {
            fields.add(new DataField(102, "position", new ScalarType(TypeRoot.BIGINT, 0, 0, false)));
        }
        List<List<Object>> values = new ArrayList<>();
        for (int position : positions) {
            Row row = source.get(position);
            List<Object> line = new ArrayList<>();
            columns.forEach(column -> line.add(row.values().get(layout.columns().indexOf(column))));
            line.add(row.sequence());
            line.add(row.kind().value());
            if (withPositions) {
                line.add((long) position);
            }
            values.add(line);
        }
        return BlockValues.toPage(fields.build(), values);
    }

    static DataType varchar()
    {
        return new ScalarType(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH, 0, false);
    }
}
