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
package io.lookup.trino.conformance;

import io.trino.Session;
import io.trino.testing.BaseConnectorTest;
import io.trino.testing.TestingConnectorBehavior;
import io.trino.testing.sql.TestTable;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

/**
 * Trino's suite for connectors, and what holds of every kind of table here. Whatever is not supported has its reason.
 */
@ExtendWith(SelectedTests.class)
abstract class AbstractLookupConnectorTest
        extends BaseConnectorTest
{
    static final List<String> TABLES = List.of("nation", "region", "customer", "orders");

    // what a path's part may be long in the file system of the tests
    private static final int MAX_FILE_NAME_LENGTH = 255;

    // the format keeps milliseconds of a time
    private static final String UNSUPPORTED_TIME = "time(6)";

    // from these to a type that does not hold all their values
    private static final Set<String> NARROWED = Set.of(
            "bigint integer",
            "bigint smallint",
            "bigint tinyint",
            "decimal(5,3) decimal(5,2)",
            "timestamp(6) timestamp(3)",
            "varchar(100) varchar(50)",
            "char(25) char(20)",
            "varchar char(20)");

    @Override
    protected boolean hasBehavior(TestingConnectorBehavior behavior)
    {
        return switch (behavior) {
            case SUPPORTS_REPORTING_WRITTEN_BYTES -> true;
            // a scan ends when it has the rows, each of its splits for itself
            case SUPPORTS_LIMIT_PUSHDOWN -> true;
            // rows are sorted and counted after they are merged, which Trino does as well
            case SUPPORTS_TOPN_PUSHDOWN, SUPPORTS_AGGREGATION_PUSHDOWN -> false;
            // statistics of files know ranges of columns, and no expressions
            case SUPPORTS_PREDICATE_EXPRESSION_PUSHDOWN -> false;
            case SUPPORTS_DEREFERENCE_PUSHDOWN -> true;
            // a schema is a folder, which object stores cannot rename in one step
            case SUPPORTS_RENAME_SCHEMA -> false;
            // by a table of the same definition
            case SUPPORTS_CREATE_OR_REPLACE_TABLE -> true;
            // a catalog that consists of folders has no place for views
            case SUPPORTS_CREATE_VIEW, SUPPORTS_CREATE_MATERIALIZED_VIEW -> false;
            // there is no other query language to pass through
            case SUPPORTS_NATIVE_QUERY -> false;
            default -> super.hasBehavior(behavior);
        };
    }

    @Test
    @Override
    public void testCreateOrReplaceTableWhenTableAlreadyExistsSameSchema()
    {
        // 'test' is shorter than a name
        assertNotReplaced(super::testCreateOrReplaceTableWhenTableAlreadyExistsSameSchema);
    }

    @Test
    @Override
    public void testCreateOrReplaceTableWithNewColumnNames()
    {
        assertNotReplaced(super::testCreateOrReplaceTableWithNewColumnNames);
    }

    @Test
    @Override
    public void testCreateOrReplaceTableWithDifferentDataType()
    {
        assertNotReplaced(super::testCreateOrReplaceTableWithDifferentDataType);
    }

    @Test
    @Override
    public void testCreateOrReplaceTableConcurrently()
    {
        assertNotReplaced(super::testCreateOrReplaceTableConcurrently);
    }

    /**
     * Columns of one definition must not be seen over rows of another.
     */
    private static void assertNotReplaced(ThrowingCallable test)
    {
        // below what the suite says of a statement that failed
        assertThatThrownBy(test).rootCause().hasMessageMatching("Table tpch\\..* cannot be replaced in one step, since its columns, .*");
    }

    @Override
    protected TestTable newTrinoTable(String namePrefix, String tableDefinition, List<String> rowsToInsert)
    {
        TestTable table = super.newTrinoTable(namePrefix, tableDefinition, rowsToInsert);
        if (namePrefix.startsWith("test_projection_pushdown_")) {
            // a worker keeps footers, so that its first read of a file takes more bytes than those that are compared; this often, each has read it
            for (int read = 0; read < 20; read++) {
                computeActual("TABLE " + table.getName());
            }
        }
        return table;
    }

    @Override
    protected Session withoutSmallFileThreshold(Session session)
    {
        // small files are read as others are
        return session;
    }

    @Override
    protected String errorMessageForInsertIntoNotNullColumn(String columnName)
    {
        return "NULL value not allowed for NOT NULL column: " + columnName;
    }

    @Override
    protected void verifyAddNotNullColumnToNonEmptyTableFailurePermissible(Throwable e)
    {
        assertThat(e).hasMessageMatching("Table .* cannot be altered: Column '.*' cannot be added as NOT NULL: the table has snapshots, whose rows have no value of it");
    }

    @Override
    protected void verifyVersionedQueryFailurePermissible(Exception e)
    {
        assertThat(e).hasMessageMatching("Table .*nation has no (tag|snapshot) .*|(A version|A point in time) of type .* is not supported.*");
    }

    @Override
    protected TestTable createTableWithDefaultColumns()
    {
        return abort("a default of the format stands for NULL too");
    }

    @Override
    protected OptionalInt maxSchemaNameLength()
    {
        return OptionalInt.of(MAX_FILE_NAME_LENGTH - ".db".length());
    }

    @Override
    protected void verifySchemaNameLengthFailurePermissible(Throwable e)
    {
        assertThat(e).hasMessageContaining("File name too long");
    }

    @Override
    protected OptionalInt maxTableNameLength()
    {
        return OptionalInt.of(MAX_FILE_NAME_LENGTH);
    }

    @Override
    protected void verifyTableNameLengthFailurePermissible(Throwable e)
    {
        assertThat(e).hasMessageContaining("File name too long");
    }

    @Override
    protected Optional<DataMappingTestSetup> filterDataMappingSmokeTestData(DataMappingTestSetup setup)
    {
        return Optional.of(setup.getTrinoTypeName().equals(UNSUPPORTED_TIME) ? setup.asUnsupported() : setup);
    }

    // ALTER COLUMN … SET DATA TYPE

    /**
     * Left out here, since the suite ends with the first type that it is told of; {@link #testRefusedTypes} has them all.
     */
    @Override
    protected Optional<SetColumnTypeSetup> filterSetColumnTypesDataProvider(SetColumnTypeSetup setup)
    {
        return typeChange(setup);
    }

    @Override
    protected Optional<SetColumnTypeSetup> filterSetFieldTypesDataProvider(SetColumnTypeSetup setup)
    {
        return typeChange(setup);
    }

    private static Optional<SetColumnTypeSetup> typeChange(SetColumnTypeSetup setup)
    {
        if (isRefused(setup)) {
            return Optional.empty();
        }
        return Optional.of(switch (setup.sourceColumnType() + " " + setup.newColumnType()) {
            // an instant is kept without its zone
            case "timestamp(3) with time zone timestamp(6) with time zone" -> setup.withNewValueLiteral("TIMESTAMP '2020-02-12 14:03:00.123000 UTC'");
            // blanks that fill a char are not kept
            case "char(20) varchar" -> setup.withNewValueLiteral("VARCHAR 'char-to-varchar'");
            default -> setup;
        });
    }

    private static boolean isRefused(SetColumnTypeSetup setup)
    {
        return NARROWED.contains(setup.sourceColumnType() + " " + setup.newColumnType()) || setup.newColumnType().equals(UNSUPPORTED_TIME);
    }

    @Test
    void testRefusedTypes()
    {
        try (TestTable table = newTrinoTable("test_time_", "(col time(3))")) {
            assertQueryFails("ALTER TABLE " + table.getName() + " ALTER COLUMN col SET DATA TYPE " + UNSUPPORTED_TIME, "Type time\\(6\\) of column col is not supported: the highest precision is 3");
        }
        for (String types : NARROWED) {
            List<String> fromTo = List.of(types.split(" "));
            try (TestTable table = newTrinoTable("test_narrowed_", "(id bigint, col " + fromTo.getFirst() + ", nested row(field " + fromTo.getFirst() + "))")) {
                for (String column : List.of("col", "nested.field")) {
                    assertThatThrownBy(() -> assertUpdate("ALTER TABLE " + table.getName() + " ALTER COLUMN " + column + " SET DATA TYPE " + fromTo.getLast()))
                            .as(types)
                            .satisfies(this::verifySetColumnTypeFailurePermissible);
                }
            }
        }
    }

    @Override
    protected void verifySetColumnTypeFailurePermissible(Throwable e)
    {
        assertThat(e).hasMessageMatching("Table .* cannot be altered: The type of column '.*' cannot be changed from .* to .*: .*");
    }

    @Override
    protected void verifySetFieldTypeFailurePermissible(Throwable e)
    {
        verifySetColumnTypeFailurePermissible(e);
    }

    /**
     * The format lets a text become a number. A text that is none is an error of who reads it, until the type is changed back.
     */
    @Test
    @Override
    public void testSetColumnIncompatibleType()
    {
        try (TestTable table = newTrinoTable("test_set_invalid_column_type_", "AS SELECT 'test' AS col")) {
            assertUpdate("ALTER TABLE " + table.getName() + " ALTER COLUMN col SET DATA TYPE integer");
            assertQueryFails("SELECT * FROM " + table.getName(), "Column 'col' was written as VARCHAR\\(4\\) and is INTEGER now, but a value in file .* is none.*");
            assertUpdate("ALTER TABLE " + table.getName() + " ALTER COLUMN col SET DATA TYPE varchar");
            assertQuery("SELECT * FROM " + table.getName(), "VALUES 'test'");
            assertThatThrownBy(() -> assertUpdate("ALTER TABLE " + table.getName() + " ALTER COLUMN col SET DATA TYPE date")).satisfies(this::verifySetColumnTypeFailurePermissible);
        }
    }

    @Test
    @Override
    public void testSetFieldIncompatibleType()
    {
        try (TestTable table = newTrinoTable("test_set_invalid_field_type_", "(row_col row(field varchar), nested_col row(field row(nested int)))")) {
            for (String change : List.of("row_col.field SET DATA TYPE row(nested integer)", "row_col.field SET DATA TYPE date", "nested_col.field SET DATA TYPE integer")) {
                assertThatThrownBy(() -> assertUpdate("ALTER TABLE " + table.getName() + " ALTER COLUMN " + change)).satisfies(this::verifySetFieldTypeFailurePermissible);
            }
            // as of columns
            assertUpdate("ALTER TABLE " + table.getName() + " ALTER COLUMN row_col.field SET DATA TYPE integer");
        }
    }

    /**
     * Fields of a map's values can be changed, not those of its keys.
     */
    @Test
    @Override
    public void testSetFieldMapKeyType()
    {
        assertThatThrownBy(super::testSetFieldMapKeyType).hasMessageMatching("Table .* cannot be altered: The keys of MAP<.*> cannot be changed");
    }

    @Test
    @Override
    public void testSetNestedFieldMapKeyType()
    {
        assertThatThrownBy(super::testSetNestedFieldMapKeyType).hasMessageMatching("Table .* cannot be altered: The keys of MAP<.*> cannot be changed");
    }

    // fields are told apart by their names without regard to case

    @Test
    @Override
    public void testDropRowFieldWhenDuplicates()
    {
        assertThatThrownBy(super::testDropRowFieldWhenDuplicates).hasMessage("Type row(a integer, a integer, b integer) of column col is not supported: field a occurs twice");
    }

    @Test
    @Override
    public void testDropAmbiguousRowFieldCaseSensitivity()
    {
        assertThatThrownBy(super::testDropAmbiguousRowFieldCaseSensitivity).hasMessageMatching("Type row\\(.*\\) of column col is not supported: field some_field occurs twice");
    }
}
