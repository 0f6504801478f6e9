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
package io.lookup.storage.schema;

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.filesystem.FileIo.FileEntry;
import io.lookup.storage.filesystem.FileNumber;
import org.apache.hadoop.fs.Path;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * A table that one statement makes and fills. Its first schema version has to be there before its first snapshot, since a commit asks for
 * it; a mark beside it, {@code schema/.filling-<random>}, says that there is no table until then. It holds what the schema file holds, so that it hides that
 * table only, and not one that another statement makes at the same time.
 */
public final class TableFilling
{
    /** What ends without having filled its table is over after that time, whatever happened to it. */
    public static final long ABANDONED_AFTER_MILLIS = 600_000;

    private static final String PREFIX = ".filling-";
    private static final String SCHEMA_PREFIX = "schema-";
    private static final String SNAPSHOT_PREFIX = "snapshot-";

    private final FileIo fileIo;
    private final Path tableRoot;
    private final Path mark;

    private TableFilling(FileIo fileIo, Path tableRoot, Path mark)
    {
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
        this.tableRoot = requireNonNull(tableRoot, "tableRoot is null");
        this.mark = requireNonNull(mark, "mark is null");
    }

    /**
     * To be called before the schema version is published.
     */
    public static TableFilling begin(FileIo fileIo, Path tableRoot, TableSchema schema)
            throws IOException
    {
        Path mark = new Path(schemaDirectory(tableRoot), PREFIX + UUID.randomUUID());
        fileIo.overwrite(mark, SchemaJson.write(schema));
        return new TableFilling(fileIo, tableRoot, mark);
    }

    /**
     * The table has its rows. That the mark could not be removed does no harm.
     */
    public void end()
            throws IOException
    {
        fileIo.deleteFile(mark);
    }

    /**
     * Takes back what makes it a table, unless somebody has filled it.
     *
     * @return whether there is no table
     */
    public boolean abandon()
            throws IOException
    {
        List<FileEntry> files = fileIo.list(schemaDirectory(tableRoot)).stream()
                .filter(entry -> isSchema(entry) || entry.path().getName().equals(mark.getName()))
                .collect(toImmutableList());
        boolean unfilled = isUnfilled(fileIo, tableRoot, files);
        if (unfilled) {
            fileIo.deleteFile(firstVersion(tableRoot));
        }
        fileIo.deleteFile(mark);
        return unfilled || files.stream().noneMatch(TableFilling::isSchema);
    }

    /**
     * Whether what lies in the folder is no table yet. Costs nothing where no table is being made.
     *
     * @param schemaFiles the content of its folder {@code schema}
     */
    public static boolean isUnfilled(FileIo fileIo, Path tableRoot, List<FileEntry> schemaFiles)
            throws IOException
    {
        List<FileEntry> marks = marks(schemaFiles);
        if (marks.isEmpty() || schemaFiles.stream().filter(TableFilling::isSchema).count() != 1) {
            return false;
        }
        byte[] schema;
        try {
            schema = fileIo.readFully(firstVersion(tableRoot));
        }
        catch (FileNotFoundException e) {
            return false;
        }
        return marks.stream().anyMatch(found -> holds(fileIo, found.path(), schema)) && !hasSnapshot(fileIo, tableRoot);
    }

    /**
     * Makes place for a new table where an unfilled one was left.
     *
     * @return whether there is nothing left that would make it a table
     */
    public static boolean clear(FileIo fileIo, Path tableRoot, long nowMillis)
            throws IOException
    {
        List<FileEntry> marks = marks(fileIo.list(schemaDirectory(tableRoot)));
        if (marks.stream().anyMatch(found -> found.modificationTimeMillis() > nowMillis - ABANDONED_AFTER_MILLIS)) {
            return false;
        }
        // in this order, so that it never looks like a table
        fileIo.deleteFile(firstVersion(tableRoot));
        for (FileEntry found : marks) {
            fileIo.deleteFile(found.path());
        }
        return true;
    }

    /**
     * The marks among the files of a folder {@code schema}.
     */
    public static List<FileEntry> marks(List<FileEntry> schemaFiles)
    {
        return schemaFiles.stream()
                .filter(entry -> entry.path().getName().startsWith(PREFIX))
                .collect(toImmutableList());
    }

    private static boolean holds(FileIo fileIo, Path mark, byte[] schema)
    {
        try {
            return Arrays.equals(fileIo.readFully(mark), schema);
        }
        catch (FileNotFoundException e) {
            return false;
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "File %s could not be read: %s".formatted(mark, e.getMessage()), e);
        }
    }

    private static boolean hasSnapshot(FileIo fileIo, Path tableRoot)
            throws IOException
    {
        return fileIo.list(new Path(tableRoot, "snapshot")).stream()
                .anyMatch(entry -> FileNumber.parse(entry.path().getName(), SNAPSHOT_PREFIX).isPresent());
    }

    private static boolean isSchema(FileEntry entry)
    {
        return FileNumber.parse(entry.path().getName(), SCHEMA_PREFIX).isPresent();
    }

    private static Path firstVersion(Path tableRoot)
    {
        return new Path(schemaDirectory(tableRoot), SCHEMA_PREFIX + 0);
    }

    private static Path schemaDirectory(Path tableRoot)
    {
        return new Path(tableRoot, "schema");
    }
}
