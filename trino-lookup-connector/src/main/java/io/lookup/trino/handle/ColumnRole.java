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
package io.lookup.trino.handle;

/**
 * Where a column's values come from.
 */
public enum ColumnRole
{
    /**
     * A column of the table.
     */
    DATA,
    /**
     * A column of a state table such as {@code "t$snapshots"}, known by its name.
     */
    STATE,
    /**
     * The whole old row, by which a changed row is known.
     */
    ROW_ID,
    ROW_KIND,
    SNAPSHOT_ID,
    COMMIT_TIME,
    QUERY_ID,
    USER,
    BUCKET,
    SEQUENCE_NUMBER,
    /**/;

    /**
     * Whether all changes of one snapshot have the same value.
     */
    public boolean isSnapshotWide()
    {
        return this == SNAPSHOT_ID || this == COMMIT_TIME || this == QUERY_ID || this == USER;
    }
}
