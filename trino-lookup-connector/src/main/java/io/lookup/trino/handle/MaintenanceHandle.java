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

import io.trino.spi.connector.ConnectorTableExecuteHandle;
import io.trino.spi.connector.SchemaTableName;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/**
 * A call of one of the procedures that keep a table's history and its folder; each has the arguments that it needs.
 *
 * @param retentionMillis {@code retention_threshold}
 * @param buckets {@code bucket_num}
 */
public record MaintenanceHandle(
        String schemaName,
        String tableName,
        Procedure procedure,
        Optional<String> tag,
        Optional<String> branch,
        OptionalLong snapshotId,
        OptionalLong retentionMillis,
        OptionalInt retainLast,
        OptionalInt buckets,
        ConsumerChoice consumers)
        implements ConnectorTableExecuteHandle
{
    public MaintenanceHandle
    {
        requireNonNull(schemaName, "schemaName is null");
        requireNonNull(tableName, "tableName is null");
        requireNonNull(procedure, "procedure is null");
        requireNonNull(tag, "tag is null");
        requireNonNull(branch, "branch is null");
        requireNonNull(snapshotId, "snapshotId is null");
        requireNonNull(retentionMillis, "retentionMillis is null");
        requireNonNull(retainLast, "retainLast is null");
        requireNonNull(buckets, "buckets is null");
        requireNonNull(consumers, "consumers is null");
    }

    public SchemaTableName schemaTableName()
    {
        return new SchemaTableName(schemaName, tableName);
    }

    /**
     * Named as in SQL.
     */
    public enum Procedure
    {
        CREATE_TAG,
        DELETE_TAG,
        ROLLBACK_TO_SNAPSHOT,
        EXPIRE_SNAPSHOTS,
        REMOVE_ORPHAN_FILES,
        CREATE_BRANCH,
        DELETE_BRANCH,
        FAST_FORWARD,
        RESCALE,
        RESET_CONSUMER,
        CLEAR_CONSUMERS,
    }

    /**
     * What EXPLAIN shows.
     */
    @Override
    public String toString()
    {
        return procedure.name().toLowerCase(ENGLISH) + " " + schemaName + "." + tableName;
    }

    /**
     * Which consumers a procedure is about: the one with the id, or those whose ids match one regular expression and not the other.
     */
    public record ConsumerChoice(Optional<String> id, Optional<String> including, Optional<String> excluding)
    {
        public ConsumerChoice
        {
            requireNonNull(id, "id is null");
            requireNonNull(including, "including is null");
            requireNonNull(excluding, "excluding is null");
        }

        /**
         * @throws java.util.regex.PatternSyntaxException if a text is no regular expression
         */
        public Predicate<String> matcher()
        {
            Predicate<String> included = including.map(ConsumerChoice::matching).orElse(_ -> true);
            return excluding.map(ConsumerChoice::matching).map(excluded -> included.and(excluded.negate())).orElse(included);
        }

        private static Predicate<String> matching(String expression)
        {
            return Pattern.compile(expression).asMatchPredicate();
        }
    }
}
