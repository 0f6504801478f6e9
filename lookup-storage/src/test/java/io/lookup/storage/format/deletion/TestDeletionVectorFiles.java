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
package io.lookup.storage.format.deletion;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.format.MetadataInput;
import io.lookup.storage.format.MetadataOutput;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.deletion.DeletionVectorIndex.BucketVectors;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.manifest.IndexManifestEntry;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TypeRoot;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.paimon.deletionvectors.Bitmap64DeletionVector;
import org.apache.paimon.deletionvectors.BitmapDeletionVector;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.LongStream;

import static org.apache.paimon.deletionvectors.DeletionVector.deserializeFromBytes;
import static org.apache.paimon.deletionvectors.DeletionVector.serializeToBytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Index files of deletion vectors, byte by byte as Paimon writes them.
 */
final class TestDeletionVectorFiles
{
    private static final BucketId BUCKET = new BucketId(BinaryRow.EMPTY, 0);

    @TempDir
    private java.nio.file.Path directory;
    private FileIo fileIo;

    @BeforeEach
    void setUp()
    {
        fileIo = new HadoopFileIo(new Configuration(false));
    }

    @Test
    void testBytes()
            throws IOException
    {
        // as files that Paimon wrote have them
        String bitmap = "3a300000 01000000 0000 0100 10000000 0100 0200".replace(" ", "");
        check(DeletionVector.of(1, 2), false, "00000018 5e43f2d0".replace(" ", "") + bitmap + "c3366892", 24);
        check(DeletionVector.of(1, 2), true, "00000024 d1d33964 0100000000000000 00000000".replace(" ", "") + bitmap + "712fa6e8", 44);
    }

