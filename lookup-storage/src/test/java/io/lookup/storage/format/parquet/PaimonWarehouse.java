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
package io.lookup.storage.format.parquet;

import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;
import org.apache.hadoop.conf.Configuration;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.serializer.InternalRowSerializer;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.format.FileFormat;
import org.apache.paimon.format.FormatReaderContext;
import org.apache.paimon.fs.Path;
import org.apache.paimon.io.DataFileMeta;
import org.apache.paimon.options.Options;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.RowType;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static com.google.common.collect.ImmutableList.toImmutableList;

/**
 * A local warehouse of Paimon's with tables of one bucket, and its file reader.
 */
final class PaimonWarehouse
        implements AutoCloseable
{
    private final java.nio.file.Path directory;
    private final Catalog catalog;
    private final FileIo fileIo = new HadoopFileIo(new Configuration(false));

    PaimonWarehouse(java.nio.file.Path directory)
            throws Exception
    {
        this.directory = directory;
        Options options = new Options();
        options.set("warehouse", directory.toUri().toString());
        this.catalog = CatalogFactory.createCatalog(CatalogContext.create(options, new Configuration(false)));
        catalog.createDatabase("test", true);
    }

    FileIo fileIo()
    {
        return fileIo;
    }

    /**
     * @param keys key column types by name; columns follow
     */
    FileStoreTable createTable(String name, Map<String, DataType> keys, Map<String, DataType> columns, Map<String, String> options)
            throws Exception
    {
        Schema.Builder schema = Schema.newBuilder();
        keys.forEach(schema::column);
        columns.forEach(schema::column);
        schema.primaryKey(new ArrayList<>(keys.keySet()));
        Map<String, String> tableOptions = new LinkedHashMap<>();
        tableOptions.put("bucket", "1");
        tableOptions.put("write-only", "true");
        tableOptions.putAll(options);
        schema.options(tableOptions);
        Identifier identifier = Identifier.create("test", name);
        catalog.createTable(identifier, schema.build(), false);
        return (FileStoreTable) catalog.getTable(identifier);
    }

    FileStoreTable alter(FileStoreTable table, org.apache.paimon.schema.SchemaChange... changes)
            throws Exception
    {
        Identifier identifier = Identifier.create("test", table.name());
        catalog.alterTable(identifier, List.of(changes), false);
        return (FileStoreTable) catalog.getTable(identifier);
    }

    void write(FileStoreTable table, List<? extends InternalRow> rows)
            throws Exception
    {
        BatchWriteBuilder builder = table.newBatchWriteBuilder();
        try (BatchTableWrite write = builder.newWrite(); BatchTableCommit commit = builder.newCommit()) {
            write.withIOManager(IOManager.create(directory.resolve("tmp").toString()));
            for (InternalRow row : rows) {
                write.write(row);
            }
            commit.commit(write.prepareCommit());
        }
    }

    static List<DataFileMeta> files(FileStoreTable table)
    {
        List<DataFileMeta> files = new ArrayList<>();
        for (Split split : table.newReadBuilder().newScan().plan().splits()) {
            files.addAll(((DataSplit) split).dataFiles());
        }
        return files;
    }

    /**
     * Directory of the only bucket.
     */
    static org.apache.hadoop.fs.Path bucketDirectory(FileStoreTable table)
    {
        return new org.apache.hadoop.fs.Path(table.location().toString(), "bucket-0");
    }

    TableSchema schema(FileStoreTable table)
    {
        return new SchemaManager(fileIo, new org.apache.hadoop.fs.Path(table.location().toString())).schema(table.schema().id());
    }

    /**
     * Columns of a table's data files.
     */
    static RowType fileType(FileStoreTable table, boolean thin)
    {
        List<DataField> fields = new ArrayList<>();
        if (!thin) {
            for (DataField key : table.schema().trimmedPrimaryKeysFields()) {
                fields.add(new DataField(1073741823 + key.id(), "_KEY_" + key.name(), key.type().notNull()));
            }
        }
        fields.add(new DataField(2147483646, "_SEQUENCE_NUMBER", org.apache.paimon.types.DataTypes.BIGINT().notNull()));
        fields.add(new DataField(2147483645, "_VALUE_KIND", org.apache.paimon.types.DataTypes.TINYINT().notNull()));
        fields.addAll(table.schema().fields());
        return new RowType(fields);
    }

    /**
     * Rows of a file as Paimon's Parquet reader sees them.
     */
    static List<InternalRow> readFile(FileStoreTable table, RowType fileType, RowType projection, String file, long size)
            throws Exception
    {
        FileFormat format = FileFormat.fromIdentifier(file.substring(file.lastIndexOf('.') + 1), new Options());
        List<InternalRow> rows = new ArrayList<>();
        InternalRowSerializer serializer = new InternalRowSerializer(projection);
        try (RecordReader<InternalRow> reader = format.createReaderFactory(fileType, projection, List.of())
                .createReader(new FormatReaderContext(table.fileIO(), new Path(file), size))) {
            reader.forEachRemaining(row -> rows.add(serializer.copy(row)));
        }
        return rows;
    }

    static List<DataField> fields(FileStoreTable table)
    {
        return table.schema().fields().stream().collect(toImmutableList());
    }

    @Override
    public void close()
            throws Exception
    {
        catalog.close();
    }
}
