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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonOracle;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.oracle.SnapshotSummary;
import org.apache.paimon.append.AppendCompactCoordinator;
import org.apache.paimon.append.AppendCompactTask;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.operation.BaseAppendFileStoreWrite;
import org.apache.paimon.options.Options;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.types.DataTypes;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static io.lookup.storage.oracle.Change.insert;
import static java.util.Arrays.asList;

/**
 * Writes the tables that {@link TestNewerPaimonVersion} reads, with a version of Paimon that has features which the build's own lacks, and
 * beside them, in the folder {@code answers}, what that version reads of each snapshot. What only the newer version has is called by name.
 */
final class NewerVersionTables
{
    private static final String DATABASE = "newer";
    private static final String MAP = "{\"type\":\"MAP\",\"key\":\"STRING NOT NULL\",\"value\":\"INT\"}";
    private static final String ITEMS = "{\"type\":\"ARRAY\",\"element\":{\"type\":\"ROW\",\"fields\":[{\"id\":0,\"name\":\"id\",\"type\":\"INT\"},{\"id\":1,\"name\":\"at\",\"type\":\"INT\"},{\"id\":2,\"name\":\"text\",\"type\":\"STRING\"}]}}";
    private static final String TAGS = "{\"type\":\"ARRAY\",\"element\":\"STRING\"}";

    private final PaimonOracle paimon;
    private final Catalog catalog;
    private final Path answers;

    private NewerVersionTables(PaimonOracle paimon, Catalog catalog, Path answers)
    {
        this.paimon = paimon;
        this.catalog = catalog;
        this.answers = answers;
    }

    /**
     * @param arguments the warehouse and a folder for temporary files
     */
    public static void main(String[] arguments)
            throws Exception
    {
        Path warehouse = Path.of(arguments[0]);
        Options options = new Options();
        options.set("warehouse", warehouse.toString());
        options.set("cache-enabled", "false");
        try (PaimonOracle paimon = new PaimonOracle(warehouse, Path.of(arguments[1]));
                Catalog catalog = CatalogFactory.createCatalog(CatalogContext.create(options))) {
            Path answers = warehouse.resolve(DATABASE + ".db").resolve("answers");
            NewerVersionTables tables = new NewerVersionTables(paimon, catalog, answers);
            catalog.createDatabase(DATABASE, true);
            Files.createDirectories(answers);
            tables.sharedMaps();
            tables.nestedRows();
            tables.layouts();
            tables.postponed();
            tables.trackedRows();
            tables.replaced();
            tables.types();
        }
    }

    /**
     * Maps whose keys share columns, from the second commit on.
     */
    private void sharedMaps()
            throws Exception
    {
        for (String name : List.of("shared_maps", "shared_maps_appended", "shared_maps_orc")) {
            OracleTable table = create(
                    name,
                    List.of(new Column("k", "INT NOT NULL"), new Column("attributes", MAP), new Column("note", "STRING")),
                    name.endsWith("appended") ? List.of() : List.of("k"),
                    Map.of("file.format", name.endsWith("orc") ? "orc" : "parquet"));
            paimon.write(table, List.of(insert(1, map("a", 1, "b", 2), "first"), insert(2, Map.of(), "empty"), insert(3, null, "none")));
            paimon.setOption(table, "fields.attributes.map.storage-layout", "shared-shredding");
            paimon.setOption(table, "fields.attributes.map.shared-shredding.max-columns", "2");
            paimon.write(table, List.of(insert(1, map("a", 10, "b", 20, "c", 30), "second"), insert(4, map("d", null), "fourth")));
            answer(table);
        }
    }

    private void nestedRows()
            throws Exception
    {
        for (List<String> option : List.of(List.of("nested-sequence-field", "at"), List.of("nested-key-null-strategy", "ignore"))) {
            OracleTable table = create(
                    option.getFirst().replace('-', '_'),
                    List.of(new Column("k", "INT NOT NULL"), new Column("items", ITEMS)),
                    List.of("k"),
                    Map.of("merge-engine", "aggregation", "fields.items.aggregate-function", "nested_update", "fields.items.nested-key", "id", "fields.items." + option.getFirst(), option.getLast()));
            paimon.writeWithoutCompaction(table, List.of(insert(1, List.of(asList(1, 5, "late"), asList(2, 1, "two")))));
            paimon.writeWithoutCompaction(table, List.of(insert(1, List.of(asList(1, 3, "early"), asList(null, 9, "no key")))));
            answer(table);
        }
    }

