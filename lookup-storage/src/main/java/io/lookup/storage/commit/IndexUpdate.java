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
package io.lookup.storage.commit;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.format.manifest.FileKind;
import io.lookup.storage.format.manifest.IndexManifestEntry;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * What a snapshot does to the index files of the one before it.
 *
 * @param scope whose index files all go, since their data goes: present in an overwrite
 * @param entries DELETE entries of index files that are there, and ADD entries of new ones
 */
record IndexUpdate(Optional<OverwriteScope> scope, List<IndexManifestEntry> entries)
{
    static final IndexUpdate NONE = new IndexUpdate(Optional.empty(), ImmutableList.of());

    IndexUpdate
    {
        requireNonNull(scope, "scope is null");
        entries = ImmutableList.copyOf(entries);
    }

    boolean isNone()
    {
        return scope.isEmpty() && entries.isEmpty();
    }

    /**
     * @param previous all index files of the snapshot before
     * @return all index files of the snapshot
     * @throws StorageException COMMIT_CONFLICT if a file that goes is not there; UNSUPPORTED_FEATURE for kinds of indexes
     * that would be damaged by being written anew
     */
    List<IndexManifestEntry> apply(List<IndexManifestEntry> previous)
    {
        Predicate<IndexManifestEntry> overwritten = entry -> scope.isPresent() && scope.get().contains(entry.partition());
        List<IndexManifestEntry> remaining = new ArrayList<>(previous.stream().filter(overwritten.negate()).toList());
        if (remaining.size() == previous.size() && entries.isEmpty()) {
            return previous;
        }
        for (IndexManifestEntry entry : remaining) {
            if (!entry.indexType().equals(IndexManifestEntry.DELETION_VECTORS) && !entry.indexType().equals(IndexManifestEntry.HASH)) {
                throw new StorageException(StorageErrorCode.UNSUPPORTED_FEATURE, format("Index file %s is of type %s, which is not supported for writing", entry.fileName(), entry.indexType()));
            }
        }
        Set<String> deleted = entries.stream()
                .filter(entry -> entry.kind() == FileKind.DELETE)
                .map(IndexManifestEntry::fileName)
                .collect(toImmutableSet());
        int before = remaining.size();
        remaining.removeIf(entry -> deleted.contains(entry.fileName()));
        if (before - remaining.size() != deleted.size()) {
            throw new StorageException(StorageErrorCode.COMMIT_CONFLICT, format("Index files %s are not all there any more; nothing was committed, run the statement again", deleted));
        }
        entries.stream()
                .filter(entry -> entry.kind() == FileKind.ADD)
                .forEach(entry -> {
                    // readers take the vectors of a bucket from one file
                    if (remaining.stream().anyMatch(other -> isSameIndex(entry, other))) {
                        throw new StorageException(StorageErrorCode.COMMIT_CONFLICT, format("Bucket %s has another index file than %s; nothing was committed, run the statement again", entry.bucket(), entry.fileName()));
                    }
                    remaining.add(entry);
                });
        return ImmutableList.copyOf(remaining);
    }

    private static boolean isSameIndex(IndexManifestEntry entry, IndexManifestEntry other)
    {
        return entry.partition().equals(other.partition()) && entry.bucket() == other.bucket() && entry.indexType().equals(other.indexType());
    }
}
