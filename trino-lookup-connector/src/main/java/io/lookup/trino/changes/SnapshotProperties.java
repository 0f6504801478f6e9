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
package io.lookup.trino.changes;

import com.google.common.collect.ImmutableMap;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.ChangelogProducer;
import io.lookup.storage.snapshot.Snapshot;
import io.trino.spi.connector.ConnectorSession;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Objects.requireNonNull;

/**
 * What a snapshot tells of the statement that made it.
 */
public final class SnapshotProperties
{
    public static final String QUERY_ID = "trino.query-id";
    public static final String USER = "trino.user";
    public static final String COMPACTOR_QUERY_ID = "trino.compactor-query-id";

    private SnapshotProperties() {}

    public static Map<String, String> of(ConnectorSession session)
    {
        return ImmutableMap.of(QUERY_ID, session.getQueryId(), USER, session.getUser());
    }

    /**
     * What the COMPACT snapshot of a statement tells. A statement may log rows that another one left at level 0, or, where
     * only full compactions log, anywhere below the highest level: their changes must not be put down to it, so that it is
     * then named as the one that compacted only.
     */
    public static Map<String, String> ofCompaction(ConnectorSession session, List<CommitMessage> messages, CoreOptions options)
    {
        Set<String> ownFiles = messages.stream()
                .flatMap(message -> message.newFiles().stream())
                .map(DataFileMeta::fileName)
                .collect(toImmutableSet());
        return ofCompaction(of(session), ownFiles, messages, options);
    }

    /**
     * The same for a compaction that follows a statement by itself.
     *
     * @param statement what the snapshot of the statement's rows tells
     * @param ownFiles names of the data files that the statement wrote
     */
    public static Map<String, String> ofCompaction(Map<String, String> statement, Set<String> ownFiles, List<CommitMessage> messages, CoreOptions options)
    {
        int loggedLevel = options.changelogProducer() == ChangelogProducer.FULL_COMPACTION ? options.compaction().numLevels() - 1 : 1;
        boolean liftsOnlyItsOwn = messages.stream()
                .flatMap(message -> message.compactBefore().stream())
                .filter(file -> file.level() < loggedLevel)
                .allMatch(file -> ownFiles.contains(file.fileName()));
        return liftsOnlyItsOwn ? statement : ImmutableMap.of(COMPACTOR_QUERY_ID, requireNonNull(statement.get(QUERY_ID), "statement has no query"));
    }

    /**
     * What a COMPACT snapshot tells that belongs to no change of rows.
     */
    public static Map<String, String> ofMaintenance(ConnectorSession session)
    {
        return ImmutableMap.of(COMPACTOR_QUERY_ID, session.getQueryId());
    }

    /**
     * @return empty for the snapshots of other writers
     */
    public static Optional<String> queryId(Snapshot snapshot)
    {
        return Optional.ofNullable(snapshot.properties().get(QUERY_ID));
    }

    public static Optional<String> user(Snapshot snapshot)
    {
        return Optional.ofNullable(snapshot.properties().get(USER));
    }
}
