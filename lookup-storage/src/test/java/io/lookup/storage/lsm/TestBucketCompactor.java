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
package io.lookup.storage.lsm;

import com.google.common.collect.ImmutableMap;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.ForwardingFileIo;
import io.lookup.storage.format.column.ReadRequest;
import io.lookup.storage.format.deletion.DeletionVectorIndex.BucketVectors;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.parquet.DataFileWriterFactory;
import io.lookup.storage.format.reader.DataFileReaderFactory;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.lookup.LookupResources;
import io.lookup.storage.testing.TestTable;
import io.trino.spi.predicate.TupleDomain;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static io.lookup.storage.testing.TestTable.Row.delete;
import static io.lookup.storage.testing.TestTable.Row.insert;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.TinyintType.TINYINT;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Which files a compaction leaves, when it is done and when it could not be.
 */
final class TestBucketCompactor
{
    private static final BinaryRow PARTITION = BinaryRow.EMPTY;

    @TempDir
    private java.nio.file.Path directory;

    @ParameterizedTest
    @CsvSource({"none, 0", "input, 0", "lookup, 1", "full-compaction, 1"})
    void testFilesOfARewrite(String producer, int changelogFiles)
            throws IOException
    {
        TestTable table = create(ImmutableMap.of("changelog-producer", producer));
        List<DataFileMeta> inputs = inputs(table);
        Set<String> before = files();
        CompactionResult result = compactor(table, table.fileIo()).compact(inputs, true).orElseThrow();
        assertThat(result.before()).containsExactlyInAnyOrderElementsOf(inputs);
        assertThat(result.after()).hasSize(1).allSatisfy(file -> {
            assertThat(file.level()).isEqualTo(table.options().compaction().numLevels() - 1);
            assertThat(file.rowCount()).isEqualTo(3);
            assertThat(file.deleteRowCount()).hasValue(0);
            assertThat(file.maxSequenceNumber()).isEqualTo(6);
        });
        assertThat(result.changelog()).hasSize(changelogFiles);
        Set<String> written = Stream.concat(result.after().stream(), result.changelog().stream()).map(DataFileMeta::fileName).collect(Collectors.toSet());
        assertThat(files()).containsAll(before).containsAll(written).hasSize(before.size() + written.size());

        compactor(table, table.fileIo()).deleteOutput(result);
        assertThat(files()).isEqualTo(before);
    }

    /**
     * Whatever fails, no file stays that nobody will commit.
     */
    @ParameterizedTest
    @CsvSource({
            "lookup, open, data-", "lookup, create, data-", "lookup, close, data-", "lookup, create, changelog-", "lookup, write, changelog-", "lookup, close, changelog-",
            "none, open, data-", "none, create, data-", "none, write, data-", "none, close, data-",
            "full-compaction, open, data-", "full-compaction, close, data-", "full-compaction, close, changelog-"})
    void testFailureLeavesNothing(String producer, String when, String prefix)
            throws IOException
    {
        TestTable table = create(ImmutableMap.of("changelog-producer", producer));
        List<DataFileMeta> inputs = inputs(table);
        Set<String> before = files();
        BucketCompactor failing = compactor(table, failing(table.fileIo(), when, prefix, inputs.getLast().fileName()));
        assertThatThrownBy(() -> failing.compact(inputs, true)).hasStackTraceContaining("disk on fire");
        assertThat(files()).isEqualTo(before);
        // and another attempt has all that it needs
        assertThat(compactor(table, table.fileIo()).compact(inputs, true).orElseThrow().after()).hasSize(1);
    }

    /**
     * A file that only rises is not the compaction's to delete.
     */
    @Test
    void testFileThatRisesStays()
            throws IOException
    {
        TestTable table = create(ImmutableMap.of("changelog-producer", "lookup"));
        DataFileMeta file = table.writeFile(PARTITION, 0, 0, insert(1, 1, "a", 1), insert(2, 2, "b", 1));
        Set<String> before = files();
        CompactionResult result = compactor(table, table.fileIo()).compact(List.of(file), true).orElseThrow();
        assertThat(result.after()).extracting(DataFileMeta::fileName).containsExactly(file.fileName());
        assertThat(result.changelog()).hasSize(1);
        assertThat(files()).hasSize(before.size() + 1);
        compactor(table, table.fileIo()).deleteOutput(result);
        assertThat(files()).isEqualTo(before);
    }

    @Test
    void testNothingToDo()
            throws IOException
    {
        TestTable table = create(ImmutableMap.of("changelog-producer", "lookup"));
        assertThat(compactor(table, table.fileIo()).compact(List.of(), true)).isEmpty();
        assertThat(compactor(table, table.fileIo()).compact(List.of(), false)).isEmpty();
        DataFileMeta highest = table.writeFile(PARTITION, 0, table.options().compaction().numLevels() - 1, insert(1, 1, "a", 1));
        assertThat(compactor(table, table.fileIo()).compact(List.of(highest), true)).isEmpty();
        assertThat(compactor(table, table.fileIo()).compact(List.of(highest), false)).isEmpty();
    }

