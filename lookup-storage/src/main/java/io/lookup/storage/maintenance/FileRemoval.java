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
package io.lookup.storage.maintenance;

import com.google.common.collect.Lists;
import io.airlift.log.Logger;
import io.lookup.storage.filesystem.FileIo;
import org.apache.hadoop.fs.Path;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import static com.google.common.base.Throwables.throwIfUnchecked;
import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

/**
 * Deletes files that nothing refers to, several at a time. One that cannot be deleted does no harm where it is: it is logged, and
 * removing orphan files finds it again.
 */
final class FileRemoval
{
    private static final Logger log = Logger.get(FileRemoval.class);
    private static final int THREADS = 16;
    private static final int FILES_PER_TASK = 20;

    private final FileIo fileIo;

    FileRemoval(FileIo fileIo)
    {
        this.fileIo = requireNonNull(fileIo, "fileIo is null");
    }

    /**
     * Returns when all are gone.
     */
    void delete(Collection<Path> files)
    {
        if (files.size() <= FILES_PER_TASK) {
            files.forEach(this::delete);
            return;
        }
        List<Callable<Void>> tasks = Lists.partition(List.copyOf(files), FILES_PER_TASK).stream()
                .map(part -> (Callable<Void>) () -> {
                    part.forEach(this::delete);
                    return null;
                })
                .collect(toImmutableList());
        try (ExecutorService executor = Executors.newFixedThreadPool(Math.min(THREADS, tasks.size()), Thread.ofVirtual().factory())) {
            for (Future<Void> task : executor.invokeAll(tasks)) {
                task.get();
            }
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while files were deleted", e);
        }
        catch (ExecutionException e) {
            throwIfUnchecked(e.getCause());
            throw new IllegalStateException("Files could not be deleted", e.getCause());
        }
    }

    private void delete(Path file)
    {
        try {
            fileIo.deleteFile(file);
        }
        catch (IOException | RuntimeException e) {
            log.warn(e, "Could not delete unused file %s", file);
        }
    }
}
