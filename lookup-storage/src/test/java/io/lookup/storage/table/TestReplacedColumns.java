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
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.schema.DataField;
import io.lookup.storage.schema.DataType.ScalarType;
import io.lookup.storage.schema.SchemaJson;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.schema.TypeRoot;
import io.lookup.storage.snapshot.Snapshot;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.lookup.storage.oracle.Change.insert;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A schema version that gives ids anew is known by the ids too, whoever wrote it.
 */
final class TestReplacedColumns
        extends AbstractOracleTest
{
    @Test
    void testContinuation()
    {
        TableSchema before = schema(5, 0, 2, 5);
        for (TableSchema changed : List.of(schema(5, 0, 2, 5), schema(5, 0, 5), schema(7, 0, 2, 7), schema(6, 6, 5, 2, 0))) {
            assertThat(ReplacedColumns.isContinued(before, changed)).as("%s", changed).isTrue();
        }
        for (TableSchema replaced : List.of(schema(4, 0, 2), schema(5, 0, 1, 2), schema(9, 0, 3, 9))) {
            assertThat(ReplacedColumns.isContinued(before, replaced)).as("%s", replaced).isFalse();
        }
    }

    @Test
    void testUnmarkedReplacement()
            throws Exception
    {
        OracleTable table = paimon.createTable("default", "t", new PaimonTableDefinition(
                ImmutableList.of(new Column("k", "INT"), new Column("v", "INT"), new Column("w", "INT")), ImmutableList.of(), ImmutableList.of(), ImmutableMap.of()));
        paimon.write(table, ImmutableList.of(insert(1, 10, 100)));
        paimon.truncate(table);
        EngineTable engine = engine(table);
        Snapshot first = engine.snapshots().getFirst();
        assertThat(engine.readRows(first)).containsExactly("(1, 10, 100)");
        Files.write(location(table).resolve("schema/schema-1"), SchemaJson.write(schema(1, 0, 1)));
        assertThat(engine.readRows()).isEmpty();
        assertThatThrownBy(() -> engine.readRows(first))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.UNSUPPORTED_FEATURE))
                .hasMessageStartingWith("Snapshot 1 of table t cannot be read with the columns of schema version 1, since a schema version since replaced the table");
    }

    private static TableSchema schema(int highestFieldId, int... ids)
    {
        List<DataField> fields = IntStream.of(ids)
                .mapToObj(id -> new DataField(id, "c" + id, new ScalarType(TypeRoot.INTEGER, 0, 0, true), Optional.empty(), Optional.empty()))
                .collect(toImmutableList());
        return new TableSchema(TableSchema.CURRENT_VERSION, 1, fields, highestFieldId, ImmutableList.of(), ImmutableList.of(), ImmutableMap.of(), Optional.empty(), 0);
    }
}
