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

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

import static io.lookup.storage.format.row.RowKind.DELETE;
import static io.lookup.storage.format.row.RowKind.UPDATE_BEFORE;
import static io.lookup.storage.merge.MergeSteps.partialUpdate;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Aggregate functions of columns in sequence groups, which see versions in the order of the group.
 */
final class TestPartialUpdateAggregates
{
    /**
     * What arrives late was there before what is there.
     */
    @Test
    void testFirstAndLastValue()
    {
        MergeSteps steps = MergeSteps.of(4, partialUpdate(
                "fields.f1.sequence-group", "f2,f3",
                "fields.f2.aggregate-function", "first_value",
                "fields.f3.aggregate-function", "last_value"));
        steps.add(1, 1, 1, 1).add(1, 2, 2, 2);
        assertThat(steps.values()).isEqualTo(row(1, 2, 1, 2));
        steps.add(1, 0, 3, 3);
        assertThat(steps.values()).isEqualTo(row(1, 2, 3, 2));
        // says nothing of the group
        steps.add(1, null, 4, 4);
        assertThat(steps.values()).isEqualTo(row(1, 2, 3, 2));
    }

    @Test
    void testFirstAndLastValueOfSeveralSequenceColumns()
    {
        MergeSteps steps = MergeSteps.of(5, partialUpdate(
                "fields.f1,f2.sequence-group", "f3,f4",
                "fields.f3.aggregate-function", "first_value",
                "fields.f4.aggregate-function", "last_value"));
        steps.add(1, 1, 1, 1, 1).add(1, 2, 2, 2, 2);
        assertThat(steps.values()).isEqualTo(row(1, 2, 2, 1, 2));
        steps.add(1, 0, 1, 3, 3);
        assertThat(steps.values()).isEqualTo(row(1, 2, 2, 3, 2));
        // the second column decides where the first is equal
        steps.add(1, 2, 1, 4, 4);
        assertThat(steps.values()).isEqualTo(row(1, 2, 2, 4, 2));
        steps.add(1, 2, 3, 5, 5);
        assertThat(steps.values()).isEqualTo(row(1, 2, 3, 4, 5));
    }

    @Test
    void testDefaultFunctionOfSeveralSequenceColumns()
    {
        MergeSteps steps = MergeSteps.of(9, partialUpdate(
                "fields.f3,f4.sequence-group", "f1,f2",
                "fields.f7,f8.sequence-group", "f5,f6",
                "fields.default-aggregate-function", "last_non_null_value"));
        steps.add(1, 1, 1, 1, 1, 1, 1, 1, 1).add(1, 2, 2, 2, 2, 2, 2, null, null);
        assertThat(steps.values()).isEqualTo(row(1, 2, 2, 2, 2, 1, 1, 1, 1));
        steps.add(1, 3, 3, 1, 1, 3, 3, 3, 3);
        assertThat(steps.values()).isEqualTo(row(1, 2, 2, 2, 2, 3, 3, 3, 3));
        steps.add(1, 4, null, 4, 4, 5, null, 5, 5);
        assertThat(steps.values()).isEqualTo(row(1, 4, 2, 4, 4, 5, 3, 5, 5));
    }

    /**
     * f3 sums, f4 keeps the first value, f5 the last, f6 the last that is not null.
     */
    @Test
    void testRetractionsOfSeveralSequenceColumns()
    {
        MergeSteps steps = MergeSteps.of(9, partialUpdate(
                "fields.f1,f2.sequence-group", "f3,f4,f5",
                "fields.f7,f8.sequence-group", "f6",
                "fields.f3.aggregate-function", "sum",
                "fields.f4.aggregate-function", "first_value",
                "fields.f5.aggregate-function", "last_value",
                "fields.f6.aggregate-function", "last_non_null_value",
                "fields.f4.ignore-retract", "true",
                "fields.f6.ignore-retract", "true"));
        // a version, or a retraction, without a sequence says nothing
        steps.add(1, null, null, 1, 1, 1, 1, 1, 1);
        assertThat(steps.values()).isEqualTo(row(1, null, null, null, null, null, 1, 1, 1));
        steps.add(DELETE, 1, null, null, 1, 1, 1, 0, 1, 1);
        assertThat(steps.values()).isEqualTo(row(1, null, null, null, null, null, 1, 1, 1));

        steps.add(1, 1, 1, 1, 1, 1, 1, 1, 1).add(1, 1, 2, 1, 2, 2, null, 2, 0);
        assertThat(steps.values()).isEqualTo(row(1, 1, 2, 2, 1, 2, 1, 2, 0));
        steps.add(UPDATE_BEFORE, 1, 1, 3, 1, 7, 7, 7, 2, 1);
        assertThat(steps.values()).isEqualTo(row(1, 1, 3, 1, 1, null, 1, 2, 1));
        // of an older sequence: the sum loses it, the rest stays
        steps.add(1, 1, 4, 10, 9, 9, 9, 3, 0);
        steps.add(DELETE, 1, 1, 2, 5, 8, 8, 8, 0, 9);
        assertThat(steps.values()).isEqualTo(row(1, 1, 4, 6, 1, null, 9, 3, 0));
    }

    /**
     * Of a table of which only some columns are read, groups that have none of them are not looked at.
     */
    @Test
    void testProjection()
    {
        MergeSteps table = MergeSteps.of(8, partialUpdate(
                "fields.f1.sequence-group", "f2,f3,f4",
                "fields.f7.sequence-group", "f6",
                "fields.f2.aggregate-function", "sum",
                "fields.f4.aggregate-function", "last_value",
                "fields.f6.aggregate-function", "last_non_null_value",
                "fields.f4.ignore-retract", "true",
                "fields.f6.ignore-retract", "true"));
        MergeSteps steps = table.project("f0", "f3", "f2", "f5", "f1");
        steps.add(1, 1, 1, 1, 1).add(1, 2, 1, 2, 2);
        assertThat(steps.values()).isEqualTo(row(1, 2, 2, 2, 2));
        steps.add(1, null, null, null, 3);
        assertThat(steps.values()).isEqualTo(row(1, null, 2, 2, 3));
        steps.add(UPDATE_BEFORE, 1, 1, 2, 1, 3);
        assertThat(steps.values()).isEqualTo(row(1, null, 0, 2, 3));
        steps.add(DELETE, 1, 1, 2, 1, 3);
        assertThat(steps.values()).isEqualTo(row(1, null, -2, 2, 3));
    }

    private static List<Integer> row(Integer... values)
    {
        return Arrays.asList(values);
    }
}
