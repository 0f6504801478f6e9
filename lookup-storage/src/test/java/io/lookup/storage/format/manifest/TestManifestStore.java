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
import com.google.common.collect.ImmutableMap;
import io.airlift.slice.Slices;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.manifest.IndexManifestEntry.DeletionVectorRange;
import io.lookup.storage.format.manifest.ManifestStore.WrittenList;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.format.row.BinaryRowEncoder;
import io.lookup.storage.schema.TypeRoot;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.file.SeekableFileInput;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.hadoop.fs.Path;
import org.apache.paimon.index.DeletionVectorMeta;
import org.apache.paimon.index.IndexFileMeta;
import org.apache.paimon.manifest.IndexManifestFile;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.utils.Pair;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;

import static com.google.common.collect.Iterables.getOnlyElement;
import static io.lookup.storage.format.manifest.ManifestFixture.add;
import static io.lookup.storage.format.manifest.ManifestFixture.delete;
import static io.lookup.storage.format.manifest.ManifestFixture.diverseEntries;
import static io.lookup.storage.format.manifest.ManifestFixture.partition;
import static io.lookup.storage.format.row.RandomValues.scalar;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestManifestStore
{
    @TempDir
    private java.nio.file.Path directory;

    @Test
    void testRoundTrip()
            throws IOException
    {
        ManifestFixture fixture = new ManifestFixture(directory, ImmutableMap.of());
        ManifestStore store = fixture.store();
        ManifestFileMeta manifest = getOnlyElement(store.writeManifests(diverseEntries()));

        assertThat(store.readManifest(manifest.fileName(), manifest.fileSize())).isEqualTo(diverseEntries());
        assertThat(store.readManifest(manifest.fileName(), -1)).isEqualTo(diverseEntries());
        assertThat(manifest.fileName()).matches("manifest-[0-9a-f-]{36}-0");
        assertThat(manifest.fileSize()).isEqualTo(Files.size(file(manifest.fileName())));
        assertThat(manifest.addedFiles()).isEqualTo(3);
        assertThat(manifest.deletedFiles()).isEqualTo(1);
        assertThat(manifest.schemaId()).isEqualTo(7);
        assertThat(manifest.minBucket()).isEqualTo(OptionalInt.of(-2));
        assertThat(manifest.maxBucket()).isEqualTo(OptionalInt.of(1));
        assertThat(manifest.minLevel()).isEqualTo(OptionalInt.of(0));
        assertThat(manifest.maxLevel()).isEqualTo(OptionalInt.of(5));
        assertThat(manifest.minRowId()).isEmpty();
        assertThat(manifest.partitionStats()).isEqualTo(new SimpleStats(partition("p1"), partition("p2"), ImmutableList.of(Optional.of(1L))));

        WrittenList list = store.writeList(ImmutableList.of(manifest));
        assertThat(list.fileName()).matches("manifest-list-[0-9a-f-]{36}-0");
        assertThat(list.size()).isEqualTo(Files.size(file(list.fileName())));
        assertThat(store.readList(list.fileName(), OptionalLong.of(list.size()))).containsExactly(manifest);
        assertThat(store.readList(list.fileName(), OptionalLong.empty())).containsExactly(manifest);
    }

    @Test
    void testNothingToWrite()
    {
        ManifestStore store = new ManifestFixture(directory, ImmutableMap.of()).store();
        assertThat(store.writeManifests(ImmutableList.of())).isEmpty();
        assertThat(directory.resolve("manifest")).doesNotExist();
        WrittenList list = store.writeList(ImmutableList.of());
        assertThat(store.readList(list.fileName(), OptionalLong.of(list.size()))).isEmpty();
    }

    @Test
    void testRolling()
            throws IOException
    {
        ManifestStore store = new ManifestFixture(directory, ImmutableMap.of("manifest.target-file-size", "20 kb")).store();
        List<ManifestEntry> entries = new ArrayList<>();
        for (int number = 0; number < 5000; number++) {
            entries.add(add("p" + number / 100, number % 2, number));
        }
        List<ManifestFileMeta> manifests = store.writeManifests(entries);
        assertThat(manifests).hasSizeGreaterThan(2);
        List<ManifestEntry> read = new ArrayList<>();
        for (ManifestFileMeta manifest : manifests) {
            assertThat(manifest.fileSize()).isEqualTo(Files.size(file(manifest.fileName())));
            long before = read.size();
            store.readManifest(manifest.fileName(), manifest.fileSize(), read::add);
            assertThat(read.size() - before).isEqualTo(manifest.addedFiles());
        }
        assertThat(read).isEqualTo(entries);
    }

    @Test
    void testPaimonReads()
            throws Exception
    {
        FileStoreTable table = PaimonManifests.createTable(directory, ImmutableMap.of());
        ManifestStore store = new ManifestFixture(tableDirectory(table), ImmutableMap.of()).store();
        List<ManifestFileMeta> manifests = store.writeManifests(diverseEntries());
        WrittenList list = store.writeList(manifests);

        List<org.apache.paimon.manifest.ManifestFileMeta> paimonManifests = table.store().manifestListFactory().create().read(list.fileName(), list.size());
        assertThat(paimonManifests.stream().map(PaimonManifests::fromPaimon)).isEqualTo(manifests);
        ManifestFileMeta manifest = getOnlyElement(manifests);
        // its cache groups entries by partition and bucket
        assertThat(PaimonManifests.fromPaimon(table.store().manifestFileFactory().create().read(manifest.fileName(), manifest.fileSize())))
                .containsExactlyInAnyOrderElementsOf(diverseEntries());

        WrittenList empty = store.writeList(ImmutableList.of());
        assertThat(table.store().manifestListFactory().create().read(empty.fileName(), empty.size())).isEmpty();
    }

    @Test
    void testReadsPaimon()
            throws Exception
    {
        for (String compression : List.of("zstd", "snappy", "deflate", "null")) {
            java.nio.file.Path warehouse = Files.createDirectory(directory.resolve(compression));
            FileStoreTable table = PaimonManifests.createTable(warehouse, ImmutableMap.of("manifest.compression", compression));
            ManifestStore store = new ManifestFixture(tableDirectory(table), ImmutableMap.of("manifest.compression", compression)).store();

            org.apache.paimon.manifest.ManifestFileMeta manifest = getOnlyElement(table.store().manifestFileFactory().create().write(diverseEntries().stream().map(PaimonManifests::toPaimon).toList()));
            assertThat(store.readManifest(manifest.fileName(), manifest.fileSize())).isEqualTo(diverseEntries());

            Pair<String, Long> list = table.store().manifestListFactory().create().write(List.of(manifest));
            ManifestFileMeta read = getOnlyElement(store.readList(list.getLeft(), OptionalLong.of(list.getRight())));
            assertThat(read).isEqualTo(PaimonManifests.fromPaimon(manifest));

            // the same is said of the entries when they are written here
            ManifestFileMeta own = getOnlyElement(store.writeManifests(diverseEntries()));
            assertThat(new ManifestFileMeta(read.fileName(), read.fileSize(), own.addedFiles(), own.deletedFiles(), own.partitionStats(), own.schemaId(), own.minBucket(), own.maxBucket(), own.minLevel(), own.maxLevel(), own.minRowId(), own.maxRowId()))
                    .isEqualTo(read);
            assertThat(schemaOf(own.fileName(), tableDirectory(table))).isEqualTo(schemaOf(manifest.fileName(), tableDirectory(table)));
            assertThat(codecOf(own.fileName(), tableDirectory(table))).isEqualTo(codecOf(manifest.fileName(), tableDirectory(table)));
            assertThat(schemaOf(store.writeList(List.of(own)).fileName(), tableDirectory(table))).isEqualTo(schemaOf(list.getLeft(), tableDirectory(table)));
        }
    }

    @Test
    void testKnownBytes()
            throws IOException
    {
        ManifestStore store = new ManifestFixture(directory, ImmutableMap.of("manifest.compression", "null")).store();
        BinaryRow key = new BinaryRowEncoder(ImmutableList.of(scalar(TypeRoot.INTEGER, 0))).encodeValues(ImmutableList.of(1L));
        BinaryRow values = new BinaryRowEncoder(ImmutableList.of(scalar(TypeRoot.VARCHAR, 10), scalar(TypeRoot.INTEGER, 0), scalar(TypeRoot.VARCHAR, 10), scalar(TypeRoot.BIGINT, 0)))
                .encodeValues(Arrays.asList(Slices.utf8Slice("p1"), 1L, Slices.utf8Slice("b"), null));
        String fileName = "data-%s-1.parquet".formatted("0123456789abcdef0123456789abcdef0123");
        ManifestEntry entry = new ManifestEntry(FileKind.ADD, partition("p1"), 0, 2, new DataFileMeta(
                fileName, 1338, 1, key, key,
                new SimpleStats(key, key, ImmutableList.of(Optional.of(0L))),
                new SimpleStats(values, values, ImmutableList.of(Optional.of(0L), Optional.of(0L), Optional.of(0L), Optional.of(1L))),
                1, 1, 0, 0, ImmutableList.of(), OptionalLong.of(1_796_014_745_651L), OptionalLong.of(1), Optional.empty(), Optional.of(FileSource.APPEND),
                Optional.empty(), Optional.empty(), OptionalLong.empty(), Optional.empty()));
        ManifestFileMeta manifest = getOnlyElement(store.writeManifests(ImmutableList.of(entry)));

        // a record that another program wrote for the same file, but for its name and time
        String storedKey = "28 00000001 0000000000000000 0100000000000000";
        String storedValues = "58 00000004 0008000000000000 7031000000000082 0100000000000000 6200000000000081 0000000000000000";
        String storedPartition = "28 00000001 0000000000000000 7031000000000082";
        assertThat(hex(manifest.fileName())).contains((
                "04 00" + storedPartition + "00 04"
                        + "66" + HexFormat.of().formatHex(fileName.getBytes(US_ASCII)) + "f414 02"
                        + storedKey + storedKey
                        + storedKey + storedKey + "02 02 02 00 00"
                        + storedValues + storedValues + "02 08 0200 0200 0200 0202 00"
                        + "02 02 00 00 00"
                        + "02 e6a091adc568"
                        + "02 02"
                        + "00 02 00 00 00 00 00").replace(" ", ""));

        String list = store.writeList(ImmutableList.of(new ManifestFileMeta(
                "manifest-0123456789abcdef0123456789abcdef0123-0", 2540, 2, 0, new SimpleStats(partition("p1"), partition("p1"), ImmutableList.of(Optional.of(0L))), 0,
                OptionalInt.of(0), OptionalInt.of(1), OptionalInt.of(0), OptionalInt.of(0), OptionalLong.empty(), OptionalLong.empty()))).fileName();
        assertThat(hex(list)).contains((
                "02 de01 04 5e" + HexFormat.of().formatHex("manifest-0123456789abcdef0123456789abcdef0123-0".getBytes(US_ASCII))
                        + "d827 04 00" + storedPartition + storedPartition + "02 02 02 00 00 00 02 00 02 02 02 00 02 00 00 00").replace(" ", ""));
    }

    @Test
    void testIndexManifest()
            throws Exception
    {
        FileStoreTable table = PaimonManifests.createTable(directory, ImmutableMap.of());
        LinkedHashMap<String, DeletionVectorMeta> vectors = new LinkedHashMap<>();
        vectors.put("data-b", new DeletionVectorMeta("data-b", 1, 20, 3L));
        vectors.put("data-a", new DeletionVectorMeta("data-a", 29, 22, null));
        List<org.apache.paimon.manifest.IndexManifestEntry> theirs = List.of(
                new org.apache.paimon.manifest.IndexManifestEntry(
                        org.apache.paimon.manifest.FileKind.ADD,
                        PaimonManifests.toPaimon(partition("p1")),
                        1,
                        new IndexFileMeta("DELETION_VECTORS", "index-1", 51, 2, vectors, null)),
                new org.apache.paimon.manifest.IndexManifestEntry(
                        org.apache.paimon.manifest.FileKind.ADD,
                        PaimonManifests.toPaimon(partition("p2")),
                        0,
                        new IndexFileMeta("HASH", "index-2", 24, 6, (LinkedHashMap<String, DeletionVectorMeta>) null, "file:/elsewhere/index-2")));
        IndexManifestFile theirFile = table.store().indexManifestFileFactory().create();
        ManifestStore store = new ManifestFixture(tableDirectory(table), ImmutableMap.of()).store();
        List<IndexManifestEntry> ours = List.of(
                new IndexManifestEntry(
                        FileKind.ADD,
                        partition("p1"),
                        1,
                        IndexManifestEntry.DELETION_VECTORS,
                        "index-1",
                        51,
                        2,
                        ImmutableList.of(new DeletionVectorRange("data-b", 1, 20, OptionalLong.of(3)), new DeletionVectorRange("data-a", 29, 22, OptionalLong.empty())),
                        Optional.empty()),
                new IndexManifestEntry(FileKind.ADD, partition("p2"), 0, IndexManifestEntry.HASH, "index-2", 24, 6, ImmutableList.of(), Optional.of("file:/elsewhere/index-2")));
        assertThat(store.readIndexManifest(theirFile.writeWithoutRolling(theirs))).isEqualTo(ours);
        String name = store.writeIndexManifest(ours);
        assertThat(name).startsWith("index-manifest-");
        assertThat(store.readIndexManifest(name)).isEqualTo(ours);
        assertThat(theirFile.read(name)).isEqualTo(theirs);
        assertThat(theirFile.read(store.writeIndexManifest(List.of()))).isEmpty();
    }

    @Test
    void testOtherWriters()
            throws IOException
    {
        // an old file: fewer fields, in another order, under other names, and one that nobody knows
        Schema stats = SchemaBuilder.record("s").fields()
                .optionalLong("_SURPRISE").requiredBytes("_MAX_VALUES").requiredBytes("_MIN_VALUES").endRecord();
        Schema schema = SchemaBuilder.record("other").namespace("org.example").fields()
                .requiredLong("_SCHEMA_ID")
                .name("_PARTITION_STATS").type(stats).noDefault()
                .name("_SURPRISE").type().array().items(stats).noDefault()
                .requiredLong("_NUM_DELETED_FILES").requiredLong("_NUM_ADDED_FILES").requiredLong("_FILE_SIZE").requiredString("_FILE_NAME").requiredInt("_VERSION")
                .endRecord();
        ByteBuffer partition = ByteBuffer.wrap(partition("p").toBytesWithArity());
        GenericRecord statsRecord = new GenericData.Record(stats);
        statsRecord.put("_SURPRISE", 4L);
        statsRecord.put("_MAX_VALUES", partition);
        statsRecord.put("_MIN_VALUES", partition);
        GenericRecord record = new GenericData.Record(schema);
        record.put("_SCHEMA_ID", 3L);
        record.put("_PARTITION_STATS", statsRecord);
        record.put("_SURPRISE", List.of(statsRecord, statsRecord));
        record.put("_NUM_DELETED_FILES", 1L);
        record.put("_NUM_ADDED_FILES", 2L);
        record.put("_FILE_SIZE", 99L);
        record.put("_FILE_NAME", "manifest-x");
        record.put("_VERSION", 2);
        String name = writeRaw(schema, CodecFactory.deflateCodec(5), record, record);

        ManifestStore store = new ManifestFixture(directory, ImmutableMap.of()).store();
        ManifestFileMeta expected = new ManifestFileMeta(
                "manifest-x", 99, 2, 1, new SimpleStats(partition("p"), partition("p"), ImmutableList.of()), 3,
                OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty(), OptionalLong.empty(), OptionalLong.empty());
        assertThat(store.readList(name, OptionalLong.empty())).containsExactly(expected, expected);

        record.put("_VERSION", 3);
        String future = writeRaw(schema, CodecFactory.nullCodec(), record);
        assertCorrupt(() -> store.readList(future, OptionalLong.empty()), future);
    }

    @Test
    void testMissingFile()
    {
        ManifestStore store = new ManifestFixture(directory, ImmutableMap.of()).store();
        for (Runnable read : List.<Runnable>of(() -> store.readManifest("manifest-none", 10), () -> store.readManifest("manifest-none", -1), () -> store.readIndexManifest("manifest-none"))) {
            assertThatThrownBy(read::run)
                    .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.MISSING_FILE))
                    .hasMessageContaining(directory + "/manifest/manifest-none");
        }
    }

    @Test
    void testDamagedFile()
            throws IOException
    {
        ManifestStore store = new ManifestFixture(directory, ImmutableMap.of()).store();
        ManifestFileMeta manifest = getOnlyElement(store.writeManifests(diverseEntries()));
        byte[] content = Files.readAllBytes(file(manifest.fileName()));

        write("manifest-truncated", Arrays.copyOf(content, content.length - 20));
        assertCorrupt(() -> store.readManifest("manifest-truncated", content.length), "manifest-truncated");
        assertCorrupt(() -> store.readManifest("manifest-truncated", -1), "manifest-truncated");
        write("manifest-empty", new byte[0]);
        assertCorrupt(() -> store.readManifest("manifest-empty", -1), "manifest-empty");
        write("manifest-text", "no manifest at all".getBytes(UTF_8));
        assertCorrupt(() -> store.readManifest("manifest-text", -1), "manifest-text");
        // a list is no manifest
        String list = store.writeList(ImmutableList.of(manifest)).fileName();
        assertCorrupt(() -> store.readManifest(list, -1), list);

        byte[] damaged = content.clone();
        for (int index = damaged.length - 120; index < damaged.length - 16; index++) {
            damaged[index] ^= 0x55;
        }
        write("manifest-damaged", damaged);
        assertCorrupt(() -> store.readManifest("manifest-damaged", damaged.length), "manifest-damaged");
    }

    @Test
    void testCache()
            throws IOException
    {
        ManifestCache cache = new ManifestCache(1_000_000);
        ManifestFixture fixture = new ManifestFixture(directory, ImmutableMap.of());
        ManifestStore store = fixture.store(cache);
        ManifestFileMeta manifest = getOnlyElement(fixture.store().writeManifests(diverseEntries()));
        assertThat(store.readManifest(manifest.fileName(), manifest.fileSize())).isEqualTo(diverseEntries());
        Files.delete(file(manifest.fileName()));
        assertThat(fixture.store(cache).readManifest(manifest.fileName(), manifest.fileSize())).isEqualTo(diverseEntries());
        assertThat(cache.getHitCount()).isEqualTo(1);
        assertThat(cache.getMissCount()).isEqualTo(1);
        assertThat(cache.getMemoryBytes()).isBetween(1000L, 20_000L);

        // failures are not kept
        assertThatThrownBy(() -> store.readManifest("manifest-late", -1)).isInstanceOf(StorageException.class);
        ManifestFileMeta again = getOnlyElement(store.writeManifests(diverseEntries()));
        Files.move(file(again.fileName()), file("manifest-late"));
        assertThat(store.readManifest("manifest-late", -1)).isEqualTo(diverseEntries());
    }

    @Test
    void testWrittenFilesAreKept()
            throws IOException
    {
        ManifestCache cache = new ManifestCache(1_000_000);
        ManifestFixture fixture = new ManifestFixture(directory, ImmutableMap.of());
        ManifestStore store = fixture.store(cache);
        ManifestFileMeta manifest = getOnlyElement(store.writeManifests(diverseEntries()));
        WrittenList list = store.writeList(ImmutableList.of(manifest));
        assertThat(store.readManifest(manifest.fileName(), manifest.fileSize())).isEqualTo(diverseEntries());
        assertThat(store.readList(list.fileName(), OptionalLong.of(list.size()))).containsExactly(manifest);
        assertThat(cache.getMissCount()).isEqualTo(0);
        // they are what the files have
        assertThat(fixture.store().readManifest(manifest.fileName(), manifest.fileSize())).isEqualTo(diverseEntries());

        // not so if they could not be written
        Files.move(directory.resolve("manifest"), directory.resolve("elsewhere"));
        Files.createFile(directory.resolve("manifest"));
        assertThatThrownBy(() -> store.writeList(ImmutableList.of(manifest))).isInstanceOf(StorageException.class);
        Files.delete(directory.resolve("manifest"));
        assertThatThrownBy(() -> store.readList(list.fileName().replaceFirst("0$", "1"), OptionalLong.empty())).isInstanceOf(StorageException.class);
    }

    @Test
    void testCacheBound()
    {
        ManifestCache cache = new ManifestCache(50_000);
        ManifestStore store = new ManifestFixture(directory, ImmutableMap.of()).store(cache);
        for (int round = 0; round < 50; round++) {
            ManifestFileMeta manifest = getOnlyElement(store.writeManifests(ImmutableList.of(add("p", 0, round), delete("q", 1, round))));
            store.readManifest(manifest.fileName(), manifest.fileSize());
        }
        assertThat(cache.getMemoryBytes()).isBetween(10_000L, 50_000L);
    }

    @Test
    void testUnknownCompression()
    {
        assertThatThrownBy(() -> new ManifestFixture(directory, ImmutableMap.of("manifest.compression", "tight")).store())
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.INVALID_OPTION))
                .hasMessageContaining("tight");
    }

    private static void assertCorrupt(Runnable read, String fileName)
    {
        assertThatThrownBy(read::run)
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.CORRUPT_FILE))
                .hasMessageContaining(fileName);
    }

    private java.nio.file.Path file(String name)
    {
        return directory.resolve("manifest").resolve(name);
    }

    private void write(String name, byte[] content)
            throws IOException
    {
        Files.createDirectories(directory.resolve("manifest"));
        Files.write(file(name), content);
    }

    private String writeRaw(Schema schema, CodecFactory codec, GenericRecord... records)
            throws IOException
    {
        String name = "manifest-list-" + UUID.randomUUID();
        Files.createDirectories(directory.resolve("manifest"));
        try (DataFileWriter<GenericRecord> writer = new DataFileWriter<>(new GenericDatumWriter<>(schema))) {
            writer.setCodec(codec);
            writer.create(schema, file(name).toFile());
            for (GenericRecord record : records) {
                writer.append(record);
            }
        }
        return name;
    }

    private static java.nio.file.Path tableDirectory(FileStoreTable table)
    {
        return java.nio.file.Path.of(new Path(table.location().toString()).toUri().getPath());
    }

    private static Schema schemaOf(String name, java.nio.file.Path table)
            throws IOException
    {
        try (DataFileReader<GenericRecord> reader = new DataFileReader<>(new SeekableFileInput(table.resolve("manifest").resolve(name).toFile()), new GenericDatumReader<>())) {
            return reader.getSchema();
        }
    }

    private static String codecOf(String name, java.nio.file.Path table)
            throws IOException
    {
        try (DataFileReader<GenericRecord> reader = new DataFileReader<>(new SeekableFileInput(table.resolve("manifest").resolve(name).toFile()), new GenericDatumReader<>())) {
            return reader.getMetaString("avro.codec");
        }
    }

    private String hex(String fileName)
            throws IOException
    {
        return HexFormat.of().formatHex(Files.readAllBytes(file(fileName)));
    }
}
