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
package io.lookup.storage.catalog.rest;

import com.google.common.base.Joiner;

import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * The paths of the protocol's resources.
 */
final class RestPaths
{
    static final String CONFIG = "/v1/config";

    private static final Joiner SLASH = Joiner.on('/');

    private final String root;

    RestPaths(Optional<String> prefix)
    {
        requireNonNull(prefix, "prefix is null");
        this.root = prefix.map(text -> "/v1/" + RestClient.encode(text)).orElse("/v1");
    }

    String databases()
    {
        return SLASH.join(root, "databases");
    }

    String tables(String database)
    {
        return SLASH.join(databases(), RestClient.encode(database), "tables");
    }

    String tableDetails(String database)
    {
        return SLASH.join(databases(), RestClient.encode(database), "table-details");
    }

    /**
     * @param object a table, or {@code table$branch_b}
     */
    String table(String database, String object)
    {
        return SLASH.join(tables(database), RestClient.encode(object));
    }

    String latestSnapshot(String database, String object)
    {
        return SLASH.join(table(database, object), "snapshot");
    }
}
