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
package io.lookup.storage.damage;

import com.google.common.collect.ImmutableMap;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.column.ReadRequest;
import io.lookup.storage.format.manifest.ManifestEntry;
import io.lookup.storage.format.parquet.PointReader;
import io.lookup.storage.format.parquet.RowSelection;
import io.lookup.storage.format.reader.DataFileReaderFactory;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TrinoTypes;
import io.lookup.storage.testing.TestTable;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.predicate.ValueSet;
import io.trino.spi.type.BigintType;
import io.trino.spi.type.TinyintType;
import io.trino.spi.type.Type;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

import static io.airlift.slice.Slices.utf8Slice;
import static java.util.Objects.requireNonNull;

/**
 * Reads one data file or changelog file by itself in every way there is: all of it, what a predicate leaves of it, and single rows. Who damaged a file may
 * have given the manifests its length.
 */
final class DamagedDataFiles
{
    private final TableSchema schema;
    private final TablePaths paths;
    private final TupleDomain<Integer> predicate;
    private final Map<String, ManifestEntry> entries = new HashMap<>();

    /**
     * @param entries of whole manifests
     */
    DamagedDataFiles(TableSchema schema, Path root, List<ManifestEntry> entries)
    {
        this.schema = requireNonNull(schema, "schema is null");
        this.paths = new TablePaths(root, schema);
        this.predicate = TupleDomain.withColumnDomains(schema.fields().stream()
                .filter(field -> field.name().equals("k") || field.name().equals("note"))
                .collect(ImmutableMap.toImmutableMap(DataField::id, DamagedDataFiles::domain)));
        entries.forEach(entry -> this.entries.put(entry.file().fileName(), entry));
    }

    private static Domain domain(DataField field)
    {
        Type type = TrinoTypes.toTrinoType(field.type());
        return field.name().equals("k") ? Domain.multipleValues(type, List.of(1L, 22L, 39L)) : Domain.create(ValueSet.of(type, utf8Slice("first"), utf8Slice("second")), true);
    }

    /**
     * A row's number in a dictionary that has fewer values, or a number of more digits than its type has, which Trino's decoders leave to whoever wants the value.
     */
    static boolean isUnreadableValue(Throwable failure)
    {
        return failure instanceof IllegalArgumentException
                && (failure.getMessage().startsWith("Invalid position ") || failure.getMessage().startsWith("Value out of range for DECIMAL"))
                && failure.getStackTrace()[0].getClassName().startsWith("io.trino.spi.");
    }

    Set<String> names()
    {
        return entries.keySet();
    }

    void read(FileIo fileIo, String name)
    {
        ManifestEntry entry = entries.get(name);
        Path path = paths.dataFile(entry.partition(), entry.bucket(), entry.file());
        DataFileReaderFactory readers = new DataFileReaderFactory(fileIo);
        try {
            long length = fileIo.readFully(path).length;
            List<Type> types = new ArrayList<>(TestTable.types(schema.fields()));
            types.add(BigintType.BIGINT);
            types.add(TinyintType.TINYINT);
            TestTable.read(readers.open(request(entry, path, length, TupleDomain.all())), types);
            PageStream selected = readers.open(request(entry, path, length, predicate).withRowPositions());
            types.add(BigintType.BIGINT);
            TestTable.read(selected, types);
            Optional<PointReader> points = readers.openPoints(request(entry, path, length, TupleDomain.all()));
            if (points.isPresent()) {
                readPoints(points.get());
            }
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ReadRequest request(ManifestEntry entry, Path path, long length, TupleDomain<Integer> asked)
    {
        return new ReadRequest(path, length, schema, schema.fields(), true, schema.partitionFields(), entry.partition(), asked);
    }

    private void readPoints(PointReader points)
            throws IOException
    {
        try (points) {
            int[] channels = IntStream.range(0, points.channelCount()).toArray();
            for (int group = 0; group < points.rowGroupCount(); group++) {
                for (int channel = 0; channel < schema.fields().size(); channel++) {
                    points.bounds(group, channel);
                }
                RowSelection rows = new RowSelection();
                // no more than lookups ask for at once
                long step = Math.max(3, points.rowCount(group) / 1_000);
                for (long row = 0; row < points.rowCount(group) && rows.rangeCount() < 1_000; row += step) {
                    rows.add(row, row + 1);
                }
                if (!rows.isEmpty()) {
                    points.read(group, channels, rows);
                }
            }
        }
    }
}
