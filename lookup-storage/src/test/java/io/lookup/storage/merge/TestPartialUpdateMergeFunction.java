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
package io.lookup.storage.merge;

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.merge.MergeSteps.Version;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

import static io.lookup.storage.format.row.RowKind.DELETE;
import static io.lookup.storage.format.row.RowKind.INSERT;
import static io.lookup.storage.format.row.RowKind.UPDATE_AFTER;
import static io.lookup.storage.format.row.RowKind.UPDATE_BEFORE;
import static io.lookup.storage.merge.MergeSteps.partialUpdate;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Cases and expected values follow those by which Paimon tests its own function, where it has one.
 */
final class TestPartialUpdateMergeFunction
{
    @Test
    void testNullsLeaveWhatIsThere()
    {
        MergeSteps steps = MergeSteps.of(7, partialUpdate());
        steps.add(1, 1, null, 1, 1, 1, 1);
        steps.add(1, 2, 2, 2, 2, 2, null);
        assertThat(steps.values()).isEqualTo(row(1, 2, 2, 2, 2, 2, 1));
        steps.add(1, null, null, 3, null, null, null);
        assertThat(steps.result(false)).isEqualTo(new Version(INSERT, 2, 0, row(1, 2, 2, 3, 2, 2, 1)));
    }

    @Test
    void testLoneVersionPassesThrough()
    {
        MergeSteps steps = MergeSteps.of(3, partialUpdate("fields.f2.sequence-group", "f1"));
        steps.add(UPDATE_AFTER, 1, 7, null);
        assertThat(steps.result(false)).isEqualTo(new Version(UPDATE_AFTER, 0, 0, row(1, 7, null)));
        // the group is not said
        assertThat(steps.result(true)).isEqualTo(new Version(INSERT, 0, 0, row(1, null, null)));
    }

    @Test
    void testSequenceGroups()
    {
        MergeSteps steps = MergeSteps.of(7, partialUpdate("fields.f3.sequence-group", "f1,f2", "fields.f6.sequence-group", "f4,f5"));
        steps.add(1, 1, 1, 1, 1, 1, 1);
        steps.add(1, 2, 2, 2, 2, 2, null);
        assertThat(steps.values()).isEqualTo(row(1, 2, 2, 2, 1, 1, 1));
        steps.add(1, 3, 3, 1, 3, 3, 3);
        assertThat(steps.values()).isEqualTo(row(1, 2, 2, 2, 3, 3, 3));

        steps.add(DELETE, 1, 1, 1, 3, 1, 1, null);
        assertThat(steps.values()).isEqualTo(row(1, null, null, 3, 3, 3, 3));
        steps.add(DELETE, 1, 1, 1, 3, 1, 1, 4);
        assertThat(steps.values()).isEqualTo(row(1, null, null, 3, null, null, 4));
        steps.add(1, 4, 4, 4, 5, 5, 5);
        assertThat(steps.values()).isEqualTo(row(1, 4, 4, 4, 5, 5, 5));
        steps.add(DELETE, 1, 1, 1, 6, 1, 1, 6);
        assertThat(steps.result(false)).isEqualTo(new Version(INSERT, 6, 0, row(1, null, null, 6, null, null, 6)));
        // an equal sequence wins, nulls of members included
        steps.add(1, null, 8, 6, 9, null, 5);
        assertThat(steps.values()).isEqualTo(row(1, null, 8, 6, null, null, 6));
    }

    @Test
    void testRemoveRecordOnSequenceGroup()
    {
        MergeSteps steps = MergeSteps.of(7, partialUpdate(
                "fields.f3.sequence-group", "f1,f2",
                "fields.f6.sequence-group", "f4,f5",
                "partial-update.remove-record-on-sequence-group", "f6"));
        steps.add(1, 1, 1, 1, 1, 1, 1);
        steps.add(1, 2, 2, 2, 2, 2, null);
        steps.add(1, 3, 3, 1, 3, 3, 3);
        assertThat(steps.values()).isEqualTo(row(1, 2, 2, 2, 3, 3, 3));

        // says nothing of the group that removes
        steps.add(DELETE, 1, 1, 1, 3, 1, 1, null);
        assertThat(steps.result(false)).isEqualTo(new Version(INSERT, 3, 0, row(1, null, null, 3, 3, 3, 3)));
        // is older than its state
        steps.add(DELETE, 1, 1, 1, null, 1, 1, 2);
        assertThat(steps.result(false)).isEqualTo(new Version(INSERT, 4, 0, row(1, null, null, 3, 3, 3, 3)));
        steps.add(DELETE, 1, 1, 1, 3, 1, 1, 4);
        assertThat(steps.result(false)).isEqualTo(new Version(DELETE, 5, 0, row(1, 1, 1, 3, 1, 1, 4)));
        steps.add(1, 4, 4, 4, 5, 5, 5);
        assertThat(steps.result(false)).isEqualTo(new Version(INSERT, 6, 0, row(1, 4, 4, 4, 5, 5, 5)));
        // -U takes back, but does not remove
        steps.add(UPDATE_BEFORE, 1, 4, 4, 4, 5, 5, 5);
        assertThat(steps.result(false)).isEqualTo(new Version(INSERT, 7, 0, row(1, null, null, 4, null, null, 5)));
        steps.add(DELETE, 1, 1, 1, 6, 1, 1, 6);
        assertThat(steps.result(false)).isEqualTo(new Version(DELETE, 8, 0, row(1, 1, 1, 6, 1, 1, 6)));
    }

