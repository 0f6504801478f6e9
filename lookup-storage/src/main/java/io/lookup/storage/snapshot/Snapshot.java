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
package io.lookup.storage.snapshot;

import com.google.common.collect.ImmutableMap;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * One state of a table, as in {@code snapshot/snapshot-<id>}.
 *
 * @param schemaId latest schema version at commit time
 * @param baseManifestList everything before this commit
 * @param deltaManifestList what this commit changed
 * @param changelogManifestList changelog files of this commit, if it has any
 * @param timeMillis commit time, epoch milliseconds, never less than the previous snapshot's
 * @param totalRecordCount physical rows in all live files, retract rows included
 * @param properties free text by key; this connector keeps the query's id and user here
 */
public record Snapshot(
        int version,
        long id,
        long schemaId,
        String baseManifestList,
        OptionalLong baseManifestListSize,
        String deltaManifestList,
        OptionalLong deltaManifestListSize,
        Optional<String> changelogManifestList,
        OptionalLong changelogManifestListSize,
        Optional<String> indexManifest,
        String commitUser,
        long commitIdentifier,
        CommitKind commitKind,
        long timeMillis,
        long totalRecordCount,
        long deltaRecordCount,
        OptionalLong changelogRecordCount,
        OptionalLong watermark,
        Optional<String> statistics,
        Map<String, String> properties,
        OptionalLong nextRowId)
{
    public static final long FIRST_ID = 1;
    public static final int CURRENT_VERSION = 3;

    private static final String REPLACING_COMMIT_USER = "replace-table-";

    public Snapshot
    {
        requireNonNull(baseManifestList, "baseManifestList is null");
        requireNonNull(baseManifestListSize, "baseManifestListSize is null");
        requireNonNull(deltaManifestList, "deltaManifestList is null");
        requireNonNull(deltaManifestListSize, "deltaManifestListSize is null");
        requireNonNull(changelogManifestList, "changelogManifestList is null");
        requireNonNull(changelogManifestListSize, "changelogManifestListSize is null");
        requireNonNull(indexManifest, "indexManifest is null");
        requireNonNull(commitUser, "commitUser is null");
        requireNonNull(commitKind, "commitKind is null");
        requireNonNull(changelogRecordCount, "changelogRecordCount is null");
        requireNonNull(watermark, "watermark is null");
        requireNonNull(statistics, "statistics is null");
        properties = ImmutableMap.copyOf(properties);
        requireNonNull(nextRowId, "nextRowId is null");
    }

    /**
     * Whether this is the first half of Paimon's CREATE OR REPLACE TABLE, as it is from 2.1 on: it makes the table empty, and a schema version with
     * columns that begin to count their ids anew follows. Only the name by which it commits tells.
     */
    public boolean replacesTable()
    {
        return commitUser.startsWith(REPLACING_COMMIT_USER);
    }

    /**
     * The same state, of which it is not known how it came to be.
     */
    public Snapshot withoutChangelog()
    {
        return new Snapshot(
                version,
                id,
                schemaId,
                baseManifestList,
                baseManifestListSize,
                deltaManifestList,
                deltaManifestListSize,
                Optional.empty(),
                OptionalLong.empty(),
                indexManifest,
                commitUser,
                commitIdentifier,
                commitKind,
                timeMillis,
                totalRecordCount,
                deltaRecordCount,
                OptionalLong.empty(),
                watermark,
                statistics,
                properties,
                nextRowId);
    }
}
