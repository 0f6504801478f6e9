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

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

import static com.google.common.base.Throwables.throwIfUnchecked;
import static com.google.common.util.concurrent.Uninterruptibles.getUninterruptibly;

/**
 * Runs a publication on a thread that nobody interrupts. An engine that cancels a query interrupts its thread,
 * which closes file channels and breaks remote calls in the middle; a half-told outcome is worse than a late one.
 */
public final class UninterruptibleCall
{
    private UninterruptibleCall() {}

    /**
     * Waits for the result. An interrupt that comes meanwhile is kept for the caller: the flag is set again.
     */
    public static <T> T call(String threadName, Callable<T> callable)
    {
        FutureTask<T> task = new FutureTask<>(callable);
        Thread thread = Thread.ofPlatform()
                .name(threadName)
                .daemon()
                .unstarted(task);
        thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        thread.start();
        try {
            return getUninterruptibly(task);
        }
        catch (ExecutionException e) {
            throwIfUnchecked(e.getCause());
            throw new IllegalStateException(e.getCause());
        }
    }
}
