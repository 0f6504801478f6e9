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
package io.lookup.storage.schema;

import com.google.common.collect.ImmutableList;

import java.util.List;

/**
 * Columns of a partial-update table that advance together: {@code fields.<sequence columns>.sequence-group = <members>}.
 * A row whose sequence columns are all null says nothing of the group.
 *
 * @param sequenceColumns decide in their order, null smallest
 * @param members the columns that follow them
 * @param removesRecord whether a -D that is not older than the group's state removes the row of its key
 */
public record SequenceGroup(List<String> sequenceColumns, List<String> members, boolean removesRecord)
{
    public SequenceGroup
    {
        sequenceColumns = ImmutableList.copyOf(sequenceColumns);
        members = ImmutableList.copyOf(members);
    }
}
