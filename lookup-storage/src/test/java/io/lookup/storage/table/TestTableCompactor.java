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
package io.lookup.storage.table;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.ForwardingFileIo;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.ChangeKind;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonOracle;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What compactions leave on disk when they come to nothing.
 */
final class TestTableCompactor
{
    @TempDir
    private Path directory;

    @Test
    void testAbortAfterFailureInLaterBucket()
            throws Exception
    {
        PaimonTableDefinition definition = new PaimonTableDefinition(
                ImmutableList.of(new Column("k", "BIGINT NOT NULL"), new Column("v", "STRING")),
                ImmutableList.of("k"),
                ImmutableList.of(),
                ImmutableMap.of("bucket", "2", "changelog-producer", "lookup", "write-only", "true"));
        try (PaimonOracle paimon = new PaimonOracle(directory.resolve("warehouse"), directory.resolve("scratch"));
                HadoopFileIo fileIo = new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of()))) {
            OracleTable table = paimon.createTable("default", "t", definition);
            EngineTable engine = new EngineTable(failingFor(fileIo, "bucket-1", "changelog-"), paimon.location(table), directory.resolve("spill"));
            for (int version = 0; version < 2; version++) {
                String value = "v" + version;
                engine.write(LongStream.range(0, 100).mapToObj(key -> new Change(ChangeKind.INSERT, ImmutableList.of(key, value))).toList());
            }
            StorageTable opened = engine.open();
            Set<Path> before = files();

            TableCompactor compactor = opened.newCompactor(opened.snapshots().latestId());
            assertThat(compactor.compact(new BucketId(BinaryRow.EMPTY, 0))).isPresent();
            Set<Path> afterFirst = files();
            assertThat(afterFirst).hasSize(before.size() + 2);
            assertThatThrownBy(() -> compactor.compact(new BucketId(BinaryRow.EMPTY, 1)))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("Bucket 1 of table t could not be compacted")
                    .hasMessageContaining("disk on fire");
            assertThat(files()).isEqualTo(afterFirst);
            compactor.abort();
            assertThat(files()).isEqualTo(before);
        }
    }

    private Set<Path> files()
            throws IOException
    {
        try (Stream<Path> files = Files.walk(directory.resolve("warehouse"))) {
            return files.filter(Files::isRegularFile).collect(Collectors.toSet());
        }
    }

    private static FileIo failingFor(FileIo fileIo, String folder, String prefix)
    {
        return new ForwardingFileIo(fileIo)
        {
            @Override
            public OutputStream create(org.apache.hadoop.fs.Path path)
                    throws IOException
            {
                if (path.getParent().getName().equals(folder) && path.getName().startsWith(prefix)) {
                    throw new IOException("disk on fire");
                }
                return super.create(path);
            }
        };
    }
}
