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
package io.lookup.storage.catalog;

import io.airlift.log.Logger;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableFilling;
import io.lookup.storage.schema.TableSchema;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * A table that is not there before its first snapshot is.
 */
public record UnfilledTable(TableSchema schema, TableFilling filling)
{
    private static final Logger log = Logger.get(UnfilledTable.class);

    public UnfilledTable
    {
        requireNonNull(schema, "schema is null");
        requireNonNull(filling, "filling is null");
    }

    /**
     * @return empty if another statement was faster
     */
    static Optional<UnfilledTable> create(FileIo fileIo, Path path, TableSchema schema)
    {
        TableFilling filling;
        try {
            filling = TableFilling.begin(fileIo, path, schema);
        }
        catch (IOException e) {
            throw new StorageException(StorageErrorCode.FILE_SYSTEM_ERROR, "Could not write to %s: %s".formatted(path, e.getMessage()), e);
        }
        boolean created = false;
        try {
            created = new SchemaManager(fileIo, path).tryCreate(schema);
        }
        finally {
            if (!created) {
                abandon(filling, path);
            }
        }
        return created ? Optional.of(new UnfilledTable(schema, filling)) : Optional.empty();
    }

    private static void abandon(TableFilling filling, Path path)
    {
        try {
            filling.abandon();
        }
        catch (IOException | RuntimeException e) {
            log.warn(e, "What was left of the creation of table %s could not be removed", path);
        }
    }
}
