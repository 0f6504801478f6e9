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
package io.lookup.storage.versions;

import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.BinaryRowWriter;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.fs.Path;
import org.apache.paimon.options.Options;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.sink.TableWrite;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.RowKind;

import java.math.BigDecimal;
import java.util.List;

/**
 * Writes the tables that {@link TestPaimonVersions} reads, with whatever version of Paimon is on the class path from 0.9 on. Of the library it calls only what all of
 * these versions have. {@code docs/development.md} says how the files in {@code src/test/resources/paimon-versions} were made.
 */
final class VersionTables
{
    private static final String DATABASE = "versions";

    private final Catalog catalog;
    private final IOManager ioManager;

    private VersionTables(Catalog catalog, IOManager ioManager)
    {
        this.catalog = catalog;
        this.ioManager = ioManager;
    }

    /**
     * @param arguments the warehouse, a folder for temporary files, and, for a table with options that only this version has, their names and values
     */
    public static void main(String[] arguments)
            throws Exception
    {
        Options options = new Options();
        options.set("warehouse", new Path("file:" + arguments[0]).toString());
        try (Catalog catalog = CatalogFactory.createCatalog(CatalogContext.create(options))) {
            catalog.createDatabase(DATABASE, true);
            VersionTables tables = new VersionTables(catalog, IOManager.create(arguments[1]));
            tables.keyed("keyed", List.of("changelog-producer", "lookup"));
            tables.keyed("vectors", List.of("deletion-vectors.enabled", "true"));
            tables.keyed("full", List.of("changelog-producer", "full-compaction", "full-compaction.delta-commits", "1"));
            tables.keyed("input", List.of("changelog-producer", "input"));
            tables.keyed("dynamic", List.of("bucket", "-1"));
            tables.sums();
            tables.appended();
            List<String> newOptions = List.of(arguments).subList(2, arguments.length);
            if (!newOptions.isEmpty()) {
                tables.keyed("newer", newOptions);
            }
        }
    }

    private void keyed(String name, List<String> options)
            throws Exception
    {
        Schema.Builder schema = Schema.newBuilder()
                .column("region", DataTypes.STRING().notNull())
                .column("k", DataTypes.INT().notNull())
                .column("price", DataTypes.DECIMAL(20, 3))
                .column("at", DataTypes.TIMESTAMP(6))
                .column("tags", DataTypes.ARRAY(DataTypes.STRING()))
                .partitionKeys("region")
                .primaryKey("region", "k")
                .option("bucket", "1")
                .option("file.format", "parquet");
        for (int index = 0; index < options.size(); index += 2) {
            schema.option(options.get(index), options.get(index + 1));
        }
        catalog.createTable(identifier(name), schema.build(), false);
        write(name, row(RowKind.INSERT, "north", 1, "1.5"), row(RowKind.INSERT, "north", 2, "2.5"), row(RowKind.INSERT, "south", 3, null));
        write(name, row(RowKind.INSERT, "north", 2, "20.125"), row(RowKind.INSERT, "south", 4, "4"));
        catalog.getTable(identifier(name)).createTag("second", 2);
        catalog.alterTable(
                identifier(name),
                List.of(SchemaChange.addColumn("note", DataTypes.STRING()), SchemaChange.renameColumn("price", "cost")),
                false);
        write(name, noted(RowKind.INSERT, "north", 1, "10", "noted"), noted(RowKind.DELETE, "south", 3, null, null));
    }

    private void sums()
            throws Exception
    {
        catalog.createTable(
                identifier("sums"),
                Schema.newBuilder()
                        .column("k", DataTypes.INT().notNull())
                        .column("total", DataTypes.BIGINT())
                        .column("last", DataTypes.STRING())
                        .primaryKey("k")
                        .option("bucket", "2")
                        .option("file.format", "parquet")
                        .option("merge-engine", "aggregation")
                        .option("fields.total.aggregate-function", "sum")
                        .option("changelog-producer", "lookup")
                        .build(),
                false);
        for (int round = 0; round < 3; round++) {
            write("sums", GenericRow.of(1, 10L + round, BinaryString.fromString("round " + round)), GenericRow.of(round, 1L, null));
        }
    }

    private void appended()
            throws Exception
    {
        catalog.createTable(
                identifier("appended"),
                Schema.newBuilder()
                        .column("day", DataTypes.DATE())
                        .column("text", DataTypes.STRING())
                        .option("file.format", "parquet")
                        .build(),
                false);
        write("appended", GenericRow.of(19_000, BinaryString.fromString("a")), GenericRow.of(19_001, null));
        write("appended", GenericRow.of(null, BinaryString.fromString("b")));
    }

    private static GenericRow row(RowKind kind, String region, int key, String price)
    {
        return GenericRow.ofKind(
                kind,
                BinaryString.fromString(region),
                key,
                price == null ? null : Decimal.fromBigDecimal(new BigDecimal(price).setScale(3), 20, 3),
                Timestamp.fromMicros(1_700_000_000_000_000L + key),
                new GenericArray(new Object[] {BinaryString.fromString("tag of " + key), null}));
    }

    private static GenericRow noted(RowKind kind, String region, int key, String cost, String note)
    {
        GenericRow old = row(kind, region, key, cost);
        GenericRow row = new GenericRow(kind, 6);
        for (int field = 0; field < 5; field++) {
            row.setField(field, old.getField(field));
        }
        row.setField(5, note == null ? null : BinaryString.fromString(note));
        return row;
    }

    private void write(String name, GenericRow... rows)
            throws Exception
    {
        Table table = catalog.getTable(identifier(name));
        BatchWriteBuilder builder = table.newBatchWriteBuilder();
        boolean dynamic = "-1".equals(table.options().get("bucket")) && !table.primaryKeys().isEmpty();
        try (BatchTableWrite write = builder.newWrite(); BatchTableCommit commit = builder.newCommit()) {
            // of a batch writer it is another method in each version
            ((TableWrite) write).withIOManager(ioManager);
            for (GenericRow row : rows) {
                if (dynamic) {
                    write.write(row, 0);
                }
                else {
                    write.write(row);
                }
            }
            for (GenericRow row : rows) {
                if (!table.primaryKeys().isEmpty()) {
                    write.compact(partition(table, row), dynamic ? 0 : write.getBucket(row), false);
                }
            }
            commit.commit(write.prepareCommit());
        }
    }

    private static BinaryRow partition(Table table, GenericRow row)
    {
        if (table.partitionKeys().isEmpty()) {
            return BinaryRow.EMPTY_ROW;
        }
        BinaryRow partition = new BinaryRow(1);
        BinaryRowWriter writer = new BinaryRowWriter(partition);
        writer.writeString(0, (BinaryString) row.getField(0));
        writer.complete();
        return partition;
    }

    private static Identifier identifier(String name)
    {
        return Identifier.create(DATABASE, name);
    }
}