    /**
     * What a merge makes of versions after a removal is Paimon's, expected or not.
     */
    @Test
    void testAfterARemoval()
    {
        MergeSteps steps = MergeSteps.of(5, partialUpdate(
                "fields.f2.sequence-group", "f1",
                "fields.f4.sequence-group", "f3",
                "partial-update.remove-record-on-sequence-group", "f2"));
        steps.add(1, 1, 1, 1, 1);
        steps.add(DELETE, 1, null, 2, null, null);
        assertThat(steps.result(false).kind()).isEqualTo(DELETE);
        // takes back more of a row that is gone, and so brings it back
        steps.add(DELETE, 1, null, null, 1, 1);
        assertThat(steps.result(false)).isEqualTo(new Version(INSERT, 2, 0, row(1, null, 2, null, 1)));
        steps.add(1, 5, 3, null, null);
        assertThat(steps.result(false)).isEqualTo(new Version(INSERT, 3, 0, row(1, 5, 3, null, 1)));

        MergeSteps plain = MergeSteps.of(2, partialUpdate("partial-update.remove-record-on-delete", "true"));
        plain.add(1, 1).add(DELETE, 1, 1).add(UPDATE_BEFORE, 1, 1);
        assertThat(plain.result(false)).isEqualTo(new Version(INSERT, 2, 0, row(1, 1)));
        // without an addition there is no row
        plain.reset();
        plain.add(DELETE, 1, 1).add(UPDATE_BEFORE, 1, 1);
        assertThat(plain.result(false).kind()).isEqualTo(DELETE);

        // the sum goes on from the value of the delete, and from its sequence; without a value it begins anew
        MergeSteps sums = MergeSteps.of(3, partialUpdate(
                "fields.f2.sequence-group", "f1",
                "fields.f1.aggregate-function", "sum",
                "partial-update.remove-record-on-sequence-group", "f2"));
        sums.add(1, 10, 5).add(DELETE, 1, 10, 5);
        assertThat(sums.result(false)).isEqualTo(new Version(DELETE, 1, 0, row(1, 10, 5)));
        sums.add(1, 3, 4).add(1, 2, 2);
        assertThat(sums.result(false)).isEqualTo(new Version(INSERT, 3, 0, row(1, 15, 5)));
        sums.add(DELETE, 1, null, 5).add(1, 3, 6).add(1, 2, 7);
        assertThat(sums.result(false)).isEqualTo(new Version(INSERT, 6, 0, row(1, 5, 7)));
    }

    @Test
    void testSequenceGroupsInAProjection()
    {
        MergeSteps table = MergeSteps.of(7, partialUpdate(
                "fields.f3.sequence-group", "f1,f2",
                "fields.f6.sequence-group", "f4,f5",
                "partial-update.remove-record-on-sequence-group", "f3,f6"));
        MergeSteps steps = table.project("f3", "f6", "f0", "f1", "f2", "f4", "f5");
        steps.add(11, 22, 100, 200, 1, 12, 21);
        steps.add(DELETE, 11, 22, 100, 200, 1, 12, 21);
        assertThat(steps.result(false)).isEqualTo(new Version(DELETE, 1, 0, row(11, 22, 100, 200, 1, 12, 21)));

        // one group, and not the other
        MergeSteps half = table.project("f0", "f5", "f6");
        half.add(1, 5, 2).add(1, 6, 1);
        assertThat(half.values()).isEqualTo(row(1, 5, 2));
        assertThatThrownBy(() -> table.project("f0", "f5").function()).hasMessageContaining("'f5'").hasMessageContaining("[f6]");
    }

