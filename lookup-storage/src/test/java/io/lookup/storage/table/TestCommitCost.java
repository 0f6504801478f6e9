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
import io.lookup.storage.filesystem.FaultyFileSystem;
import io.lookup.storage.filesystem.FileFaults;
import io.lookup.storage.filesystem.FileFaults.Fault;
import io.lookup.storage.filesystem.FileFaults.Operation;
import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What one row costs: the requests to a store, and the syncs of a local disk.
 */
final class TestCommitCost
        extends AbstractOracleTest
{
    private static final int WARM_UP = 3;

    @Test
    void testRequests()
            throws Exception
    {
        FileFaults faults = new FileFaults();
        FaultyFileSystem.register("cost", faults);
        OracleTable table = create();
        try (HadoopFileIo store = new HadoopFileIo(HadoopConfigurations.create(ImmutableMap.of(FaultyFileSystem.PROPERTY, FaultyFileSystem.class.getName()), ImmutableList.of()))) {
            EngineTable engine = new EngineTable(store, new org.apache.hadoop.fs.Path(FaultyFileSystem.uri("cost", location(table))), directory.resolve("spill"));
            for (int commit = 0; commit < WARM_UP; commit++) {
                engine.write(ImmutableList.of(Change.insert(1, (long) commit)));
            }
            faults.arm(Fault.NONE, 0);
            engine.write(ImmutableList.of(Change.insert(1, 100L)));
            List<Operation> operations = faults.operations();
            Map<String, Long> requests = new TreeMap<>(operations.stream().collect(groupingBy(Operation::name, counting())));
            System.out.println("Requests of one row, APPEND and COMPACT: " + requests);
            // no listing but of the schemas, which tells whether the table is still there
            assertThat(operations).filteredOn(operation -> operation.name().equals("list")).allSatisfy(operation -> assertThat(operation.path().getName()).isEqualTo("schema"));
            assertThat(operations).filteredOn(operation -> operation.path().getName().equals("LATEST") && operation.name().equals("create")).hasSize(1);
            assertThat(requests.get("create")).isLessThanOrEqualTo(14);
            assertThat(requests.get("list")).isLessThanOrEqualTo(3);
            assertThat(requests.get("status")).isLessThanOrEqualTo(6);
            assertThat(requests.get("open")).isLessThanOrEqualTo(14);
        }
        assertThat(paimon.readTable(table)).hasSize(1);
    }

    @Test
    void testSyncs()
            throws Exception
    {
        OracleTable table = create();
        EngineTable engine = engine(table);
        for (int commit = 0; commit < WARM_UP; commit++) {
            engine.write(ImmutableList.of(Change.insert(1, (long) commit)));
        }
        Path file = directory.resolve("syncs.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("jdk.FileForce").withThreshold(Duration.ZERO).withoutStackTrace();
            recording.start();
            engine.write(ImmutableList.of(Change.insert(1, 100L)));
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> syncs = RecordingFile.readAllEvents(file);
        System.out.println("Syncs of one row, APPEND and COMPACT: " + syncs.size());
        assertThat(syncs).hasSizeBetween(1, 20);
    }

    private OracleTable create()
            throws Exception
    {
        return paimon.createTable("default", "cost", new PaimonTableDefinition(
                ImmutableList.of(new Column("k", "INT NOT NULL"), new Column("v", "BIGINT")),
                ImmutableList.of("k"),
                ImmutableList.of(),
                ImmutableMap.of("bucket", "1", "changelog-producer", "lookup")));
    }
}
