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

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.FileIo.FileEntry;
import io.lookup.storage.format.StoredNames;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.util.List;
import java.util.Map;

import static java.util.Objects.requireNonNull;

/**
 * The branches of a table: each has schemas, snapshots and tags of its own, and shares the table's manifests and data files. Thread-safe.
 */
public final class BranchManager
{
    private static final String PREFIX = "branch-";

    private final FileIo fileIo;
    private final Path directory;

    public BranchManager(FileIo fileIo, Path tableRoot)
    {
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.directory = new Path(tableRoot, "branch");
    }

    /**
     * Where a branch of a table keeps its snapshots, tags and schema versions.
     *
     * @throws IllegalArgumentException if no branch can have that name
     */
    public static Path directory(Path tableRoot, String branch)
    {
        StoredNames.checkFileName(branch);
        return new Path(tableRoot, "branch/" + PREFIX + branch);
    }

    /**
     * The table that has its history here: the table itself, or the one whose branch this is.
     */
    public static Path tableRoot(Path location)
    {
        // a table's own folder lies in that of a schema, whose name ends with .db
        boolean isBranch = location.getName().startsWith(PREFIX) && location.getParent().getName().equals("branch");
        return isBranch ? location.getParent().getParent() : location;
    }

    /**
     * When the folder of each branch last changed, epoch milliseconds, by the branch's name; the table itself, which is called main, is
     * not among them.
     */
    public Map<String, Long> branches()
    {
        ImmutableSortedMap.Builder<String, Long> branches = ImmutableSortedMap.naturalOrder();
        try {
            for (FileEntry entry : fileIo.list(directory)) {
                String name = entry.path().getName();
                if (entry.directory() && name.startsWith(PREFIX)) {
                    branches.put(name.substring(PREFIX.length()), entry.modificationTimeMillis());
                }
            }
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "Directory %s could not be listed: %s".formatted(directory, e.getMessage()), e);
        }
        return branches.buildOrThrow();
    }

    /**
     * Where the table and each of its branches keep their histories.
     */
    public List<Path> historyRoots()
    {
        return ImmutableList.<Path>builder()
                .add(directory.getParent())
                .addAll(branches().keySet().stream().map(name -> new Path(directory, PREFIX + name)).iterator())
                .build();
    }
}