    @Test
    void testSeveralSequenceColumns()
    {
        MergeSteps steps = MergeSteps.of(9, partialUpdate("fields.f3,f4.sequence-group", "f1,f2", "fields.f7,f8.sequence-group", "f5,f6"));
        steps.add(1, null, null, null, null, 1, 1, 1, 3);
        steps.add(1, 2, 2, null, null, 2, 2, 1, 3);
        assertThat(steps.values()).isEqualTo(row(1, null, null, null, null, 2, 2, 1, 3));

        steps.reset();
        steps.add(1, 1, 1, 1, 1, 1, 1, 1, 3);
        // null is the smallest
        steps.add(1, 2, 2, 2, 2, 2, 1, 1, null);
        assertThat(steps.values()).isEqualTo(row(1, 2, 2, 2, 2, 1, 1, 1, 3));
        steps.add(1, 1, 3, 1, 3, 3, 3, 3, 2);
        assertThat(steps.values()).isEqualTo(row(1, 2, 2, 2, 2, 3, 3, 3, 2));

        steps.add(DELETE, 1, 1, 1, 3, 3, 1, 1, null, null);
        assertThat(steps.values()).isEqualTo(row(1, null, null, 3, 3, 3, 3, 3, 2));
        steps.add(DELETE, 1, 1, 1, 3, 1, 1, 1, 4, 4);
        assertThat(steps.values()).isEqualTo(row(1, null, null, 3, 3, null, null, 4, 4));
        steps.add(1, 4, 4, 4, 4, 5, 5, 5, 5);
        assertThat(steps.values()).isEqualTo(row(1, 4, 4, 4, 4, 5, 5, 5, 5));
        steps.add(DELETE, 1, 1, 1, 6, 1, 1, 1, 6, 1);
        assertThat(steps.values()).isEqualTo(row(1, null, null, 6, 1, null, null, 6, 1));
    }

    @Test
    void testDefaultAggregateFunction()
    {
        MergeSteps steps = MergeSteps.of(7, partialUpdate(
                "fields.f3.sequence-group", "f1,f2",
                "fields.f6.sequence-group", "f4,f5",
                "fields.default-aggregate-function", "last_non_null_value"));
        steps.add(1, 1, 1, 1, 1, 1, 1);
        steps.add(1, 2, 2, 2, 2, 2, null);
        assertThat(steps.values()).isEqualTo(row(1, 2, 2, 2, 1, 1, 1));
        steps.add(1, 3, 3, 1, 3, 3, 3);
        assertThat(steps.values()).isEqualTo(row(1, 2, 2, 2, 3, 3, 3));
        steps.add(1, 4, null, 4, 5, null, 5);
        assertThat(steps.values()).isEqualTo(row(1, 4, 2, 4, 5, 3, 5));
    }

    @Test
    void testAggregatesOfGroups()
    {
        // f5 is in no group; f4 takes the last value, f2 the sum, f6 the last value that is not null
        MergeSteps steps = MergeSteps.of(8, partialUpdate(
                "fields.f1.sequence-group", "f2,f3,f4",
                "fields.f7.sequence-group", "f6",
                "fields.f0.aggregate-function", "listagg",
                "fields.f2.aggregate-function", "sum",
                "fields.f4.aggregate-function", "last_value",
                "fields.f6.aggregate-function", "last_non_null_value",
                "fields.f4.ignore-retract", "true",
                "fields.f6.ignore-retract", "true"));
        steps.add(1, 1, 1, 1, 1, 1, 1, 1);
        steps.add(1, 2, 1, 2, 2, 2, 2, 0);
        assertThat(steps.values()).isEqualTo(row(1, 2, 2, 2, 2, 2, 1, 1));

        // neither group advances, the sum takes the value all the same
        steps.add(1, 1, 1, 1, 1, 1, 2, 0);
        assertThat(steps.values()).isEqualTo(row(1, 2, 3, 2, 2, 1, 1, 1));
        steps.add(1, 1, -1, 1, 1, 2, 2, 0);

        steps.add(1, 3, null, null, null, null, null, 2);
        assertThat(steps.values()).isEqualTo(row(1, 3, 2, null, null, 2, 1, 2));

        steps.add(1, 3, 1, 1, 1, 1, 1, 3);
        assertThat(steps.values()).isEqualTo(row(1, 3, 3, 1, 1, 1, 1, 3));
        steps.add(UPDATE_BEFORE, 1, 3, 2, 1, 1, 1, 1, 3);
        assertThat(steps.values()).isEqualTo(row(1, 3, 1, null, 1, 1, 1, 3));
        steps.add(DELETE, 1, 3, 2, 1, 1, 1, 1, 3);
        assertThat(steps.values()).isEqualTo(row(1, 3, -1, null, 1, 1, 1, 3));
        // of an older sequence
        steps.add(DELETE, 1, 2, 2, 1, 1, 1, 1, 3);
        assertThat(steps.values()).isEqualTo(row(1, 3, -3, null, 1, 1, 1, 3));
    }

