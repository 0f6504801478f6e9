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
package io.lookup.storage.model;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.row.RowKind;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;

/**
 * A statement as data: it can be printed, made smaller and run again.
 */
public sealed interface ModelStatement
{
    /**
     * The rows that the statement sends to the table, given the rows that it sees. The order is the statement's; the
     * table must not depend on it but for inserts of one key, of which the last wins.
     */
    List<ModelChange> changes(SortedMap<Integer, Long> rows);

    /**
     * Whether what the statement writes depends on rows that it has read.
     */
    boolean readsRows();

    /**
     * {@code INSERT INTO t VALUES ...}
     */
    record Insert(List<ModelChange> rows)
            implements ModelStatement
    {
        public Insert
        {
            rows = ImmutableList.copyOf(rows);
        }

        public static Insert of(int key, long value)
        {
            return new Insert(ImmutableList.of(new ModelChange(RowKind.INSERT, key, value)));
        }

        @Override
        public List<ModelChange> changes(SortedMap<Integer, Long> rows)
        {
            return this.rows;
        }

        @Override
        public boolean readsRows()
        {
            return false;
        }
    }

    /**
     * {@code UPDATE t SET v = v + add WHERE k BETWEEN from AND to}
     */
    record UpdateValues(int from, int to, long add)
            implements ModelStatement
    {
        @Override
        public List<ModelChange> changes(SortedMap<Integer, Long> rows)
        {
            List<ModelChange> changes = new ArrayList<>();
            rows.subMap(from, to + 1).forEach((key, value) -> changes.add(new ModelChange(RowKind.UPDATE_AFTER, key, value + add)));
            return changes;
        }

        @Override
        public boolean readsRows()
        {
            return true;
        }
    }

    /**
     * {@code UPDATE t SET k = k + by WHERE k BETWEEN from AND to}: a delete of each old key and an insert of each new
     * one, and most keys are both.
     */
    record ShiftKeys(int from, int to, int by)
            implements ModelStatement
    {
        @Override
        public List<ModelChange> changes(SortedMap<Integer, Long> rows)
        {
            List<ModelChange> changes = new ArrayList<>();
            rows.subMap(from, to + 1).forEach((key, value) -> {
                changes.add(new ModelChange(RowKind.DELETE, key, value));
                changes.add(new ModelChange(RowKind.INSERT, key + by, value));
            });
            return changes;
        }

        @Override
        public boolean readsRows()
        {
            return true;
        }
    }

    /**
     * {@code DELETE FROM t WHERE k BETWEEN from AND to}
     */
    record Delete(int from, int to)
            implements ModelStatement
    {
        @Override
        public List<ModelChange> changes(SortedMap<Integer, Long> rows)
        {
            List<ModelChange> changes = new ArrayList<>();
            rows.subMap(from, to + 1).forEach((key, value) -> changes.add(new ModelChange(RowKind.DELETE, key, value)));
            return changes;
        }

        @Override
        public boolean readsRows()
        {
            return true;
        }
    }
}
