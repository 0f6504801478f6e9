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
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.lookup.storage.write.WriteMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Columns with default values, which Paimon's writers put in the place of nulls.
 */
final class TestDefaultValues
        extends AbstractOracleTest
{
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
            "BOOLEAN | yes",
            "BOOLEAN | 'F'",
            "TINYINT | -7",
            "SMALLINT | '300'",
            "INT | 70000",
            "BIGINT | 9000000000",
            "FLOAT | 1.5",
            "DOUBLE | -2.5e10",
            "DECIMAL(5, 2) | 12.345",
            "DECIMAL(30, 2) | '7'",
            "STRING | it's",
            "STRING | ''",
            "VARCHAR(3) | 'äöü'",
            "CHAR(3) | abc",
            "BYTES | 'xyz'",
            "BINARY(2) | ab",
            "DATE | 2024-02-29"})
    void testDefaultTakesThePlaceOfNull(String type, String value)
            throws Exception
    {
        OracleTable ours = create("ours", type, value, ImmutableMap.of());
        OracleTable theirs = create("theirs", type, value, ImmutableMap.of());
        EngineTable engine = engine(ours);
        List<Change> rows = ImmutableList.of(Change.insert(1, null, 5), Change.insert(2, null, null));
        engine.write(rows);
        paimon.write(theirs, rows);
        List<String> expected = paimon.readTable(theirs).stream().map(Change::rowText).toList();
        assertThat(expected).hasSize(2).noneMatch(row -> row.startsWith("(1, null"));
        assertThat(paimon.readTable(ours)).extracting(Change::rowText).isEqualTo(expected);
        assertThat(engine.readRows()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "TIMESTAMP(3) | 2024-02-29 12:00:00",
            "CHAR(3) | a",
            "VARCHAR(3) | abcd",
            "DATE | 19000"})
    void testDefaultThatIsNotUnderstood(String type, String value)
            throws Exception
    {
        OracleTable table = create("refused", type, value, ImmutableMap.of());
        EngineTable engine = engine(table);
        assertThatThrownBy(() -> engine.write(ImmutableList.of(Change.insert(1, null, 5))))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.UNSUPPORTED_FEATURE))
                .hasMessageContainingAll("refused", "'v'", value);
        assertThat(engine.snapshots()).isEmpty();
    }

    /**
     * Nulls of a partial update are filled in too, in Paimon as here. Row changes say what they mean.
     */
    @Test
    void testWhichNullsAreReplaced()
            throws Exception
    {
        OracleTable ours = create("ours", "INT", "7", ImmutableMap.of("merge-engine", "partial-update", "changelog-producer", "lookup"));
        OracleTable theirs = create("theirs", "INT", "7", ImmutableMap.of("merge-engine", "partial-update", "changelog-producer", "lookup"));
        EngineTable engine = engine(ours);
        for (Change row : ImmutableList.of(Change.insert(1, 3, 4), Change.insert(1, null, 5))) {
            engine.write(ImmutableList.of(row));
            paimon.write(theirs, ImmutableList.of(row));
            assertThat(engine.readRows()).containsExactlyElementsOf(paimon.readTable(theirs).stream().map(Change::rowText).toList());
        }
        assertThat(engine.readRows()).containsExactly("(1, 7, 5)");

        OracleTable plain = create("plain", "INT", "7", ImmutableMap.of("changelog-producer", "lookup"));
        engine = engine(plain);
        engine.write(ImmutableList.of(Change.insert(1, 3, 4)));
        engine.write(ImmutableList.of(Change.delete(1, 3, 4), Change.insert(1, null, 4)), WriteMode.ROW_CHANGES);
        assertThat(engine.readRows()).containsExactly("(1, null, 4)");
    }

    private OracleTable create(String name, String type, String value, Map<String, String> options)
            throws Exception
    {
        OracleTable table = paimon.createTable("default", name, new PaimonTableDefinition(
                ImmutableList.of(new Column("k", "INT NOT NULL"), new Column("v", type), new Column("w", "INT")),
                ImmutableList.of("k"),
                ImmutableList.of(),
                ImmutableMap.<String, String>builder().put("bucket", "1").putAll(options).buildOrThrow()));
        paimon.setDefaultValue(table, "v", value);
        return table;
    }
}