    /**
     * Level 0 rises below the run that follows, and what is looked for is looked for from there on, in as few files as can be.
     */
    @ParameterizedTest
    @CsvSource({"8, three, true, false", "300, five, false, true", "40, three, true, false", "41, five, true, true", "1000, , false, false", "-1, , false, false"})
    void testLookupBeginsAboveTheOutput(int key, String before, boolean opensLower, boolean opensHigher)
            throws IOException
    {
        for (String deletionVectors : new String[] {"false", "true"}) {
            java.nio.file.Path folder = Files.createDirectory(directory.resolve("vectors-" + deletionVectors));
            TestTable table = TestTable.create(TestTable.localFileIo(), TestTable.root(folder, "t"), ImmutableMap.of("changelog-producer", "lookup", "deletion-vectors.enabled", deletionVectors));
            // level 3 has every second key of the first hundred
            DataFileMeta lower = table.writeFile(PARTITION, 0, 3, IntStream.range(0, 50).mapToObj(row -> insert(2_000 + row, 2 * row, "three", row)).toArray(TestTable.Row[]::new));
            DataFileMeta higher = table.writeFile(PARTITION, 0, 5, IntStream.range(0, 500).mapToObj(row -> insert(1_000 + row, row, "five", row)).toArray(TestTable.Row[]::new));
            DataFileMeta risen = table.writeFile(PARTITION, 0, 0, insert(5_000, key, "new", 1));
            Set<String> opened = new HashSet<>();
            CompactionResult result = compactor(table, recording(table.fileIo(), opened)).compact(List.of(lower, higher, risen), false).orElseThrow();
            assertThat(result.before()).extracting(DataFileMeta::fileName).containsExactly(risen.fileName());
            assertThat(result.after()).singleElement().satisfies(file -> {
                assertThat(file.fileName()).isEqualTo(risen.fileName());
                assertThat(file.level()).isEqualTo(2);
            });
            assertThat(opened.contains(lower.fileName())).isEqualTo(opensLower);
            assertThat(opened.contains(higher.fileName())).isEqualTo(opensHigher);
            DataFileMeta changelog = result.changelog().getFirst();
            assertThat(List.of(changelog.minKey(), changelog.maxKey())).containsOnly(risen.minKey());
            assertThat(rows(table, changelog)).isEqualTo(before == null ?
                    List.of("+I new") :
                    List.of("-U " + before, "+U new"));
        }
    }

    private static List<String> rows(TestTable table, DataFileMeta changelog)
            throws IOException
    {
        ReadRequest request = new ReadRequest(
                table.paths().dataFile(PARTITION, 0, changelog),
                changelog.fileSize(),
                table.schema(),
                table.schema().fields().subList(1, 2),
                true,
                List.of(),
                PARTITION,
                TupleDomain.all());
        return TestTable.read(new DataFileReaderFactory(table.fileIo()).open(request), List.of(VARCHAR, BIGINT, TINYINT)).stream()
                .map(row -> RowKind.fromValue((byte) row.getLast()).shortName() + " " + row.getFirst())
                .toList();
    }

    private static FileIo recording(FileIo fileIo, Set<String> opened)
    {
        return new ForwardingFileIo(fileIo)
        {
            @Override
            public FSDataInputStream open(Path path, long length)
                    throws IOException
            {
                opened.add(path.getName());
                return super.open(path, length);
            }
        };
    }

    private TestTable create(Map<String, String> options)
    {
        return TestTable.create(TestTable.localFileIo(), TestTable.root(directory, "t"), options);
    }

    /**
     * Three runs that overlap: of keys 1 to 4, one is deleted and two have several versions.
     */
    private static List<DataFileMeta> inputs(TestTable table)
    {
        return List.of(
                table.writeFile(PARTITION, 0, 0, insert(1, 1, "a", 1), insert(2, 2, "b", 1), insert(3, 4, "d", 1)),
                table.writeFile(PARTITION, 0, 0, delete(4, 2, "b", 1), insert(5, 3, "c", 1)),
                table.writeFile(PARTITION, 0, 0, insert(6, 1, "A", 2)));
    }

    private static BucketCompactor compactor(TestTable table, FileIo fileIo)
    {
        return new BucketCompactor(
                new BucketCompactor.Services(
                        fileIo,
                        table.paths(),
                        table.schema(),
                        table.options(),
                        table.schemas(),
                        new DataFileReaderFactory(fileIo),
                        new DataFileWriterFactory(fileIo, table.paths(), table.schema()),
                        Optional.empty(),
                        new LookupResources(),
                        CompactionListener.NONE),
                PARTITION,
                0,
                BucketVectors.NONE);
    }

    private Set<String> files()
            throws IOException
    {
        try (Stream<java.nio.file.Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile).map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        }
    }

    private static FileIo failing(FileIo fileIo, String when, String prefix, String input)
    {
        return new ForwardingFileIo(fileIo)
        {
            @Override
            public FSDataInputStream open(Path path, long length)
                    throws IOException
            {
                if (when.equals("open") && path.getName().equals(input)) {
                    throw new IOException("disk on fire");
                }
                return super.open(path, length);
            }

            @Override
            public OutputStream create(Path path)
                    throws IOException
            {
                if (!path.getName().startsWith(prefix)) {
                    return super.create(path);
                }
                if (when.equals("create")) {
                    throw new IOException("disk on fire");
                }
                return new FilterOutputStream(super.create(path))
                {
                    @Override
                    public void write(byte[] bytes, int offset, int length)
                            throws IOException
                    {
                        if (when.equals("write")) {
                            throw new IOException("disk on fire");
                        }
                        out.write(bytes, offset, length);
                    }

                    @Override
                    public void close()
                            throws IOException
                    {
                        super.close();
                        if (when.equals("close")) {
                            throw new IOException("disk on fire");
                        }
                    }
                };
            }
        };
    }
}
