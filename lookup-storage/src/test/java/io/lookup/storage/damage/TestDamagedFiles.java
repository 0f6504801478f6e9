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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.sun.management.ThreadMXBean;
import io.lookup.storage.format.deletion.DeletionVector;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonMaintenance;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.table.AbstractOracleTest;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.lang.String.format;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/**
 * Whatever is in the files of a table, reading it ends soon, takes bounded memory, and gives rows or an error that says what is wrong. Files
 * that another engine wrote are damaged at random; {@code lookup.damage.executions} says how often, {@code lookup.damage.first-seed} with what.
 */
final class TestDamagedFiles
        extends AbstractOracleTest
{
    private static final int EXECUTIONS = Integer.getInteger("lookup.damage.executions", Boolean.getBoolean("lookup.thorough") ? 2_000_000 : 6_000);
    private static final long FIRST_SEED = Long.getLong("lookup.damage.first-seed", 1);
    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long MAX_ALLOCATED = 512L << 20;
    // data files cost a hundred times what the others do
    private static final int DATA_FILE_SHARE = 100;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private record TableFile(DamagedTable table, OverlayFileIo fileIo, Path path, String folder, byte[] content)
    {
        boolean text()
        {
            return !folder.equals("manifest") && !folder.equals("index") && !folder.equals("data");
        }
    }

    @Test
    void testAnyDamage()
            throws Exception
    {
        List<TableFile> files = new ArrayList<>();
        files.addAll(files(createTable("packed", ImmutableMap.of("changelog-producer", "lookup"))));
        files.addAll(files(createTable("plain", ImmutableMap.of("manifest.compression", "null", "changelog-producer", "lookup"))));
        files.addAll(files(createTable("vectors", ImmutableMap.of("manifest.compression", "null", "deletion-vectors.enabled", "true"))));
        List<TableFile> dataFiles = files.stream().filter(file -> file.folder().equals("data")).toList();
        List<TableFile> metadataFiles = files.stream().filter(file -> !file.folder().equals("data")).toList();
        assertThat(metadataFiles).extracting(TableFile::folder).contains("schema", "snapshot", "tag", "consumer", "manifest", "index", "statistics");

        Map<String, Integer> understood = new TreeMap<>();
        Map<String, Integer> refused = new TreeMap<>();
        Map<String, String> failures = new TreeMap<>();
        for (long seed = FIRST_SEED; seed < FIRST_SEED + EXECUTIONS; seed++) {
            Random random = new Random(seed * 0x9E3779B97F4A7C15L);
            List<TableFile> candidates = random.nextInt(DATA_FILE_SHARE) == 0 ? dataFiles : metadataFiles;
            TableFile file = candidates.get(random.nextInt(candidates.size()));
            byte[] damaged = new Damage(random).apply(file.content(), file.text(), random.nextBoolean());
            boolean readable = false;
            try {
                readable = read(file, damaged);
            }
            catch (Throwable e) {
                StringWriter trace = new StringWriter();
                e.printStackTrace(new PrintWriter(trace));
                failures.putIfAbsent(where(e), format("-Dlookup.damage.first-seed=%s -Dlookup.damage.executions=1: %s: %s", seed, file.path(), trace));
            }
            (readable ? understood : refused).merge(file.folder(), 1, Integer::sum);
        }
        assertThat(failures.values()).isEmpty();
        System.out.println("damage: %s executions from seed %s; read as if whole: %s; refused: %s".formatted(EXECUTIONS, FIRST_SEED, understood, refused));
    }

    /**
     * Failures with the same origin are one.
     */
    private static String where(Throwable failure)
    {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getClass().getName() + Stream.of(cause.getStackTrace()).map(StackTraceElement::toString).filter(frame -> frame.contains("io.lookup")).findFirst().orElse("");
    }

    private static boolean read(TableFile file, byte[] damaged)
    {
        file.fileIo().replace(file.path(), damaged);
        long start = System.nanoTime();
        long allocatedBefore = THREADS.getCurrentThreadAllocatedBytes();
        boolean readable = true;
        try {
            file.table().parse(file.folder(), file.path().getName());
        }
        catch (Throwable e) {
            assertThat(DamagedTable.expected(e)).hasMessageContaining(file.path().getName());
            readable = false;
        }
        if (readable) {
            try {
                file.table().use(file.folder(), file.path().getName());
            }
            catch (Throwable e) {
                DamagedTable.expected(e);
                readable = false;
            }
        }
        assertThat(System.nanoTime() - start).as("nanoseconds").isLessThan(MAX_NANOS);
        assertThat(THREADS.getCurrentThreadAllocatedBytes() - allocatedBefore).as("bytes allocated").isLessThan(MAX_ALLOCATED);
        return readable;
    }

    /**
     * Deletion vectors have a checksum, so that damage is never taken for other rows.
     */
    @Test
    void testDeletionVectorsAreNeverMisread()
            throws Exception
    {
        List<TableFile> files = files(createTable("checked", ImmutableMap.of("deletion-vectors.enabled", "true"))).stream()
                .filter(file -> file.folder().equals("index"))
                .collect(toImmutableList());
        assertThat(files).isNotEmpty();
        List<String> rows = rows(files.getFirst().table().vectors());
        for (long seed = FIRST_SEED; seed < FIRST_SEED + EXECUTIONS / 10; seed++) {
            Random random = new Random(seed * 0x9E3779B97F4A7C15L);
            TableFile file = files.get(random.nextInt(files.size()));
            byte[] damaged = new Damage(random).apply(file.content(), false, random.nextBoolean());
            file.fileIo().replace(file.path(), damaged);
            List<DeletionVector> read;
            try {
                read = file.table().vectors();
            }
            catch (Throwable e) {
                assertThat(DamagedTable.expected(e)).hasMessageContaining(file.path().getName());
                continue;
            }
            assertThat(rows(read)).as("seed %s", seed).isEqualTo(rows);
        }
    }

    /**
     * Somebody who makes a file to do harm gives it the right checksum.
     */
    @Test
    void testDeletionVectorsWithForgedChecksum()
            throws Exception
    {
        TableFile file = files(createTable("forged", ImmutableMap.of("deletion-vectors.enabled", "true"))).stream()
                .filter(candidate -> candidate.folder().equals("index") && candidate.content().length > 5 && ByteBuffer.wrap(candidate.content()).getInt(1) > 8)
                .findFirst()
                .orElseThrow();
        int size = ByteBuffer.wrap(file.content()).getInt(1);
        for (long seed = FIRST_SEED; seed < FIRST_SEED + EXECUTIONS / 10; seed++) {
            Random random = new Random(seed * 0x9E3779B97F4A7C15L);
            byte[] body = Arrays.copyOfRange(file.content(), 9, 5 + size);
            byte[] damaged = file.content().clone();
            System.arraycopy(new Damage(random).apply(body, false, true), 0, damaged, 9, body.length);
            CRC32 crc = new CRC32();
            crc.update(damaged, 5, size);
            ByteBuffer.wrap(damaged).putInt(5 + size, (int) crc.getValue());
            try {
                read(file, damaged);
            }
            catch (Throwable e) {
                fail(format("-Dlookup.damage.first-seed=%s: %s", seed, e.getMessage()), e);
            }
        }
    }

    private static List<String> rows(List<DeletionVector> vectors)
    {
        return vectors.stream()
                .map(vector -> vector.cardinality() + ":" + IntStream.range(0, 100).filter(vector::contains).boxed().toList())
                .collect(toImmutableList());
    }

    private OracleTable createTable(String name, Map<String, String> options)
            throws Exception
    {
        OracleTable table = paimon.createTable("default", name, new PaimonTableDefinition(
                ImmutableList.of(
                        new Column("day", "DATE NOT NULL"),
                        new Column("region", "STRING NOT NULL"),
                        new Column("k", "INT NOT NULL"),
                        new Column("code", "STRING NOT NULL"),
                        new Column("price", "DECIMAL(25, 3)"),
                        new Column("at", "TIMESTAMP(9)"),
                        new Column("counts", "{\"type\":\"ARRAY\",\"element\":\"INT\"}"),
                        new Column("note", "STRING")),
                ImmutableList.of("day", "region", "k", "code"),
                ImmutableList.of("day", "region"),
                ImmutableMap.<String, String>builder().put("bucket", "1").putAll(options).buildOrThrow()));
        paimon.write(table, rows(1, 40, "first"));
        paimon.write(table, rows(20, 30, "second"));
        paimon.compact(table, true);
        paimon.write(table, rows(5, 12, "a longer text than the others, so that it is stored behind the row"));
        paimon.compact(table, false);
        PaimonMaintenance maintenance = paimon.maintenance(table);
        maintenance.analyze(1, 0, 40, "k", 2, 40, 1, 40, 0);
        maintenance.createTag("plain", 2);
        maintenance.createTag("for-a-while", 1, Duration.ofDays(400));
        maintenance.consume("reader", 2);
        return table;
    }

    private static List<Change> rows(int from, int to, String note)
    {
        List<Change> rows = new ArrayList<>();
        for (int key = from; key < to; key++) {
            rows.add(Change.insert(
                    LocalDate.of(2024, 1, 1 + key % 2),
                    key % 3 == 0 ? "north" : "a region with a name that is long",
                    key,
                    "code of the key " + key,
                    new BigDecimal(key + ".125"),
                    LocalDateTime.of(2024, 2, 29, 1, 2, 3, key),
                    ImmutableList.of(key, key + 1),
                    key % 5 == 0 ? null : note));
        }
        return rows;
    }

    private List<TableFile> files(OracleTable oracleTable)
            throws Exception
    {
        OverlayFileIo overlay = new OverlayFileIo(fileIo);
        java.nio.file.Path location = location(oracleTable);
        DamagedTable table = new DamagedTable(overlay, new Path(location.toUri()));
        assertThat(table.rows()).hasSize(39);
        List<TableFile> files = new ArrayList<>();
        try (Stream<java.nio.file.Path> paths = Files.walk(location)) {
            for (java.nio.file.Path path : paths.filter(Files::isRegularFile).sorted().toList()) {
                String folder = location.relativize(path).getName(0).toString();
                files.add(new TableFile(table, overlay, new Path(path.toUri()), folder.contains("=") ? "data" : folder, Files.readAllBytes(path)));
            }
        }
        return files;
    }
}