    private void layouts()
            throws Exception
    {
        List<Column> columns = List.of(new Column("k", "INT NOT NULL"), new Column("tags", TAGS), new Column("note", "STRING"));
        OracleTable indexed = create("multivalue_index", columns, List.of("k"), Map.of("deletion-vectors.enabled", "true", "pk-multivalue.index.columns", "tags"));
        OracleTable packed = create("column_codecs", columns, List.of("k"), Map.of("parquet.compression#note", "gzip", "parquet.compression#k", "none"));
        for (OracleTable table : List.of(indexed, packed)) {
            paimon.write(table, List.of(insert(1, List.of("x", "y"), "one"), insert(2, List.of("y"), "two"), insert(3, null, null)));
            paimon.compact(table, true);
            paimon.write(table, List.of(insert(2, List.of("z"), "two again")));
            answer(table);
        }
        OracleTable rows = create("row_format", columns, List.of("k"), Map.of("file.format", "row"));
        paimon.write(rows, List.of(insert(1, List.of("x"), "one")));
    }

    /**
     * Postponed buckets whose rows a batch job put in place, once with two and once, in another partition, with three buckets.
     */
    private void postponed()
            throws Exception
    {
        OracleTable table = create(
                "postponed",
                List.of(new Column("k", "INT NOT NULL"), new Column("p", "STRING NOT NULL"), new Column("note", "STRING")),
                List.of("k", "p"),
                List.of("p"),
                Map.of("bucket", "-2"));
        FileStoreTable storeTable = (FileStoreTable) catalog.getTable(Identifier.create(DATABASE, "postponed"));
        writePostponed(storeTable, "two", 2, 20);
        writePostponed(storeTable, "three", 3, 20);
        // stays where readers do not look
        paimon.write(table, List.of(insert(100, "two", "waits")));
        answer(table);
    }

    private static void writePostponed(FileStoreTable storeTable, String partition, int buckets, int rows)
            throws Exception
    {
        FileStoreTable bucketed = storeTable.copy(storeTable.schema().copy(ImmutableMap.<String, String>builder()
                .putAll(storeTable.options())
                .put("bucket", Integer.toString(buckets))
                .put("write-only", "false")
                .buildKeepingLast()));
        BatchWriteBuilder builder = bucketed.newBatchWriteBuilder();
        try (BatchTableWrite write = builder.newWrite(); BatchTableCommit commit = builder.newCommit()) {
            for (int row = 0; row < rows; row++) {
                write.write(GenericRow.of(row, BinaryString.fromString(partition), BinaryString.fromString("row " + row)));
            }
            commit.commit(write.prepareCommit());
        }
    }

    /**
     * Rows with numbers of their own, compacted, and some of them deleted by vectors.
     */
    private void trackedRows()
            throws Exception
    {
        OracleTable table = create(
                "tracked",
                List.of(new Column("k", "INT"), new Column("note", "STRING")),
                List.of(),
                Map.of("row-tracking.enabled", "true", "deletion-vectors.enabled", "true", "compaction.min.file-num", "2"));
        paimon.write(table, List.of(insert(1, "one"), insert(2, "two"), insert(3, null)));
        paimon.deleteByVectors(table, 0);
        paimon.write(table, List.of(insert(4, "four"), insert(5, "five")));
        paimon.write(table, List.of(insert(6, "six")));
        compactAppended("tracked");
        paimon.deleteByVectors(table, 0);
        answer(table);
    }

    private void compactAppended(String name)
            throws Exception
    {
        FileStoreTable table = (FileStoreTable) catalog.getTable(Identifier.create(DATABASE, name));
        List<CommitMessage> messages = new ArrayList<>();
        for (AppendCompactTask task : new AppendCompactCoordinator(table, false).run()) {
            messages.add(task.doCompact(table, (BaseAppendFileStoreWrite) table.store().newWrite("compaction")));
        }
        if (messages.isEmpty()) {
            throw new IllegalStateException("Nothing to compact");
        }
        try (BatchTableCommit commit = table.newBatchWriteBuilder().newCommit()) {
            commit.commit(messages);
        }
    }

