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
package io.lookup.storage.damage;

/**
 * A kind of file that is read, each by a parser of its own or in a way of its own.
 */
enum DamagedKind
{
    SCHEMA(true),
    SNAPSHOT(true),
    HINT(true),
    TAG(true),
    CONSUMER(true),
    LONG_LIVED_CHANGELOG(true),
    STATISTICS(true),
    MANIFEST_LIST(false),
    MANIFEST(false),
    INDEX_MANIFEST(false),
    DELETION_VECTORS(false),
    HASH_INDEX(false),
    DATA(false),
    CHANGELOG(false);

    private final boolean text;

    DamagedKind(boolean text)
    {
        this.text = text;
    }

    boolean isText()
    {
        return text;
    }

    boolean isManifest()
    {
        return this == MANIFEST_LIST || this == MANIFEST || this == INDEX_MANIFEST;
    }

    boolean isRows()
    {
        return this == DATA || this == CHANGELOG;
    }

    /**
     * @param folder below the table's, with which the path of the file begins
     * @param hashed whether the table's index files have hashes of keys
     */
    static DamagedKind of(String folder, String name, boolean hashed)
    {
        return switch (folder) {
            case "schema" -> SCHEMA;
            case "snapshot" -> name.startsWith("snapshot-") ? SNAPSHOT : HINT;
            case "changelog" -> name.startsWith("changelog-") ? LONG_LIVED_CHANGELOG : HINT;
            case "tag" -> TAG;
            case "consumer" -> CONSUMER;
            case "statistics" -> STATISTICS;
            case "index" -> hashed ? HASH_INDEX : DELETION_VECTORS;
            case "manifest" -> name.startsWith("manifest-list-") ? MANIFEST_LIST : name.startsWith("index-manifest-") ? INDEX_MANIFEST : MANIFEST;
            default -> name.startsWith("changelog-") ? CHANGELOG : DATA;
        };
    }
}
