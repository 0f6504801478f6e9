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
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.column.ReadRequest;
import io.lookup.storage.format.deletion.DeletionVector;
import io.lookup.storage.format.reader.DataFileReaderFactory;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.Page;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.Range;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.predicate.ValueSet;
import io.trino.spi.type.Type;
import org.apache.hadoop.fs.Path;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TimeZone;

import static io.trino.spi.type.BigintType.BIGINT;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * ORC and Avro files of Paimon give the rows that Paimon reads from them.
 */
final class TestOtherFormatsWithPaimon
        extends AbstractPaimonFilesTest
{
    @BeforeEach
    void chooseClocks()
    {
        useClocksOfUtc();
    }

    /**
     * Neither writes binaries of a certain length, and Avro no nanoseconds.
     */
    private static Map<String, DataType> types(String format)
    {
        Map<String, DataType> types = new LinkedHashMap<>(TestParquetFilesWithPaimon.ALL_TYPES);
        types.remove("f_binary");
        types.put("F_Upper", DataTypes.STRING());
        if (format.equals("avro")) {
            types.remove("f_ts9");
            types.remove("f_ltz9");
            types.put("f_map", DataTypes.MAP(DataTypes.STRING(), DataTypes.TIMESTAMP(6)));
        }
        return types;
    }

    @ParameterizedTest
    @CsvSource({"orc, 0", "orc, 30", "orc, 100", "avro, 0", "avro, 30", "avro, 100"})
    void testEveryType(String format, int nullPercent)
            throws Exception
    {
        check(fill("t", format, types(format), ImmutableMap.of(), 1_500, nullPercent), TupleDomain.all());
    }

    @ParameterizedTest
    @CsvSource({"orc, zstd", "orc, snappy", "orc, lz4", "orc, zlib", "orc, none", "avro, zstd", "avro, snappy", "avro, deflate", "avro, null"})
    void testCodecs(String format, String codec)
            throws Exception
    {
        Map<String, DataType> columns = ImmutableMap.of("s", DataTypes.STRING(), "d", DataTypes.DOUBLE());
        check(fill("t", format, columns, ImmutableMap.of("file.compression", codec), 3_000, 10), TupleDomain.all());
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void testInstantsOfOrc(String legacy)
            throws Exception
    {
        Map<String, DataType> columns = ImmutableMap.of("i3", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3), "i9", DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(9), "t6", DataTypes.TIMESTAMP(6));
        TimeZone.setDefault(TimeZone.getTimeZone("America/New_York"));
        FileStoreTable table = fill("t", "orc", columns, ImmutableMap.of("orc.timestamp-ltz.legacy.type", legacy), 300, 10);
        List<List<Object>> ofOurTimes = readWithPaimon(table).stream().filter(TestOtherFormatsWithPaimon::isOfOurTimes).collect(toList());
        assertThat(ofOurTimes).hasSizeGreaterThan(100);
        assertThat(read(table, TupleDomain.all(), DeletionVector.EMPTY, false).stream().filter(TestOtherFormatsWithPaimon::isOfOurTimes).collect(toList())).isEqualTo(ofOurTimes);
    }

    /**
     * Whether clocks were set by zones: what they showed before is a matter of opinion.
     */
    private static boolean isOfOurTimes(List<Object> row)
    {
        return row.stream().skip(1).allMatch(value -> value == null || value.toString().compareTo("1900") > 0);
    }

    @Test
    void testPredicates()
            throws Exception
    {
        FileStoreTable table = fill("t", "orc", ImmutableMap.of("s", DataTypes.STRING()), ImmutableMap.of("orc.row.index.stride", "1000"), 20_000, 10);
        int id = warehouse.schema(table).field("id").id();
        List<List<Object>> all = read(table, TupleDomain.all(), DeletionVector.EMPTY, true);
        List<List<Object>> some = read(table, TupleDomain.withColumnDomains(ImmutableMap.of(id, Domain.create(ValueSet.ofRanges(Range.range(BIGINT, 7_500L, true, 7_600L, true)), false))), DeletionVector.EMPTY, true);
        assertThat(some.size()).isBetween(101, 5_000);
        assertThat(all).containsAll(some);
        assertThat(some.stream().map(List::getFirst)).contains(7_500L, 7_600L);
        assertThat(read(table, TupleDomain.withColumnDomains(ImmutableMap.of(id, Domain.singleValue(BIGINT, -5L))), DeletionVector.EMPTY, true)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"orc", "avro"})
    void testPositionsAndDeletions(String format)
            throws Exception
    {
        FileStoreTable table = fill("t", format, ImmutableMap.of("s", DataTypes.STRING()), ImmutableMap.of(), 9_000, 10);
        List<List<Object>> all = read(table, TupleDomain.all(), DeletionVector.EMPTY, true);
        DeletionVector deletions = DeletionVector.of(0, 1, 4_095, 4_096, 8_999);
        List<List<Object>> left = read(table, TupleDomain.all(), deletions, true);
        assertThat(left).hasSize(8_995);
        assertThat(left).isEqualTo(all.stream().filter(row -> !ImmutableList.of(0L, 1L, 4_095L, 4_096L, 8_999L).contains(row.getLast())).toList());
        assertThatThrownBy(() -> read(table, TupleDomain.all(), DeletionVector.of(9_000), true))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.CORRUPT_FILE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"orc", "avro"})
    void testDamage(String format)
            throws Exception
    {
        FileStoreTable table = fill("t", format, types(format), ImmutableMap.of(), 500, 20);
        java.nio.file.Path file = java.nio.file.Path.of(path(table).toUri());
        byte[] good = Files.readAllBytes(file);
        Random random = new Random(5);
        int failures = 0;
        for (int round = 0; round < 300; round++) {
            byte[] bad = good.clone();
            if (round % 3 == 0) {
                bad = Arrays.copyOf(bad, random.nextInt(bad.length));
            }
            else {
                for (int flips = 0; flips <= random.nextInt(4); flips++) {
                    bad[random.nextInt(bad.length)] = (byte) random.nextInt();
                }
            }
            Files.write(file, bad);
            try (PageStream stream = new DataFileReaderFactory(warehouse.fileIo()).open(new ReadRequest(
                    path(table), bad.length, warehouse.schema(table), warehouse.schema(table).fields(), false, ImmutableList.of(), BinaryRow.EMPTY, TupleDomain.all()))) {
                while (stream.nextPage() != null) {
                    // any rows, since neither format has checksums of everything
                }
            }
            catch (StorageException e) {
                failures++;
                assertThat(e.errorCode()).as("round %s: %s", round, e.getMessage()).isIn(StorageErrorCode.CORRUPT_FILE, StorageErrorCode.UNSUPPORTED_FEATURE);
                assertThat(e.getMessage()).contains(file.getFileName().toString());
            }
        }
        assertThat(failures).isGreaterThan(100);
    }

    private FileStoreTable fill(String name, String format, Map<String, DataType> columns, Map<String, String> options, int count, int nullPercent)
            throws Exception
    {
        Map<String, String> withFormat = ImmutableMap.<String, String>builder().putAll(options).put("file.format", format).buildOrThrow();
        FileStoreTable table = createAndFill(name, columns, withFormat, count, new RandomPaimonRows(count + nullPercent, nullPercent));
        assertThat(PaimonWarehouse.files(table)).hasSize(1);
        return table;
    }

    private void check(FileStoreTable table, TupleDomain<Integer> predicate)
            throws Exception
    {
        assertThat(read(table, predicate, DeletionVector.EMPTY, false)).isNotEmpty().isEqualTo(readWithPaimon(table));
    }

    private static Path path(FileStoreTable table)
    {
        return new Path(PaimonWarehouse.bucketDirectory(table), PaimonWarehouse.files(table).getFirst().fileName());
    }

    private List<List<Object>> read(FileStoreTable table, TupleDomain<Integer> predicate, DeletionVector deletions, boolean positions)
            throws Exception
    {
        TableSchema schema = warehouse.schema(table);
        List<Type> types = new ArrayList<>(types(schema.fields()));
        if (positions) {
            types.add(BIGINT);
        }
        ReadRequest request = new ReadRequest(path(table), warehouse.fileIo().status(path(table)).length(), schema, schema.fields(), false, ImmutableList.of(), BinaryRow.EMPTY, predicate)
                .withDeletions(deletions);
        List<List<Object>> rows = new ArrayList<>();
        try (PageStream stream = new DataFileReaderFactory(warehouse.fileIo()).open(positions ? request.withRowPositions() : request)) {
            for (Page page = stream.nextPage(); page != null; page = stream.nextPage()) {
                assertThat(page.getPositionCount()).isBetween(1, 8192);
                rows.addAll(PaimonBlocks.values(types, page));
            }
        }
        return rows;
    }
}
