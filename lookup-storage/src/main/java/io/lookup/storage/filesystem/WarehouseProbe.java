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
package io.lookup.storage.filesystem;

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

/**
 * Finds out whether a warehouse can be reached and written, before anything depends on it. What a store says of its
 * own capabilities proves nothing, so exclusive creation is tried.
 */
public final class WarehouseProbe
{
    private final FileIo fileIo;
    private final Set<Path> writable = ConcurrentHashMap.newKeySet();

    public WarehouseProbe(FileIo fileIo)
    {
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
    }

    /**
     * A warehouse that does not exist yet is reachable: it is made by the first write.
     *
     * @throws StorageException WAREHOUSE_UNREACHABLE naming the warehouse and the reason
     */
    public void checkReachable(Path warehouse)
    {
        try {
            Path existing = warehouse;
            // where it is to be made, something else may be in the way; on a store what lies above may be closed to this user
            boolean local = "file".equals(warehouse.toUri().getScheme());
            while (existing != null && !fileIo.exists(existing)) {
                if (!local) {
                    existing = null;
                    break;
                }
                existing = existing.getParent();
            }
            if (existing != null && !fileIo.status(existing).directory()) {
                throw new StorageException(StorageErrorCode.WAREHOUSE_UNREACHABLE, existing.equals(warehouse) ?
                        "Warehouse %s is a file, not a directory".formatted(warehouse) :
                        "Warehouse %s cannot be made: %s is a file, not a directory".formatted(warehouse, existing));
            }
            fileIo.list(warehouse);
        }
        catch (StorageException e) {
            throw e;
        }
        catch (IOException | RuntimeException e) {
            throw new StorageException(StorageErrorCode.WAREHOUSE_UNREACHABLE, "Warehouse %s cannot be reached: %s%s".formatted(warehouse, reason(e), hint(warehouse)), e);
        }
    }

    private static String hint(Path warehouse)
    {
        String scheme = warehouse.toUri().getScheme();
        return scheme != null && scheme.startsWith("s3") ?
                ". Check hadoop.fs.s3a.endpoint, hadoop.fs.s3a.endpoint.region, and hadoop.fs.s3a.access.key and hadoop.fs.s3a.secret.key or hadoop.fs.s3a.aws.credentials.provider" :
                "";
    }

    /**
     * Creates one temporary name twice; the second creation must lose. Successful answers are remembered.
     *
     * @throws StorageException WAREHOUSE_NOT_WRITABLE naming the warehouse and the reason
     */
    public void checkWritable(Path warehouse)
    {
        if (writable.contains(warehouse)) {
            return;
        }
        Path probe = new Path(warehouse, ".lookup-probe-" + UUID.randomUUID());
        boolean first;
        boolean second;
        try {
            fileIo.createDirectories(warehouse);
            // contents differ, since equal content counts as the same creation
            first = fileIo.createExclusively(probe, "first".getBytes(UTF_8));
            second = fileIo.createExclusively(probe, "second".getBytes(UTF_8));
        }
        catch (IOException | RuntimeException e) {
            throw new StorageException(StorageErrorCode.WAREHOUSE_NOT_WRITABLE, "Warehouse %s cannot be written: %s".formatted(warehouse, reason(e)), e);
        }
        finally {
            deleteQuietly(probe);
        }
        if (!first) {
            throw new StorageException(StorageErrorCode.WAREHOUSE_NOT_WRITABLE, "Warehouse %s cannot be written: the new name %s was reported as taken".formatted(warehouse, probe));
        }
        if (second) {
            throw new StorageException(
                    StorageErrorCode.WAREHOUSE_NOT_WRITABLE,
                    "Warehouse %s cannot be written safely: two creators of one name both won. Use a store that supports conditional creation (on S3: If-None-Match)".formatted(warehouse));
        }
        writable.add(warehouse);
    }

    private void deleteQuietly(Path probe)
    {
        try {
            fileIo.deleteFile(probe);
        }
        catch (IOException | RuntimeException _) {
            // a left probe file is invisible to every reader, and the outcome is known
        }
    }

    private static String reason(Exception e)
    {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getClass().getSimpleName() + ": " + e.getMessage();
    }
}
