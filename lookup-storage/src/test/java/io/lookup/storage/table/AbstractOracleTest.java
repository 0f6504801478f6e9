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

import io.lookup.storage.filesystem.HadoopConfigurations;
import io.lookup.storage.filesystem.HadoopFileIo;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonOracle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A warehouse of its own for each test, which Paimon and the engine read and write.
 */
public abstract class AbstractOracleTest
{
    @TempDir
    protected Path directory;
    protected PaimonOracle paimon;
    protected HadoopFileIo fileIo;

    @BeforeEach
    void openOracle()
    {
        paimon = new PaimonOracle(directory.resolve("warehouse"), directory.resolve("scratch"));
        fileIo = new HadoopFileIo(HadoopConfigurations.create(Map.of(), List.of()));
    }

    @AfterEach
    void closeOracle()
            throws Exception
    {
        fileIo.close();
        paimon.close();
    }

    protected EngineTable engine(OracleTable table)
    {
        return new EngineTable(fileIo, location(table), directory.resolve("spill"));
    }

    protected Path location(OracleTable table)
    {
        return directory.resolve("warehouse").resolve(table.database() + ".db").resolve(table.name());
    }
}
