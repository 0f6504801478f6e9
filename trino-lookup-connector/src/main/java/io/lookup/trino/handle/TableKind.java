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

import java.util.Arrays;
import java.util.Optional;

import static java.util.Locale.ENGLISH;

/**
 * A table, or one of the tables that tell of it, which are named {@code "table$kind"}.
 */
public enum TableKind
{
    DATA,
    SNAPSHOTS,
    FILES,
    AUDIT_LOG,
    SCHEMAS,
    OPTIONS,
    MANIFESTS,
    PARTITIONS,
    BUCKETS,
    TAGS,
    AGGREGATION_FIELDS,
    CONSUMERS,
    BRANCHES,
    STATISTICS,
    /**
     * The rows that a full compaction has brought to the highest level, read without merging.
     */
    RO,
    /**
     * The audit log with both sides of an update in one row.
     */
    BINLOG,
    /**
     * What {@code verify_changelog} finds; it has no name in SQL.
     */
    CONTRADICTIONS,
    /**/;

    public boolean isSystemTable()
    {
        return this != DATA;
    }

    public String suffix()
    {
        return this == DATA ? "" : "$" + name().toLowerCase(ENGLISH);
    }

    /**
     * @param suffix what stands behind the dollar sign
     */
    public static Optional<TableKind> forSuffix(String suffix)
    {
        return Arrays.stream(values())
                .filter(kind -> kind.isSystemTable() && kind != CONTRADICTIONS)
                .filter(kind -> kind.suffix().equals("$" + suffix))
                .findFirst();
    }
}
