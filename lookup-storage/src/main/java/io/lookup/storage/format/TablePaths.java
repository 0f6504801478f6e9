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
package io.lookup.storage.format;

import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.schema.TableSchema;
import org.apache.hadoop.fs.Path;

import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * Where everything of one table lies. Thread-safe.
 */
public final class TablePaths
{
    private static final int POSTPONED_BUCKET = -2;
    private static final String DATA_DIRECTORY_OPTION = "data-file.path-directory";
    private static final String INDEX_IN_DATA_DIRECTORY_OPTION = "index-file-in-data-file-dir";

    private final Path root;
    private final Path dataRoot;
    private final PartitionPaths partitions;
    private final boolean indexInDataDirectory;

    /**
     * @param root the table's directory
     * @param schema gives the partition columns and the options that shape directory names
     */
    public TablePaths(Path root, TableSchema schema)
    {
        this.root = requireNonNull(root, "root is null");
        String dataDirectory = schema.options().getOrDefault(DATA_DIRECTORY_OPTION, "").trim();
        this.dataRoot = dataDirectory.isEmpty() ? root : StoredNames.below(root, DATA_DIRECTORY_OPTION, dataDirectory);
        this.partitions = PartitionPaths.of(schema);
        this.indexInDataDirectory = Boolean.parseBoolean(schema.options().getOrDefault(INDEX_IN_DATA_DIRECTORY_OPTION, "false").trim());
    }

    public Path root()
    {
        return root;
    }

    /**
     * Where the partitions' directories lie.
     */
    public Path dataRoot()
    {
        return dataRoot;
    }

    public Path indexDirectory()
    {
        return new Path(root, "index");
    }

    public Path statisticsDirectory()
    {
        return new Path(root, "statistics");
    }

    public Path snapshotDirectory()
    {
        return new Path(root, "snapshot");
    }

    public Path changelogDirectory()
    {
        return new Path(root, "changelog");
    }

    public Path tagDirectory()
    {
        return new Path(root, "tag");
    }

    public Path manifestDirectory()
    {
        return new Path(root, "manifest");
    }

    /**
     * A manifest, manifest list or index manifest.
     */
    public Path manifest(String fileName)
    {
        return new Path(manifestDirectory(), fileName);
    }

    /**
     * Where an index file lies: in the table's own folder for them, or, if the table says so, beside the data that it
     * speaks of; unless the manifest has its own path for it.
     */
    public Path indexFile(BinaryRow partition, int bucket, String fileName, Optional<String> externalPath)
    {
        if (externalPath.isPresent()) {
            return StoredNames.external(root, externalPath.get());
        }
        return new Path(indexInDataDirectory ? bucketDirectory(partition, bucket) : indexDirectory(), fileName);
    }

    /**
     * {@code k1=v1/k2=v2/}, empty for an unpartitioned table.
     */
    public String partitionDirectory(BinaryRow partition)
    {
        return partitions.directory(partition);
    }

    /**
     * The names that partitions have.
     */
    public PartitionPaths partitions()
    {
        return partitions;
    }

    public Path bucketDirectory(BinaryRow partition, int bucket)
    {
        String name = bucket == POSTPONED_BUCKET ? "bucket-postpone" : "bucket-" + bucket;
        Path directory = dataRoot;
        String partitionDirectory = partitionDirectory(partition);
        if (!partitionDirectory.isEmpty()) {
            directory = new Path(directory, partitionDirectory);
        }
        return new Path(directory, name);
    }

    /**
     * Where a file lies: in its bucket's directory unless the manifest has its own path for it.
     */
    public Path dataFile(BinaryRow partition, int bucket, DataFileMeta file)
    {
        return file.externalPath()
                .map(path -> StoredNames.external(root, path))
                .orElseGet(() -> new Path(bucketDirectory(partition, bucket), file.fileName()));
    }
}