    /**
     * CREATE OR REPLACE TABLE of tables with snapshots: other columns under the ids of the former ones.
     */
    private void replaced()
            throws Exception
    {
        List<Column> before = List.of(new Column("k", "INT NOT NULL"), new Column("n", "INT"), new Column("note", "STRING"));
        Schema.Builder after = Schema.newBuilder()
                .column("k", DataTypes.INT().notNull())
                .column("note", DataTypes.STRING())
                .column("n", DataTypes.BIGINT());
        OracleTable keyed = create("replaced", before, List.of("k"), Map.of("changelog-producer", "input"));
        OracleTable appended = create("replaced_appended", before, List.of(), Map.of());
        for (OracleTable table : List.of(keyed, appended)) {
            // texts that are numbers, so that a wrong column could take them
            paimon.write(table, List.of(insert(1, 10, "1111"), insert(2, 20, "2222")));
            catalog.getTable(Identifier.create(DATABASE, table.name())).createTag("before", 1);
        }
        replace(keyed, after.primaryKey("k").option("bucket", "1").option("changelog-producer", "input").build());
        replace(appended, Schema.newBuilder().column("k", DataTypes.INT().notNull()).column("note", DataTypes.STRING()).column("n", DataTypes.BIGINT()).build());
        for (OracleTable table : List.of(keyed, appended)) {
            paimon.write(table, List.of(insert(1, "uno", 100L), insert(3, "tre", 300L)));
            answer(table);
        }
    }

    private void replace(OracleTable table, Schema schema)
            throws Exception
    {
        Catalog.class.getMethod("replaceTable", Identifier.class, Schema.class, boolean.class).invoke(catalog, Identifier.create(DATABASE, table.name()), schema, false);
    }

    /**
     * Tables with types that the build's version of Paimon, or this engine, does not know.
     */
    private void types()
            throws Exception
    {
        create("blobs", List.of(new Column("k", "INT NOT NULL"), new Column("c", "BLOB")), List.of("k"), Map.of());
        create("vectors", List.of(new Column("k", "INT NOT NULL"), new Column("c", "{\"type\":\"VECTOR\",\"element\":\"FLOAT\",\"length\":2}")), List.of("k"), Map.of());
        create("shapes", List.of(new Column("k", "INT NOT NULL"), new Column("c", "GEOMETRY('OGC:CRS84')")), List.of("k"), Map.of());
        create("regions", List.of(new Column("k", "INT NOT NULL"), new Column("c", "GEOGRAPHY")), List.of("k"), Map.of());
        OracleTable changed = create("evolved", List.of(new Column("k", "INT NOT NULL"), new Column("v", "INT")), List.of("k"), Map.of());
        paimon.write(changed, List.of(insert(1, 7)));
        catalog.alterTable(Identifier.create(DATABASE, "evolved"), List.of(SchemaChange.updateColumnType("v", DataTypes.STRING())), false);
        paimon.write(changed, List.of(insert(2, "eight")));
        answer(changed);
    }

    private OracleTable create(String name, List<Column> columns, List<String> key, Map<String, String> options)
            throws Exception
    {
        return create(name, columns, key, List.of(), options);
    }

    private OracleTable create(String name, List<Column> columns, List<String> key, List<String> partition, Map<String, String> options)
            throws Exception
    {
        ImmutableMap.Builder<String, String> all = ImmutableMap.<String, String>builder().put("file.format", "parquet");
        if (!key.isEmpty()) {
            all.put("bucket", "1");
        }
        return paimon.createTable(DATABASE, name, new PaimonTableDefinition(columns, key, partition, all.putAll(options).buildKeepingLast()));
    }

    private static Map<String, Integer> map(Object... entries)
    {
        Map<String, Integer> map = new LinkedHashMap<>();
        for (int index = 0; index < entries.length; index += 2) {
            map.put((String) entries[index], (Integer) entries[index + 1]);
        }
        return map;
    }

    private void answer(OracleTable table)
            throws Exception
    {
        ImmutableList.Builder<String> lines = ImmutableList.builder();
        for (SnapshotSummary snapshot : paimon.snapshots(table)) {
            lines.add("snapshot " + snapshot.id());
            lines.addAll(paimon.readTable(table, snapshot.id()).stream().map(Change::rowText).sorted().toList());
        }
        Files.write(answers.resolve(table.name() + ".txt"), lines.build());
    }
}
