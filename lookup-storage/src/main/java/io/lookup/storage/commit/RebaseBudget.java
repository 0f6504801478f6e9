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

import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/**
 * Bounds the work that a commit does because others came first: of one statement in bytes, and of all statements in number. Its
 * instances are shared by the tables of a node. Thread-safe.
 */
public final class RebaseBudget
{
    public static final long DEFAULT_MAX_BYTES = 64L << 20;
    public static final int DEFAULT_CONCURRENCY = 2;

    private final long maxBytes;
    private final Semaphore permits;

    /**
     * @param maxBytes size of the files that one commit may read to write their rows again; 0: none
     * @param concurrency commits that do so at a time; others wait
     */
    public RebaseBudget(long maxBytes, int concurrency)
    {
        checkArgument(maxBytes >= 0, "maxBytes is negative");
        checkArgument(concurrency > 0, "concurrency must be positive");
        this.maxBytes = maxBytes;
        this.permits = new Semaphore(concurrency, true);
    }

    public static RebaseBudget createDefault()
    {
        return new RebaseBudget(DEFAULT_MAX_BYTES, DEFAULT_CONCURRENCY);
    }

    long maxBytes()
    {
        return maxBytes;
    }

    <T> T run(Supplier<T> work)
    {
        requireNonNull(work, "work is null");
        permits.acquireUninterruptibly();
        try {
            return work.get();
        }
        finally {
            permits.release();
        }
    }
}
