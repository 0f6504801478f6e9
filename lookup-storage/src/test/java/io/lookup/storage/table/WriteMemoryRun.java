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
package io.lookup.storage.table;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.commit.CommitRequest;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.format.manifest.ManifestCache;
import io.lookup.storage.format.reader.DataFileReaderFactory;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TypeRoot;
import io.lookup.storage.write.TableWriter;
import io.lookup.storage.write.WriteMode;
import io.trino.spi.Page;
import io.trino.spi.PageBuilder;
import org.apache.hadoop.fs.Path;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

import static io.airlift.slice.Slices.utf8Slice;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.VarcharType.VARCHAR;

/**
 * One statement in a process of its own, whose heap is what is tried. Columns p INT (partition), k BIGINT (key), v BIGINT, s STRING.
 */
final class WriteMemoryRun
{
    private static final int PAGE_ROWS = 8192;

    private WriteMemoryRun() {}

    /**
     * @param arguments folder, partitions, buckets, rows
     */
    public static void main(String[] arguments)
            throws Exception
    {
        java.nio.file.Path folder = java.nio.file.Path.of(arguments[0]);
        int partitions = Integer.parseInt(arguments[1]);
        int buckets = Integer.parseInt(arguments[2]);
        long rows = Long.parseLong(arguments[3]);
        long start = System.nanoTime();
        try (HadoopFileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(ImmutableMap.of(), ImmutableList.of()))) {
            Path root = new Path(folder.resolve("default.db/t").toUri());
            List<DataField> fields = ImmutableList.of(
                    new DataField(0, "p", new DataType.ScalarType(TypeRoot.INTEGER, 0, 0, false)),
                    new DataField(1, "k", new DataType.ScalarType(TypeRoot.BIGINT, 0, 0, false)),
                    new DataField(2, "v", new DataType.ScalarType(TypeRoot.BIGINT, 0, 0, true)),
                    new DataField(3, "s", new DataType.ScalarType(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH, 0, true)));
            new SchemaManager(fileIo, root).tryCreate(new TableSchema(
                    TableSchema.CURRENT_VERSION,
                    0,
                    fields,
                    3,
                    ImmutableList.of("p"),
                    ImmutableList.of("p", "k"),
                    ImmutableMap.of("bucket", String.valueOf(buckets), "changelog-producer", "lookup"),
                    Optional.empty(),
                    1));
            // as a worker with this heap would have it
            long writeMemory = Math.clamp(Runtime.getRuntime().maxMemory() / 32, 16L << 20, 256L << 20);
            TableContext context = new TableContext(fileIo, new DataFileReaderFactory(fileIo), new ManifestCache(64L << 20), Optional.empty(), Files.createDirectories(folder.resolve("spill")), writeMemory);
            StorageTable table = StorageTable.open(context, "t", root).orElseThrow();
            TableWriter writer = table.newWriter(OptionalLong.empty(), WriteMode.UPSERT);
            PageBuilder builder = new PageBuilder(PAGE_ROWS, ImmutableList.of(INTEGER, BIGINT, BIGINT, VARCHAR));
            for (long row = 0; row < rows; row++) {
                // scattered: neighbours are in different partitions, and keys come in no order
                long key = row * 0x9E3779B97F4A7C15L;
                builder.declarePosition();
                INTEGER.writeLong(builder.getBlockBuilder(0), Long.remainderUnsigned(key, partitions));
                BIGINT.writeLong(builder.getBlockBuilder(1), key);
                BIGINT.writeLong(builder.getBlockBuilder(2), row);
                VARCHAR.writeSlice(builder.getBlockBuilder(3), utf8Slice("value " + row % 1000));
                if (builder.isFull() || builder.getPositionCount() == PAGE_ROWS || row == rows - 1) {
                    Page page = builder.build();
                    builder.reset();
                    writer.write(page, RowKind.INSERT);
                }
            }
            List<CommitMessage> messages = writer.prepareCommit();
            table.commit(new CommitRequest(OptionalLong.empty(), messages, false, ImmutableMap.of(), ImmutableMap.of(), UUID.randomUUID().toString(), Optional.empty()));
            long written = table.snapshots().latest().orElseThrow().totalRecordCount();
            long peak = ManagementFactory.getMemoryPoolMXBeans().stream()
                    .filter(pool -> pool.getType() == MemoryType.HEAP)
                    .mapToLong(pool -> pool.getPeakUsage().getUsed())
                    .sum();
            System.out.printf("rows %s, buckets written %s, heap limit %s MB, peak heap %s MB, %s, %.1f s%n",
                    written,
                    messages.size(),
                    Runtime.getRuntime().maxMemory() >> 20,
                    peak >> 20,
                    Files.readAllLines(java.nio.file.Path.of("/proc/self/status")).stream().filter(line -> line.startsWith("VmHWM")).findFirst().orElse("").replaceAll("\\s+", " "),
                    (System.nanoTime() - start) / 1e9);
        }
    }
}
