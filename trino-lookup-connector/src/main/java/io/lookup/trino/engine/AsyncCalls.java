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
package io.lookup.trino.engine;

import io.lookup.trino.StorageErrors;
import io.trino.spi.classloader.ThreadContextClassLoader;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Runs parts of the engine on the connector's own threads. A future fails with the very exception that Trino is to
 * show: a dependent stage of a {@link CompletableFuture} would wrap it.
 */
public final class AsyncCalls
{
    private AsyncCalls() {}

    public static <T> CompletableFuture<T> call(Executor executor, Supplier<T> action)
    {
        return callAfter(CompletableFuture.completedFuture(null), executor, action);
    }

    /**
     * Runs the action once the other future has completed; if that failed, the result fails likewise.
     */
    public static <T> CompletableFuture<T> callAfter(CompletableFuture<?> previous, Executor executor, Supplier<T> action)
    {
        CompletableFuture<T> result = new CompletableFuture<>();
        CompletableFuture<?> _ = previous.whenCompleteAsync((_, failure) -> {
            if (failure != null) {
                result.completeExceptionally(StorageErrors.translate(failure));
                return;
            }
            try (ThreadContextClassLoader _ = new ThreadContextClassLoader(AsyncCalls.class.getClassLoader())) {
                result.complete(action.get());
            }
            catch (Throwable throwable) {
                result.completeExceptionally(StorageErrors.translate(throwable));
            }
        }, executor);
        return result;
    }

    /**
     * A future for others to hold: the engine cancels what it is given, and a cancelled future says nothing of
     * whether the action behind it still runs.
     */
    public static <T> CompletableFuture<T> detached(CompletableFuture<T> action)
    {
        CompletableFuture<T> result = new CompletableFuture<>();
        CompletableFuture<?> _ = action.whenComplete((value, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
                return;
            }
            result.complete(value);
        });
        return result;
    }
}
