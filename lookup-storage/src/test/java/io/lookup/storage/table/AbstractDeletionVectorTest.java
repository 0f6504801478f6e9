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
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tables (k INT primary key, v STRING) of one bucket, with deletion vectors if the options say so.
 */
abstract class AbstractDeletionVectorTest
        extends AbstractOracleTest
{
    protected static final Map<String, String> VECTORS = ImmutableMap.of("deletion-vectors.enabled", "true");
    protected static final Map<String, String> LOGGED_VECTORS = ImmutableMap.of("deletion-vectors.enabled", "true", "changelog-producer", "lookup");

    protected void checkRows(EngineTable engine, OracleTable table)
            throws Exception
    {
        assertThat(engine.readRows()).isEqualTo(texts(paimon.readTable(table)));
    }

    protected OracleTable createTable(String name, Map<String, String> options)
            throws Exception
    {
        return paimon.createTable("default", name, new PaimonTableDefinition(
                ImmutableList.of(new Column("k", "INT NOT NULL"), new Column("v", "STRING")),
                ImmutableList.of("k"),
                ImmutableList.of(),
                ImmutableMap.<String, String>builder().put("bucket", "1").putAll(options).buildOrThrow()));
    }

    protected static List<Change> rows(int from, int to, String value)
    {
        return IntStream.range(from, to).mapToObj(key -> Change.insert(key, value)).collect(toImmutableList());
    }

    protected static List<String> log(EngineTable engine)
    {
        return engine.snapshots().stream().flatMap(snapshot -> engine.readLog(snapshot).stream()).map(Change::toString).toList();
    }

    protected static List<String> texts(List<Change> rows)
    {
        return ProducerTables.texts(rows);
    }
}
