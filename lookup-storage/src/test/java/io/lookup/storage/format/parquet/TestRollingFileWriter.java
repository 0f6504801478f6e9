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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.format.NullMask;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.format.parquet.DataFileWriterFactory.RollingWriter;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BinaryRowDecoder;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType;
import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.DataType.RowType;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TypeRoot;
import io.trino.spi.Page;
import io.trino.spi.block.ArrayBlock;
import io.trino.spi.block.Block;
import io.trino.spi.block.ByteArrayBlock;
import io.trino.spi.block.DictionaryBlock;
import io.trino.spi.block.IntArrayBlock;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.RowBlock;
import io.trino.spi.block.RunLengthEncodedBlock;
import io.trino.spi.block.VariableWidthBlockBuilder;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.IntUnaryOperator;

import static com.google.common.collect.MoreCollectors.onlyElement;
import static io.airlift.slice.Slices.utf8Slice;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestRollingFileWriter
{
    private static final ScalarType KEY_TYPE = new ScalarType(TypeRoot.BIGINT, 0, 0, false);
    private static final DataField KEY = new DataField(0, "k", KEY_TYPE);
    private static final DataField VALUE = new DataField(1, "v", new ScalarType(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH, 0, true));

    @TempDir
    private java.nio.file.Path directory;

    private FileIo fileIo;
    private Path root;

    @BeforeEach
    void setUp()
    {
        fileIo = new HadoopFileIo(new Configuration(false));
        root = new Path(directory.toUri());
    }

    @Test
    void testFilesOfTargetSize()
            throws IOException
    {
        RollingWriter writer = dataWriter(ImmutableMap.of("target-file-size", "100 kb", "data-file.prefix", "d-"));
        for (int start = 0; start < 20_000; start += 2_500) {
            writer.write(page(start, 2_500, RowKind.INSERT));
        }
        List<DataFileMeta> files = writer.finish();
        assertThat(files.size()).isBetween(5, 20);
        long expectedKey = 0;
        long bytes = 0;
        for (int index = 0; index < files.size(); index++) {
            DataFileMeta file = files.get(index);
            assertThat(file.fileName()).matches("d-[-0-9a-f]{36}-" + index + "\\.parquet");
            assertThat(key(file.minKey())).isEqualTo(expectedKey);
            assertThat(key(file.maxKey())).isEqualTo(expectedKey + file.rowCount() - 1);
            assertThat(file.minSequenceNumber()).isEqualTo(expectedKey + 100);
            assertThat(file.maxSequenceNumber()).isEqualTo(expectedKey + 100 + file.rowCount() - 1);
            assertThat(file.deleteRowCount()).hasValue(0);
            assertThat(file.fileSize()).isEqualTo(fileIo.status(bucketFile(file.fileName())).length());
            assertThat(file.level()).isEqualTo(3);
            assertThat(file.fileSource()).contains(FileSource.COMPACT);
            expectedKey += file.rowCount();
            bytes += file.fileSize();
        }
        assertThat(expectedKey).isEqualTo(20_000);
        assertThat(writer.writtenBytes()).isEqualTo(bytes);
    }

    @Test
    void testNothingIsCreatedWithoutRows()
            throws IOException
    {
        RollingWriter writer = dataWriter(ImmutableMap.of());
        assertThat(writer.finish()).isEmpty();
        assertThat(fileIo.list(new Path(root, "bucket-0"))).isEmpty();
    }

    @Test
    void testAbortDeletesEverything()
            throws IOException
    {
        RollingWriter writer = dataWriter(ImmutableMap.of("target-file-size", "50 kb"));
        writer.write(page(0, 10_500, RowKind.INSERT));
        // waits for the rows that are still being encoded
        assertThat(writer.writtenBytes()).isPositive();
        assertThat(fileIo.list(new Path(root, "bucket-0")).size()).isGreaterThan(2);
        writer.abort();
        assertThat(fileIo.list(new Path(root, "bucket-0"))).isEmpty();

        RollingWriter finished = dataWriter(ImmutableMap.of());
        finished.write(page(0, 10, RowKind.INSERT));
        finished.finish();
        finished.abort();
        assertThat(fileIo.list(new Path(root, "bucket-0"))).isEmpty();
    }

    @Test
    void testUpdatePairsStayTogether()
            throws IOException
    {
        RollingWriter writer = factory(schema(ImmutableMap.of("target-file-size", "1 kb", "changelog-file.prefix", "c-"), KEY, VALUE))
                .createChangelogWriter(BinaryRow.EMPTY, 0, 5);
        byte[] kinds = new byte[3_001];
        for (int position = 1; position < kinds.length; position++) {
            kinds[position] = position % 2 == 1 ? RowKind.UPDATE_BEFORE.value() : RowKind.UPDATE_AFTER.value();
        }
        Page rows = page(0, kinds.length, RowKind.INSERT);
        writer.write(new Page(rows.getBlock(0), rows.getBlock(1), rows.getBlock(2), new ByteArrayBlock(kinds.length, Optional.empty(), kinds)));
        List<DataFileMeta> files = writer.finish();
        // every look at the size falls between the halves of a pair until the rows end
        assertThat(files).hasSize(1);
        assertThat(files.getFirst().rowCount()).isEqualTo(3_001);
        assertThat(files.getFirst().deleteRowCount()).hasValue(1_500);
        assertThat(files.getFirst().level()).isEqualTo(5);
        assertThat(files.getFirst().fileSource()).contains(FileSource.APPEND);
        assertThat(files.getFirst().fileName()).startsWith("c-");
    }

    @Test
    void testDictionaryAndRunLengthBlocks()
            throws IOException
    {
        VariableWidthBlockBuilder builder = VARCHAR.createBlockBuilder(null, 3);
        VARCHAR.writeSlice(builder, utf8Slice("one"));
        builder.appendNull();
        VARCHAR.writeSlice(builder, utf8Slice("zwei"));
        Block values = DictionaryBlock.create(4, builder.build(), new int[] {2, 1, 0, 2});
        Page page = new Page(
                new LongArrayBlock(4, Optional.empty(), new long[] {1, 2, 3, 4}),
                values,
                RunLengthEncodedBlock.create(BIGINT, 7L, 4),
                RunLengthEncodedBlock.create(new ByteArrayBlock(1, Optional.empty(), new byte[] {RowKind.DELETE.value()}), 4));
        RollingWriter writer = dataWriter(ImmutableMap.of());
        writer.write(page);
        writer.write(new Page(
                new LongArrayBlock(3, Optional.empty(), new long[] {5, 6, 7}),
                RunLengthEncodedBlock.create(VARCHAR, null, 3),
                RunLengthEncodedBlock.create(BIGINT, 8L, 3),
                RunLengthEncodedBlock.create(new ByteArrayBlock(1, Optional.empty(), new byte[] {RowKind.INSERT.value()}), 3)));
        DataFileMeta file = writer.finish().getFirst();
        assertThat(file.deleteRowCount()).hasValue(4);
        assertThat(file.valueStats().nullCounts()).containsExactly(Optional.of(0L), Optional.of(4L));
        BinaryRowDecoder decoder = new BinaryRowDecoder(ImmutableList.of(KEY_TYPE, VALUE.type()));
        assertThat(decoder.value(file.valueStats().minValues(), 1)).isEqualTo(utf8Slice("one"));
        assertThat(decoder.value(file.valueStats().maxValues(), 1)).isEqualTo(utf8Slice("zwei"));
        assertThat(decoder.value(file.valueStats().maxValues(), 0)).isEqualTo(7L);
        assertThat(TestDataFileReader.read(fileIo, bucketFile(file.fileName()), file.fileSize(), schema(ImmutableMap.of(), KEY, VALUE), ImmutableList.of(VALUE)))
                .containsExactly(List.of("zwei"), nullRow(), List.of("one"), List.of("zwei"), nullRow(), nullRow(), nullRow());
    }

    /**
     * A column of which no value comes twice is written without a dictionary from the first page on; one of which they do has one.
     */
    @Test
    void testDictionaries()
            throws IOException
    {
        assertThat(encodings(row -> row)).doesNotContain(Encoding.PLAIN_DICTIONARY);
        Random random = new Random(1);
        assertThat(encodings(_ -> random.nextInt(200))).contains(Encoding.PLAIN_DICTIONARY);
        assertThat(encodings(row -> row % 7)).contains(Encoding.PLAIN_DICTIONARY);
    }

    /**
     * Of the pages of the second column, which has these values and a null at every tenth row.
     */
    private Set<Encoding> encodings(IntUnaryOperator values)
            throws IOException
    {
        int count = 3_000;
        VariableWidthBlockBuilder builder = VARCHAR.createBlockBuilder(null, count);
        long[] keys = new long[count];
        List<List<Object>> expected = new ArrayList<>();
        for (int row = 0; row < count; row++) {
            keys[row] = row;
            if (row % 10 == 0) {
                builder.appendNull();
                expected.add(nullRow());
            }
            else {
                String value = "value " + values.applyAsInt(row);
                VARCHAR.writeSlice(builder, utf8Slice(value));
                expected.add(List.of(value));
            }
        }
        RollingWriter writer = dataWriter(ImmutableMap.of());
        writer.write(new Page(
                new LongArrayBlock(count, Optional.empty(), keys),
                builder.build(),
                new LongArrayBlock(count, Optional.empty(), keys),
                RunLengthEncodedBlock.create(new ByteArrayBlock(1, Optional.empty(), new byte[] {RowKind.INSERT.value()}), count)));
        DataFileMeta file = writer.finish().getFirst();
        assertThat(TestDataFileReader.read(fileIo, bucketFile(file.fileName()), file.fileSize(), schema(ImmutableMap.of(), KEY, VALUE), ImmutableList.of(VALUE)))
                .isEqualTo(expected);
        try (ParquetFileReader reader = ParquetFileReader.open(HadoopInputFile.fromPath(bucketFile(file.fileName()), new Configuration(false)))) {
            return reader.getFooter().getBlocks().getFirst().getColumns().stream()
                    .filter(column -> column.getPath().toDotString().equals("v"))
                    .collect(onlyElement())
                    .getEncodings();
        }
    }

    private static List<Object> nullRow()
    {
        return java.util.Collections.singletonList(null);
    }

    @Test
    void testNullInRequiredColumn()
            throws IOException
    {
        RollingWriter writer = dataWriter(ImmutableMap.of());
        Page rows = page(0, 3, RowKind.INSERT);
        Block nulls = new LongArrayBlock(3, secondIsNull(3).build(), new long[3]);
        assertThatThrownBy(() -> writer.write(new Page(rows.getBlock(0), rows.getBlock(1), nulls, rows.getBlock(3))))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.INVALID_ROW))
                .hasMessageContaining("_SEQUENCE_NUMBER");
        writer.abort();
        assertThat(fileIo.list(new Path(root, "bucket-0"))).isEmpty();
    }

    private static NullMask secondIsNull(int positionCount)
    {
        NullMask nulls = new NullMask(positionCount);
        nulls.setNull(1);
        return nulls;
    }

    @Test
    void testNullInRequiredNestedField()
            throws IOException
    {
        DataField nested = new DataField(1, "r", new RowType(ImmutableList.of(
                new DataField(2, "list", new ArrayType(new ScalarType(TypeRoot.INTEGER, 0, 0, false), true))), true));
        RollingWriter writer = factory(schema(ImmutableMap.of(), KEY, nested)).createDataWriter(BinaryRow.EMPTY, 0, 0, FileSource.APPEND);
        Block elements = new IntArrayBlock(2, secondIsNull(2).build(), new int[2]);
        Block array = ArrayBlock.fromElementBlock(1, Optional.empty(), new int[] {0, 2}, elements);
        Page rows = page(0, 1, RowKind.INSERT);
        assertThatThrownBy(() -> writer.write(new Page(rows.getBlock(0), RowBlock.fromFieldBlocks(1, new Block[] {array}), rows.getBlock(2), rows.getBlock(3))))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.INVALID_ROW))
                .hasMessageContaining("r.list.element");
        writer.abort();
    }

    @Test
    void testOptionsThatCannotBeFollowed()
    {
        checkRefused(ImmutableMap.of("file.format", "orc"), StorageErrorCode.UNSUPPORTED_FEATURE, "file.format");
        checkRefused(ImmutableMap.of("file.format.per.level", "0:parquet,3:avro"), StorageErrorCode.UNSUPPORTED_FEATURE, "file.format.per.level");
        checkRefused(ImmutableMap.of("file.compression", "lz4"), StorageErrorCode.UNSUPPORTED_FEATURE, "file.compression");
        checkRefused(ImmutableMap.of("file.compression.per.level", "3:fast"), StorageErrorCode.INVALID_OPTION, "file.compression.per.level");
        checkRefused(ImmutableMap.of("parquet.page.size", "small"), StorageErrorCode.INVALID_OPTION, "parquet.page.size");
        checkRefused(ImmutableMap.of("metadata.stats-mode", "everything"), StorageErrorCode.INVALID_OPTION, "metadata.stats-mode");
        checkRefused(ImmutableMap.of("metadata.stats-keep-first-n-columns", "few"), StorageErrorCode.INVALID_OPTION, "metadata.stats-keep-first-n-columns");
    }

    private void checkRefused(Map<String, String> options, StorageErrorCode errorCode, String option)
    {
        assertThatThrownBy(() -> dataWriter(options))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(errorCode))
                .hasMessageContaining("'" + option + "'");
    }

    private RollingWriter dataWriter(Map<String, String> options)
    {
        return factory(schema(options, KEY, VALUE)).createDataWriter(BinaryRow.EMPTY, 0, 3, FileSource.COMPACT);
    }

    private DataFileWriterFactory factory(TableSchema schema)
    {
        return new DataFileWriterFactory(fileIo, new TablePaths(root, schema), schema);
    }

    private static TableSchema schema(Map<String, String> options, DataField... fields)
    {
        return new TableSchema(3, 0, ImmutableList.copyOf(fields), 10, ImmutableList.of(), ImmutableList.of("k"), options, Optional.empty(), 0);
    }

    private Path bucketFile(String name)
    {
        return new Path(new Path(root, "bucket-0"), name);
    }

    private static long key(BinaryRow row)
    {
        return (long) new BinaryRowDecoder(ImmutableList.of(KEY_TYPE)).value(row, 0);
    }

    private static Page page(int start, int count, RowKind kind)
    {
        Random random = new Random(start);
        long[] keys = new long[count];
        long[] sequenceNumbers = new long[count];
        VariableWidthBlockBuilder values = VARCHAR.createBlockBuilder(null, count);
        for (int position = 0; position < count; position++) {
            keys[position] = start + position;
            sequenceNumbers[position] = start + position + 100;
            byte[] bytes = new byte[50];
            random.nextBytes(bytes);
            VARCHAR.writeSlice(values, utf8Slice(java.util.HexFormat.of().formatHex(bytes)));
        }
        return new Page(
                new LongArrayBlock(count, Optional.empty(), keys),
                values.build(),
                new LongArrayBlock(count, Optional.empty(), sequenceNumbers),
                RunLengthEncodedBlock.create(new ByteArrayBlock(1, Optional.empty(), new byte[] {kind.value()}), count));
    }
}