    @Test
    void testRetractionThatComesFirstLeavesItsValues()
    {
        MergeSteps steps = MergeSteps.of(5, partialUpdate(
                "fields.f1.sequence-group", "f2,f3",
                "fields.f2.aggregate-function", "sum"));
        steps.add(DELETE, 1, 5, 10, 20, 30);
        // the sum starts from what is taken back
        assertThat(steps.result(true)).isEqualTo(new Version(DELETE, 0, 0, row(1, 5, 0, null, 30)));
        steps.add(1, 6, 7, null, null);
        assertThat(steps.result(false)).isEqualTo(new Version(INSERT, 1, 0, row(1, 6, 7, null, 30)));
    }

    @Test
    void testRemoveRecordOnDelete()
    {
        MergeSteps steps = MergeSteps.of(4, Set.of(0, 1), partialUpdate("partial-update.remove-record-on-delete", "true"));
        steps.add(1, 3, 5, 7);
        steps.add(DELETE, 1, 2, 2, null);
        assertThat(steps.result(false)).isEqualTo(new Version(DELETE, 1, 0, row(1, 2, 2, null)));
        // starts from the values of the delete
        steps.add(1, 4, null, 6);
        assertThat(steps.result(false)).isEqualTo(new Version(INSERT, 2, 0, row(1, 4, 2, 6)));
        steps.add(UPDATE_BEFORE, 1, 4, 2, 6);
        assertThat(steps.result(false)).isEqualTo(new Version(INSERT, 3, 0, row(1, 4, 2, 6)));
    }

    @Test
    void testIgnoreDelete()
    {
        for (String key : List.of("ignore-delete", "partial-update.ignore-delete")) {
            MergeSteps steps = MergeSteps.of(3, partialUpdate(key, "true"));
            steps.add(1, 1, 1);
            steps.add(DELETE, 1, 2, 2);
            steps.add(UPDATE_BEFORE, 1, 3, 3);
            assertThat(steps.result(false)).isEqualTo(new Version(INSERT, 0, 0, row(1, 1, 1)));
            steps.reset();
            steps.add(DELETE, 1, 2, 2);
            steps.add(UPDATE_BEFORE, 1, 3, 3);
            assertThat(steps.result(false).kind()).isEqualTo(DELETE);
            steps.add(1, 4, null);
            assertThat(steps.result(false)).isEqualTo(new Version(INSERT, 2, 0, row(1, 4, 2)));
        }
    }

    @Test
    void testRetractionIsRefusedByDefault()
    {
        MergeSteps steps = MergeSteps.of(2, partialUpdate());
        steps.add(1, 1).add(DELETE, 1, 1);
        assertThatThrownBy(() -> steps.result(false))
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.UNSUPPORTED_FEATURE))
                .hasMessageContainingAll("'ignore-delete'", "'partial-update.remove-record-on-delete'", "'partial-update.remove-record-on-sequence-group'");
    }

    @Test
    void testSequenceFieldOrdersVersions()
    {
        // the reader brings the versions into order; the newest of them is not the last written
        MergeSteps steps = MergeSteps.of(3, partialUpdate("sequence.field", "f2"));
        steps.add(1, 1, 10).add(1, null, 20);
        assertThat(steps.values()).isEqualTo(row(1, 1, 20));
    }

    @Test
    void testLookupTakesOneStateFromTheLevels()
    {
        MergeSteps steps = MergeSteps.of(3, partialUpdate("changelog-producer", "lookup"));
        steps.addAt(5, INSERT, 1, 1, 1);
        steps.addAt(4, INSERT, 1, null, 2);
        steps.addAt(0, INSERT, 1, null, 3);
        // level 4 holds the whole state
        assertThat(steps.values()).isEqualTo(row(1, null, 3));

        // what comes from no file counts as level 0 does
        MergeSteps unwritten = MergeSteps.of(3, partialUpdate("changelog-producer", "lookup"));
        unwritten.addAt(3, INSERT, 1, 1, 1);
        unwritten.addAt(2, INSERT, 1, null, 2);
        unwritten.addAt(0, INSERT, 1, 5, null);
        unwritten.addAt(-1, INSERT, 1, null, 3);
        assertThat(unwritten.values()).isEqualTo(row(1, 5, 3));
    }

    private static List<Integer> row(Integer... values)
    {
        return Arrays.asList(values);
    }
}
