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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.airlift.slice.Slices;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BinaryRowEncoder;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TypeRoot;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import static java.lang.String.format;

/**
 * A table {@code pt STRING, k INT, v STRING, n BIGINT} with the primary key (pt, k), and entries of its manifests.
 */
public final class ManifestFixture
{
    private static final DataType STRING = new ScalarType(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH, 0, true);
    private static final DataType INT = new ScalarType(TypeRoot.INTEGER, 0, 0, true);
    private static final DataType BIGINT = new ScalarType(TypeRoot.BIGINT, 0, 0, true);

    private final FileIo fileIo = new HadoopFileIo(new Configuration(false));
    private final TablePaths paths;
    private final TableSchema schema;

    public ManifestFixture(java.nio.file.Path table, Map<String, String> options)
    {
        this.schema = new TableSchema(
                TableSchema.CURRENT_VERSION,
                0,
                ImmutableList.of(new DataField(0, "pt", STRING.withNullable(false)), new DataField(1, "k", INT.withNullable(false)), new DataField(2, "v", STRING), new DataField(3, "n", BIGINT)),
                3,
                ImmutableList.of("pt"),
                ImmutableList.of("pt", "k"),
                ImmutableMap.<String, String>builder().put("bucket", "2").putAll(options).buildOrThrow(),
                Optional.empty(),
                0);
        this.paths = new TablePaths(new Path(table.toUri()), schema);
    }

    public FileIo fileIo()
    {
        return fileIo;
    }

    public TablePaths paths()
    {
        return paths;
    }

    public ManifestStore store()
    {
        return new ManifestStore(fileIo, paths, schema);
    }

    public ManifestStore store(ManifestCache cache)
    {
        return new ManifestStore(fileIo, paths, schema, cache);
    }

    public static BinaryRow partition(String value)
    {
        return new BinaryRowEncoder(ImmutableList.of(STRING)).encodeValues(Collections.singletonList(value == null ? null : Slices.utf8Slice(value)));
    }

    private static BinaryRow key(long key)
    {
        return new BinaryRowEncoder(ImmutableList.of(INT)).encodeValues(ImmutableList.of(key));
    }

    public static ManifestEntry add(String partition, int bucket, int number)
    {
        return entry(FileKind.ADD, partition, bucket, number, 0);
    }

    public static ManifestEntry delete(String partition, int bucket, int number)
    {
        return entry(FileKind.DELETE, partition, bucket, number, 0);
    }

    public static ManifestEntry entry(FileKind kind, String partition, int bucket, int number, int level)
    {
        BinaryRow values = new BinaryRowEncoder(ImmutableList.of(STRING, INT, STRING, BIGINT))
                .encodeValues(Arrays.asList(partition == null ? null : Slices.utf8Slice(partition), (long) number, Slices.utf8Slice("value of the row"), null));
        SimpleStats valueStats = new SimpleStats(values, values, ImmutableList.of(Optional.of(0L), Optional.of(0L), Optional.empty(), Optional.of(1L)));
        SimpleStats keyStats = new SimpleStats(key(number), key(number + 1), ImmutableList.of(Optional.of(0L)));
        return new ManifestEntry(kind, partition(partition), bucket, 2, new DataFileMeta(
                format("data-0123abcd-%s.parquet", number),
                1000 + number,
                2,
                key(number),
                key(number + 1),
                keyStats,
                valueStats,
                number,
                number + 1,
                number % 3,
                level,
                ImmutableList.of(),
                OptionalLong.of(1_700_000_000_123L + number),
                OptionalLong.of(1),
                Optional.empty(),
                Optional.of(FileSource.APPEND),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                Optional.empty()));
    }

    /**
     * Entries that have between them every optional part, and lack it.
     */
    static List<ManifestEntry> diverseEntries()
    {
        ManifestEntry full = add("p1", 1, 5);
        DataFileMeta file = full.file();
        ManifestEntry everything = new ManifestEntry(FileKind.DELETE, partition(null), -2, -2, new DataFileMeta(
                file.fileName(), file.fileSize(), file.rowCount(), file.minKey(), file.maxKey(), file.keyStats(), file.valueStats(),
                -1, Long.MAX_VALUE, 7, 5, ImmutableList.of("a.index", "b.index"), OptionalLong.of(-5), OptionalLong.of(0),
                Optional.of(Slices.wrappedBuffer((byte) 1, (byte) 0, (byte) -1)), Optional.of(FileSource.COMPACT), Optional.of(ImmutableList.of("k", "v")),
                Optional.of("file:/elsewhere/data-x.parquet"), OptionalLong.of(100), Optional.of(ImmutableList.of("k"))));
        ManifestEntry nothing = new ManifestEntry(FileKind.ADD, partition("p2"), 0, -1, new DataFileMeta(
                "x.avro", 0, 0, BinaryRow.EMPTY, BinaryRow.EMPTY, SimpleStats.EMPTY, SimpleStats.EMPTY,
                0, 0, 0, 0, ImmutableList.of(), OptionalLong.of(0), OptionalLong.empty(),
                Optional.empty(), Optional.empty(), Optional.of(ImmutableList.of()), Optional.empty(), OptionalLong.empty(), Optional.empty()));
        return ImmutableList.of(everything, full, nothing, entry(FileKind.ADD, "p1", 0, 9, 3));
    }
}