    private static void check(DeletionVector vector, boolean bitmap64, String bytes, int length)
            throws IOException
    {
        DeletionVectorCodec.Encoded encoded = DeletionVectorCodec.encode(vector, bitmap64);
        assertThat(HexFormat.of().formatHex(encoded.bytes())).isEqualTo(bytes);
        assertThat(encoded.length()).isEqualTo(length);
        assertThat(DeletionVectorCodec.decode(HexFormat.of().parseHex(bytes + "abcd"), length)).isEqualTo(vector);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testVectorsOfPaimon(boolean bitmap64)
            throws IOException
    {
        Random random = new Random(bitmap64 ? 64 : 32);
        for (int round = 0; round < 60; round++) {
            long[] positions = positions(random, bitmap64 ? 3L << 32 : Integer.MAX_VALUE);
            org.apache.paimon.deletionvectors.DeletionVector theirs = bitmap64 ? new Bitmap64DeletionVector() : new BitmapDeletionVector();
            LongStream.of(positions).forEach(theirs::delete);
            byte[] theirBytes = serializeToBytes(theirs);

            DeletionVector ours = DeletionVector.of(positions);
            DeletionVectorCodec.Encoded encoded = DeletionVectorCodec.encode(ours, bitmap64);
            assertThat(encoded.bytes()).isEqualTo(theirBytes);
            assertThat(DeletionVectorCodec.decode(theirBytes, encoded.length())).isEqualTo(ours);
            assertThat(deserializeFromBytes(encoded.bytes())).isEqualTo(theirs);
            assertThat(ours.cardinality()).isEqualTo(theirs.getCardinality());
            assertThat(ours.last()).isEqualTo(LongStream.of(positions).max().orElse(-1));
            for (int probe = 0; probe < 200; probe++) {
                long position = random.nextInt(4) == 0 ? random.nextLong(Integer.MAX_VALUE) : positions[random.nextInt(positions.length)] + random.nextInt(2);
                assertThat(ours.contains(position)).isEqualTo(theirs.isDeleted(position));
                long end = position + random.nextInt(1, 10);
                long next = ours.next(position);
                assertThat(next >= 0 && next < end ? next : -1).isEqualTo(LongStream.range(position, end).filter(ours::contains).findFirst().orElse(-1));
            }
        }
    }

    /**
     * Dense, sparse, and in runs.
     */
    private static long[] positions(Random random, long limit)
    {
        int count = random.nextInt(1, 5_000);
        long start = random.nextLong(limit - 100_000);
        return switch (random.nextInt(3)) {
            case 0 -> LongStream.range(start, start + count).toArray();
            case 1 -> random.longs(count, start, start + 100_000).toArray();
            default -> random.longs(count, 0, limit).toArray();
        };
    }

    @Test
    void testBuilderLeavesItsBaseAlone()
    {
        DeletionVector base = DeletionVector.of(3, 5);
        DeletionVector.Builder builder = new DeletionVector.Builder(base);
        assertThat(builder.add(5)).isFalse();
        assertThat(builder.add(1L << 40)).isTrue();
        DeletionVector first = builder.build();
        builder.add(7);
        assertThat(base).isEqualTo(DeletionVector.of(3, 5));
        assertThat(first).isEqualTo(DeletionVector.of(3, 5, 1L << 40));
        assertThat(builder.build().cardinality()).isEqualTo(4);
        assertThat(first.last()).isEqualTo(1L << 40);
        assertThat(first.next(6)).isEqualTo(1L << 40);
        assertThat(first.next((1L << 40) + 1)).isEqualTo(-1);
        assertThat(DeletionVector.EMPTY.next(0)).isEqualTo(-1);
        assertThatThrownBy(() -> DeletionVectorCodec.encode(first, false)).hasMessageContaining("deletion-vectors.bitmap64");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testFile(boolean bitmap64)
            throws IOException
    {
        TablePaths paths = paths(ImmutableMap.of());
        DeletionVector few = DeletionVector.of(0, 4);
        DeletionVector many = DeletionVector.of(LongStream.range(100, 70_000).toArray());
        IndexManifestEntry entry = new DeletionVectorWriter(fileIo, paths, bitmap64).write(BinaryRow.EMPTY, 0, ImmutableMap.of("data-b", many, "data-a", few));
        assertThat(directory.resolve("index").resolve(entry.fileName())).exists().hasSize(entry.fileSize());
        assertThat(entry.rowCount()).isEqualTo(2);
        assertThat(entry.deletionVectors()).extracting(IndexManifestEntry.DeletionVectorRange::cardinality).containsExactly(OptionalLong.of(69_900), OptionalLong.of(2));

        BucketVectors vectors = DeletionVectorIndex.of(ImmutableList.of(entry)).bucket(BUCKET);
        DeletionVectorReader reader = new DeletionVectorReader(fileIo);
        for (Map.Entry<String, DeletionVector> expected : ImmutableMap.of("data-a", few, "data-b", many).entrySet()) {
            DeletionVectorLocation location = vectors.of(expected.getKey()).orElseThrow();
            MetadataOutput output = new MetadataOutput(1);
            DeletionVectorLocation.write(output, location);
            assertThat(DeletionVectorLocation.read(new MetadataInput(1, output.toBytes()))).isEqualTo(location);
            assertThat(reader.read(path(paths, location), location)).isEqualTo(expected.getValue());
        }
        assertThat(vectors.of("data-c")).isEmpty();
        assertThat(DeletionVectorIndex.of(ImmutableList.of(entry)).bucket(new BucketId(BinaryRow.EMPTY, 1))).isEqualTo(BucketVectors.NONE);
    }

    @Test
    void testFileBesideTheData()
            throws IOException
    {
        TablePaths paths = paths(ImmutableMap.of("index-file-in-data-file-dir", "true"));
        IndexManifestEntry entry = new DeletionVectorWriter(fileIo, paths, false).write(BinaryRow.EMPTY, 0, ImmutableMap.of("data", DeletionVector.of(1)));
        assertThat(directory.resolve("bucket-0").resolve(entry.fileName())).exists();
        DeletionVectorLocation location = DeletionVectorIndex.of(ImmutableList.of(entry)).bucket(BUCKET).of("data").orElseThrow();
        assertThat(new DeletionVectorReader(fileIo).read(path(paths, location), location)).isEqualTo(DeletionVector.of(1));
    }

    /**
     * Whatever byte of a file is wrong, or missing: an error that names the file, and never other rows.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void testDamagedFiles(boolean bitmap64)
            throws IOException
    {
        TablePaths paths = paths(ImmutableMap.of());
        IndexManifestEntry entry = new DeletionVectorWriter(fileIo, paths, bitmap64).write(BinaryRow.EMPTY, 0, ImmutableMap.of("data", DeletionVector.of(1, 2, 30, 31, 32, 33, 34)));
        DeletionVectorLocation location = DeletionVectorIndex.of(ImmutableList.of(entry)).bucket(BUCKET).of("data").orElseThrow();
        java.nio.file.Path file = directory.resolve("index").resolve(entry.fileName());
        byte[] intact = Files.readAllBytes(file);
        for (int index = 0; index < intact.length; index++) {
            for (int change : new int[] {1, 0x80, 0xff}) {
                byte[] damaged = intact.clone();
                damaged[index] ^= (byte) change;
                Files.write(file, damaged);
                checkDamage(paths, location);
            }
        }
        for (int length = 0; length < intact.length; length++) {
            Files.write(file, java.util.Arrays.copyOf(intact, length));
            checkDamage(paths, location);
        }
        Files.write(file, intact);
        assertThat(new DeletionVectorReader(fileIo).read(path(paths, location), location).cardinality()).isEqualTo(7);

        // the manifest says something else than the file
        checkDamage(paths, new DeletionVectorLocation(location.fileName(), Optional.empty(), location.fileSize(), location.offset(), location.length(), OptionalLong.of(6)));
        checkDamage(paths, new DeletionVectorLocation(location.fileName(), Optional.empty(), location.fileSize(), location.offset(), location.length() - 1, OptionalLong.empty()));
        checkDamage(paths, new DeletionVectorLocation(location.fileName(), Optional.empty(), location.fileSize(), location.offset() + 1, location.length(), OptionalLong.empty()));
        checkDamage(paths, new DeletionVectorLocation(location.fileName(), Optional.empty(), location.fileSize(), 1_000_000, location.length(), OptionalLong.empty()));

        Files.delete(file);
        assertThatThrownBy(() -> new DeletionVectorReader(fileIo).read(path(paths, location), location))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.MISSING_FILE))
                .hasMessageContaining(location.fileName());
    }

    private void checkDamage(TablePaths paths, DeletionVectorLocation location)
    {
        assertThatThrownBy(() -> new DeletionVectorReader(fileIo).read(path(paths, location), location))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.CORRUPT_FILE))
                .hasMessageContaining(location.fileName());
    }

    private static Path path(TablePaths paths, DeletionVectorLocation location)
    {
        return paths.indexFile(BinaryRow.EMPTY, 0, location.fileName(), location.externalPath());
    }

    private TablePaths paths(Map<String, String> options)
    {
        DataField key = new DataField(0, "k", new ScalarType(TypeRoot.INTEGER, 0, 0, false));
        TableSchema schema = new TableSchema(3, 0, ImmutableList.of(key), 0, ImmutableList.of(), ImmutableList.of("k"), options, Optional.empty(), 0);
        return new TablePaths(new Path(directory.toUri()), schema);
    }
}
