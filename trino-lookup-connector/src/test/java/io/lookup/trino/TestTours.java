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
package io.lookup.trino;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.lookup.storage.oracle.Change;
import io.lookup.storage.oracle.OracleTable;
import io.lookup.storage.oracle.PaimonTableDefinition;
import io.lookup.storage.oracle.PaimonTableDefinition.Column;
import io.trino.Session;
import io.trino.testing.QueryFailedException;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs every line of {@code docs/tours.md}.
 */
final class TestTours
        extends AbstractOracleQueryTest
{
    private static final Pattern LINE = Pattern.compile("\\| `(.+?)` \\| (works|differs|refused) \\|.*\\|");

    @Test
    void testIcebergTour()
            throws Exception
    {
        walk("From Trino's Iceberg connector", Session.builder(getSession()).setSchema("tour").build());
    }

    @Test
    void testPaimonTour()
            throws Exception
    {
        create("word_count", ImmutableList.of(new Column("word", "STRING NOT NULL"), new Column("cnt", "BIGINT")), ImmutableList.of("word"), ImmutableMap.of("bucket", "1"),
                ImmutableList.of(Change.insert("hello", 2L), Change.insert("paimon", 3L)));
        create("partial", ImmutableList.of(new Column("id", "BIGINT NOT NULL"), new Column("a", "STRING"), new Column("b", "STRING")), ImmutableList.of("id"),
                ImmutableMap.of("bucket", "1", "merge-engine", "partial-update", "changelog-producer", "lookup"), ImmutableList.of(Change.insert(1L, "of Paimon", null)));
        create("append_only", ImmutableList.of(new Column("id", "INT"), new Column("v", "STRING")), ImmutableList.of(), ImmutableMap.of(), ImmutableList.of(Change.insert(1, "a"), Change.insert(2, "b")));
        walk("From Paimon", getSession());
        assertQuery("SELECT * FROM partial", "VALUES (1, 'of Paimon', 'of Trino')");
        for (String table : ImmutableList.of("word_count", "partial", "append_only")) {
            assertSameInPaimon(table);
        }
    }

    private void create(String name, List<Column> columns, List<String> primaryKey, Map<String, String> options, List<Change> rows)
            throws Exception
    {
        OracleTable table = paimon.createTable("default", name, new PaimonTableDefinition(columns, primaryKey, ImmutableList.of(), options));
        paimon.write(table, rows);
    }

    private void walk(String title, Session session)
            throws Exception
    {
        String page = Files.readString(Repository.root().resolve("docs/tours.md"));
        String section = page.substring(page.indexOf("\n## " + title + "\n"));
        int end = section.indexOf("\n## ", 1);
        List<String> surprises = new ArrayList<>();
        int lines = 0;
        for (String line : section.substring(0, end < 0 ? section.length() : end).split("\n")) {
            Matcher matcher = LINE.matcher(line);
            if (!matcher.matches()) {
                assertThat(line).doesNotStartWith("| `");
                continue;
            }
            lines++;
            boolean refused = matcher.group(2).equals("refused");
            try {
                getQueryRunner().execute(session, matcher.group(1));
                if (refused) {
                    surprises.add("not refused: " + line);
                }
            }
            catch (QueryFailedException e) {
                if (!refused) {
                    surprises.add(e.getMessage() + ": " + line);
                }
                else {
                    System.out.println("tour: %s: %s".formatted(matcher.group(1), e.getMessage()));
                }
            }
        }
        assertThat(surprises).isEmpty();
        assertThat(lines).isGreaterThan(30);
    }
}
