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
import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.lookup.storage.format.row.BinaryRow;
import org.apache.hadoop.conf.Configuration;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryArray;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.io.PojoDataFileMeta;
import org.apache.paimon.options.Options;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.utils.SerializationUtils;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Manifest objects as Paimon has them, converted there and back, and a table of Paimon's that reads and writes them.
 */
final class PaimonManifests
{
    private PaimonManifests() {}

    static FileStoreTable createTable(java.nio.file.Path warehouse, Map<String, String> options)
            throws Exception
    {
        try (Catalog catalog = CatalogFactory.createCatalog(CatalogContext.create(Options.fromMap(Map.of("warehouse", warehouse.toUri().toString())), new Configuration(false)))) {
            catalog.createDatabase("d", true);
            Identifier identifier = Identifier.create("d", "t");
            catalog.createTable(
                    identifier,
                    Schema.newBuilder()
                            .column("pt", DataTypes.STRING())
                            .column("k", DataTypes.INT())
                            .column("v", DataTypes.STRING())
                            .column("n", DataTypes.BIGINT())
                            .partitionKeys("pt")
                            .primaryKey("pt", "k")
                            .options(options)
                            .option("bucket", "2")
                            .build(),
                    false);
            return (FileStoreTable) catalog.getTable(identifier);
        }
    }

    static org.apache.paimon.manifest.ManifestEntry toPaimon(ManifestEntry entry)
    {
        DataFileMeta file = entry.file();
        return org.apache.paimon.manifest.ManifestEntry.create(
                org.apache.paimon.manifest.FileKind.values()[entry.kind().ordinal()],
                toPaimon(entry.partition()),
                entry.bucket(),
                entry.totalBuckets(),
                new PojoDataFileMeta(
                        file.fileName(),
                        file.fileSize(),
                        file.rowCount(),
                        toPaimon(file.minKey()),
                        toPaimon(file.maxKey()),
                        toPaimon(file.keyStats()),
                        toPaimon(file.valueStats()),
                        file.minSequenceNumber(),
                        file.maxSequenceNumber(),
                        file.schemaId(),
                        file.level(),
                        file.extraFiles(),
                        file.creationTimeMillis().isPresent() ? Timestamp.fromEpochMillis(file.creationTimeMillis().getAsLong()) : null,
                        boxed(file.deleteRowCount()),
                        file.embeddedIndex().map(Slice::getBytes).orElse(null),
                        file.fileSource().map(source -> org.apache.paimon.manifest.FileSource.values()[source.ordinal()]).orElse(null),
                        file.valueStatsColumns().orElse(null),
                        file.externalPath().orElse(null),
                        boxed(file.firstRowId()),
                        file.writeColumns().orElse(null)));
    }

    static ManifestEntry fromPaimon(org.apache.paimon.manifest.ManifestEntry entry)
    {
        org.apache.paimon.io.DataFileMeta file = entry.file();
        return new ManifestEntry(
                FileKind.values()[entry.kind().toByteValue()],
                fromPaimon(entry.partition()),
                entry.bucket(),
                entry.totalBuckets(),
                new DataFileMeta(
                        file.fileName(),
                        file.fileSize(),
                        file.rowCount(),
                        fromPaimon(file.minKey()),
                        fromPaimon(file.maxKey()),
                        fromPaimon(file.keyStats()),
                        fromPaimon(file.valueStats()),
                        file.minSequenceNumber(),
                        file.maxSequenceNumber(),
                        file.schemaId(),
                        file.level(),
                        file.extraFiles(),
                        file.creationTime() == null ? OptionalLong.empty() : OptionalLong.of(file.creationTime().getMillisecond()),
                        file.deleteRowCount().map(OptionalLong::of).orElseGet(OptionalLong::empty),
                        Optional.ofNullable(file.embeddedIndex()).map(Slices::wrappedBuffer),
                        file.fileSource().map(source -> FileSource.values()[source.toByteValue()]),
                        Optional.ofNullable(file.valueStatsCols()),
                        file.externalPath(),
                        unboxed(file.firstRowId()),
                        Optional.ofNullable(file.writeCols())));
    }

    static org.apache.paimon.manifest.ManifestFileMeta toPaimon(ManifestFileMeta manifest)
    {
        return new org.apache.paimon.manifest.ManifestFileMeta(
                manifest.fileName(),
                manifest.fileSize(),
                manifest.addedFiles(),
                manifest.deletedFiles(),
                toPaimon(manifest.partitionStats()),
                manifest.schemaId(),
                boxed(manifest.minBucket()),
                boxed(manifest.maxBucket()),
                boxed(manifest.minLevel()),
                boxed(manifest.maxLevel()),
                boxed(manifest.minRowId()),
                boxed(manifest.maxRowId()));
    }

    static ManifestFileMeta fromPaimon(org.apache.paimon.manifest.ManifestFileMeta manifest)
    {
        return new ManifestFileMeta(
                manifest.fileName(),
                manifest.fileSize(),
                manifest.numAddedFiles(),
                manifest.numDeletedFiles(),
                fromPaimon(manifest.partitionStats()),
                manifest.schemaId(),
                unboxed(manifest.minBucket()),
                unboxed(manifest.maxBucket()),
                unboxed(manifest.minLevel()),
                unboxed(manifest.maxLevel()),
                unboxed(manifest.minRowId()),
                unboxed(manifest.maxRowId()));
    }

    static org.apache.paimon.data.BinaryRow toPaimon(BinaryRow row)
    {
        return SerializationUtils.deserializeBinaryRow(row.toBytesWithArity());
    }

    static BinaryRow fromPaimon(org.apache.paimon.data.BinaryRow row)
    {
        return BinaryRow.fromBytesWithArity(SerializationUtils.serializeBinaryRow(row));
    }

    private static org.apache.paimon.stats.SimpleStats toPaimon(SimpleStats stats)
    {
        return new org.apache.paimon.stats.SimpleStats(
                toPaimon(stats.minValues()),
                toPaimon(stats.maxValues()),
                BinaryArray.fromLongArray(stats.nullCounts().stream().map(count -> count.orElse(null)).toArray(Long[]::new)));
    }

    private static SimpleStats fromPaimon(org.apache.paimon.stats.SimpleStats stats)
    {
        ImmutableList.Builder<Optional<Long>> counts = ImmutableList.builder();
        for (int index = 0; index < stats.nullCounts().size(); index++) {
            counts.add(stats.nullCounts().isNullAt(index) ? Optional.empty() : Optional.of(stats.nullCounts().getLong(index)));
        }
        return new SimpleStats(fromPaimon(stats.minValues()), fromPaimon(stats.maxValues()), counts.build());
    }

    static List<ManifestEntry> fromPaimon(List<org.apache.paimon.manifest.ManifestEntry> entries)
    {
        return entries.stream().map(PaimonManifests::fromPaimon).toList();
    }

    private static Long boxed(OptionalLong value)
    {
        return value.isPresent() ? value.getAsLong() : null;
    }

    private static Integer boxed(OptionalInt value)
    {
        return value.isPresent() ? value.getAsInt() : null;
    }

    private static OptionalLong unboxed(Long value)
    {
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }

    private static OptionalInt unboxed(Integer value)
    {
        return value == null ? OptionalInt.empty() : OptionalInt.of(value);
    }
}
