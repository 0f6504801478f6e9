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
package io.lookup.storage.oracle;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

import static io.lookup.storage.oracle.CanonicalValues.canonicalText;
import static io.lookup.storage.oracle.PaimonValues.parseType;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Values go through Paimon's files, log and state unchanged, and print in the documented form.
 */
final class TestPaimonOracleTypes
{
    @TempDir
    private Path directory;

    @Test
    void testCanonicalText()
    {
        Map<Object, Object> map = new HashMap<>();
        map.put("b", null);
        map.put("a", 1);
        assertThat(Stream.of(
                        -7,
                        -0.0f,
                        Double.NaN,
                        new BigDecimal("-0.10"),
                        new BigDecimal("1E+3"),
                        "it's",
                        new byte[] {0, -1},
                        LocalDate.of(1, 2, 3),
                        LocalTime.of(1, 2, 3),
                        LocalDateTime.of(1969, 12, 31, 23, 59, 59, 1),
                        Instant.ofEpochSecond(-1, 999_999_999),
                        Arrays.asList(1, null, List.of()),
                        map)
                .map(CanonicalValues::canonicalText))
                .containsExactly(
                        "-7",
                        "-0.0",
                        "NaN",
                        "-0.10",
                        "1000",
                        "'it''s'",
                        "X'00FF'",
                        "0001-02-03",
                        "01:02:03.000",
                        "1969-12-31T23:59:59.000000001",
                        "1969-12-31T23:59:59.999999999Z",
                        "[1, null, []]",
                        "{'a'=1, 'b'=null}");
        assertThat(canonicalText(null)).isEqualTo("null");
        assertThatThrownBy(() -> canonicalText('c')).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void testRoundTripOfEveryType()
            throws Exception
    {
        List<String> types = Stream.concat(RandomTables.KEY_TYPES.stream(), RandomTables.NESTED_TYPES.stream())
                .distinct()
                .toList();
        List<Column> columns = new ArrayList<>();
        columns.add(new Column("k", "INT NOT NULL"));
        for (int index = 0; index < types.size(); index++) {
            columns.add(new Column("v" + index, types.get(index)));
        }
        PaimonTableDefinition definition = new PaimonTableDefinition(
                columns,
                ImmutableList.of("k"),
                ImmutableList.of(),
                ImmutableMap.of("bucket", "1", "changelog-producer", "lookup"));

        RandomValues values = new RandomValues(new Random(7));
        List<Change> rows = new ArrayList<>();
        rows.add(new Change(ChangeKind.INSERT, Stream.concat(Stream.of(0), types.stream().map(_ -> null)).toList()));
        for (int key = 1; key < 300; key++) {
            List<Object> row = new ArrayList<>();
            row.add(key);
            types.forEach(type -> row.add(values.nullable(parseType(type))));
            rows.add(new Change(ChangeKind.INSERT, row));
        }

        try (PaimonOracle oracle = new PaimonOracle(directory.resolve("warehouse"), directory.resolve("scratch"))) {
            OracleTable table = oracle.createTable("default", "types", definition);
            oracle.write(table, rows);
            assertThat(oracle.readDelta(table, 1)).isEqualTo(rows);
            assertThat(oracle.readChangelog(table, 2)).isEqualTo(rows);
            assertThat(oracle.readTable(table)).containsExactlyInAnyOrderElementsOf(rows);
        }
    }

    @Test
    void testEveryTypeAsKey()
            throws Exception
    {
        try (PaimonOracle oracle = new PaimonOracle(directory.resolve("warehouse"), directory.resolve("scratch"))) {
            RandomValues values = new RandomValues(new Random(11), true);
            for (String type : RandomTables.KEY_TYPES.stream().distinct().toList()) {
                boolean lookup = RandomTables.LOOKUP_KEY_TYPES.contains(type);
                OracleTable table = oracle.createTable("keys", "t" + Integer.toHexString(type.hashCode()), new PaimonTableDefinition(
                        ImmutableList.of(new Column("k", type + " NOT NULL"), new Column("v", "INT")),
                        ImmutableList.of("k"),
                        ImmutableList.of(),
                        ImmutableMap.of("bucket", "1", "changelog-producer", lookup ? "lookup" : "none")));
                List<Object> keys = values.distinct(parseType(type), 8);
                oracle.write(table, keys.stream().map(key -> Change.insert(key, 1)).toList());
                oracle.write(table, keys.stream().map(key -> Change.insert(key, 2)).toList());
                assertThat(oracle.readTable(table)).as(type)
                        .containsExactlyInAnyOrderElementsOf(keys.stream().map(key -> Change.insert(key, 2)).toList());
                assertThat(oracle.readChangelog(table, oracle.snapshots(table).getLast().id())).as(type).hasSize(lookup ? keys.size() * 2 : 0);
            }
        }
    }
}
