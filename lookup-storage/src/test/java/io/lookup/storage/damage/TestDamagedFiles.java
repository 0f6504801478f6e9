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

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ListMultimap;
import io.lookup.storage.format.deletion.DeletionVector;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.table.AbstractOracleTest;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever is in the files of a table, reading it ends soon, takes bounded memory, and gives rows or an error that says what is wrong. Files
 * that another engine wrote are damaged at random, see {@link DamageRun}.
 */
final class TestDamagedFiles
        extends AbstractOracleTest
{
    private static final long MAX_ALLOCATED = 512L << 20;
    // reading one costs as much as ten others
    private static final int ROWS_SHARE = 5;

    private record TableFile(DamagedTable table, OverlayFileIo fileIo, Path path, DamagedKind kind, byte[] content)
    {
        String name()
        {
            return path.getName();
        }
    }

    @Test
    void testAnyDamage()
            throws Exception
    {
        Map<DamagedKind, List<TableFile>> files = new EnumMap<>(DamagedKind.class);
        for (OracleTable table : new DamagedTables(paimon).createAll()) {
            files(table).stream()
                    // where a stream of bits ends too early, Trino's reader asks two thousand million times for more
                    .filter(file -> Boolean.getBoolean("lookup.thorough") || !file.name().endsWith(".orc"))
                    .forEach(file -> files.computeIfAbsent(file.kind(), _ -> new ArrayList<>()).add(file));
        }
        assertThat(files.keySet()).containsExactlyInAnyOrder(DamagedKind.values());
        List<DamagedKind> others = Stream.of(DamagedKind.values()).filter(kind -> !kind.isRows()).toList();
        List<byte[]> anything = files.values().stream().map(list -> list.getFirst().content()).toList();
        DamageRun run = new DamageRun("files of tables", 1, MAX_ALLOCATED);
        run.run(random -> {
            DamagedKind kind = random.nextInt(ROWS_SHARE) > 0 ?
                    others.get(random.nextInt(others.size())) :
                    random.nextBoolean() ? DamagedKind.DATA : DamagedKind.CHANGELOG;
            List<TableFile> candidates = files.get(kind);
            TableFile file = candidates.get(random.nextInt(candidates.size()));
            run.subject(file.path());
            List<byte[]> replacements = random.nextInt(4) == 0 ? anything : candidates.stream().map(TableFile::content).toList();
            byte[] damaged = new FileDamage(random).apply(kind, file.name(), file.content(), replacements);
            String format = kind.isRows() ? file.name().substring(file.name().lastIndexOf('.')) : "";
            return kind + format + (read(file, damaged) ? " read" : " refused");
        });
    }

    private static boolean read(TableFile file, byte[] damaged)
    {
        file.fileIo().replace(file.path(), damaged);
        try {
            file.table().parse(file.kind(), file.name());
        }
        catch (Throwable e) {
            if (file.kind().isRows() && DamagedDataFiles.isUnreadableValue(e)) {
                return false;
            }
            assertThat(DamagedTable.expected(e)).hasMessageContaining(file.name());
            return false;
        }
        try {
            file.table().use(file.kind(), file.name());
        }
        catch (Throwable e) {
            if (!file.kind().isRows() || !DamagedDataFiles.isUnreadableValue(e)) {
                DamagedTable.expected(e);
            }
            return false;
        }
        return true;
    }

    /**
     * What a crash or a copy that broke off leaves is never taken for a whole file that says something else.
     */
    @Test
    void testCutFilesAreNotMisread()
            throws Exception
    {
        List<TableFile> files = new ArrayList<>();
        for (OracleTable table : new DamagedTables(paimon).createAll()) {
            files.addAll(files(table));
        }
        Map<DamagedTable, List<String>> whole = new HashMap<>();
        files.forEach(file -> whole.computeIfAbsent(file.table(), table -> {
            file.fileIo().replace(file.path(), file.content());
            return table.everything();
        }));
        assertThat(whole).hasSize(8);
        Map<DamagedKind, List<TableFile>> kinds = files.stream().collect(groupingBy(TableFile::kind));
        List<TableFile> flat = kinds.values().stream().map(List::getFirst).toList();
        DamageRun run = new DamageRun("cut files", 10, MAX_ALLOCATED);
        Map<String, Integer> outcomes = run.run(random -> {
            // every kind as often as others, however many there are of it
            List<TableFile> candidates = kinds.get(flat.get(random.nextInt(flat.size())).kind());
            TableFile file = candidates.get(random.nextInt(candidates.size()));
            run.subject(file.path());
            // nothing in a file of hashes tells that they are others
            boolean zeros = file.kind() != DamagedKind.HASH_INDEX && random.nextInt(4) == 0;
            file.fileIo().replace(file.path(), zeros ? cutToZeros(file.content(), random) : cut(file.content(), random));
            List<String> found;
            try {
                found = file.table().everything();
            }
            catch (Throwable e) {
                DamagedTable.expected(e);
                return file.kind() + " refused";
            }
            assertThat(found).as("%s", file.path()).isEqualTo(whole.get(file.table()));
            return file.kind() + " the same";
        });
        assertThat(outcomes.keySet()).anyMatch(outcome -> outcome.endsWith("refused"));
    }

    private static byte[] cut(byte[] content, Random random)
    {
        int length = random.nextInt(content.length);
        if (random.nextInt(3) > 0) {
            return Arrays.copyOf(content, length);
        }
        byte[] twice = Arrays.copyOf(content, content.length + length);
        System.arraycopy(content, 0, twice, content.length, length);
        return twice;
    }

    /**
     * A file system that has the length and not the bytes.
     */
    private static byte[] cutToZeros(byte[] content, Random random)
    {
        return Arrays.copyOf(Arrays.copyOf(content, random.nextInt(content.length)), content.length);
    }

    /**
     * A file with one wrong number must not take the memory of a server.
     */
    @Test
    void testSizesThatNoFileHas()
            throws Exception
    {
        List<TableFile> files = new ArrayList<>(files(new DamagedTables(paimon).create("nested", ImmutableMap.of("bucket", "1"))));
        files.addAll(files(new DamagedTables(paimon).createFlat("flat", ImmutableMap.of("bucket", "1"))));
        for (TableFile file : files.stream().filter(candidate -> candidate.kind() == DamagedKind.DATA).toList()) {
            ListMultimap<String, byte[]> damaged = ArrayListMultimap.create();
            for (int size : new int[] {Integer.MAX_VALUE, Integer.MAX_VALUE - 64, 1 << 30, -1}) {
                damaged.putAll("compressed page size " + size, ParquetDamage.editPages(file.content(), header -> header.setCompressed_page_size(size)));
                damaged.putAll("uncompressed page size " + size, ParquetDamage.editPages(file.content(), header -> header.setUncompressed_page_size(size)));
                damaged.putAll("number of values " + size, ParquetDamage.editPages(file.content(), header -> {
                    if (header.isSetData_page_header()) {
                        header.getData_page_header().setNum_values(size);
                    }
                    else {
                        header.setCompressed_page_size(size);
                    }
                }));
                damaged.putAll("dictionary or page size " + size, ParquetDamage.editPages(file.content(), header -> {
                    if (header.isSetDictionary_page_header()) {
                        header.getDictionary_page_header().setNum_values(size);
                    }
                    else {
                        header.setCompressed_page_size(size);
                    }
                }));
                for (int index = 0; index < 2; index++) {
                    int column = index;
                    damaged.put("offset index length " + size, ParquetDamage.editFooter(file.content(), footer -> footer.getRow_groups().getFirst().getColumns().get(column).setOffset_index_length(size)));
                    damaged.put("column index length " + size, ParquetDamage.editFooter(file.content(), footer -> footer.getRow_groups().getFirst().getColumns().get(column).setColumn_index_length(size)));
                    damaged.put("chunk size " + size, ParquetDamage.editFooter(file.content(), footer -> footer.getRow_groups().getFirst().getColumns().get(column).getMeta_data().setTotal_compressed_size(size)));
                    damaged.put("page offset " + size, ParquetDamage.editFooter(file.content(), footer -> footer.getRow_groups().getFirst().getColumns().get(column).getMeta_data().setData_page_offset(size)));
                }
            }
            assertThat(damaged.size()).isGreaterThan(100);
            for (Map.Entry<String, byte[]> entry : damaged.entries()) {
                assertThat(read(file, entry.getValue())).as("%s, %s", file.path(), entry.getKey()).isFalse();
            }
        }
    }

    /**
     * Deletion vectors have a checksum, so that damage is never taken for other rows.
     */
    @Test
    void testDeletionVectorsAreNeverMisread()
            throws Exception
    {
        List<TableFile> files = vectorFiles("checked");
        assertThat(files).isNotEmpty();
        List<String> rows = rows(files.getFirst().table().vectors());
        new DamageRun("deletion vectors", 10, MAX_ALLOCATED).run(random -> {
            TableFile file = files.get(random.nextInt(files.size()));
            byte[] damaged = new Damage(random).apply(file.content(), false, random.nextBoolean());
            file.fileIo().replace(file.path(), damaged);
            List<DeletionVector> read;
            try {
                read = file.table().vectors();
            }
            catch (Throwable e) {
                assertThat(DamagedTable.expected(e)).hasMessageContaining(file.name());
                return "refused";
            }
            assertThat(rows(read)).isEqualTo(rows);
            return "the same";
        });
    }

    /**
     * Somebody who makes a file to do harm gives it the right checksum.
     */
    @Test
    void testDeletionVectorsWithForgedChecksum()
            throws Exception
    {
        TableFile file = vectorFiles("forged").stream()
                .filter(candidate -> candidate.content().length > 5 && ByteBuffer.wrap(candidate.content()).getInt(1) > 8)
                .findFirst()
                .orElseThrow();
        int size = ByteBuffer.wrap(file.content()).getInt(1);
        new DamageRun("forged deletion vectors", 10, MAX_ALLOCATED).run(random -> {
            byte[] body = Arrays.copyOfRange(file.content(), 9, 5 + size);
            byte[] damaged = file.content().clone();
            System.arraycopy(new Damage(random).apply(body, false, true), 0, damaged, 9, body.length);
            CRC32 crc = new CRC32();
            crc.update(damaged, 5, size);
            ByteBuffer.wrap(damaged).putInt(5 + size, (int) crc.getValue());
            return read(file, damaged) ? "read" : "refused";
        });
    }

    private List<TableFile> vectorFiles(String name)
            throws Exception
    {
        return files(new DamagedTables(paimon).create(name, ImmutableMap.of("bucket", "1", "deletion-vectors.enabled", "true"))).stream()
                .filter(file -> file.kind() == DamagedKind.DELETION_VECTORS)
                .collect(toImmutableList());
    }

    private static List<String> rows(List<DeletionVector> vectors)
    {
        return vectors.stream()
                .map(vector -> vector.cardinality() + ":" + IntStream.range(0, 100).filter(vector::contains).boxed().toList())
                .collect(toImmutableList());
    }

    /**
     * All that reading the newest snapshot or the log opens.
     */
    private List<TableFile> files(OracleTable oracleTable)
            throws Exception
    {
        OverlayFileIo overlay = new OverlayFileIo(fileIo);
        java.nio.file.Path location = location(oracleTable);
        DamagedTable table = new DamagedTable(overlay, new Path(location.toUri()));
        assertThat(table.rows()).hasSize(DamagedTables.ROW_COUNT);
        ImmutableList.Builder<TableFile> files = ImmutableList.builder();
        try (Stream<java.nio.file.Path> paths = Files.walk(location)) {
            for (java.nio.file.Path path : paths.filter(Files::isRegularFile).sorted().toList()) {
                DamagedKind kind = DamagedKind.of(location.relativize(path).getName(0).toString(), path.getFileName().toString(), table.isHashed());
                if (table.reads(kind, path.getFileName().toString())) {
                    files.add(new TableFile(table, overlay, new Path(path.toUri()), kind, Files.readAllBytes(path)));
                }
            }
        }
        return files.build();
    }
}
