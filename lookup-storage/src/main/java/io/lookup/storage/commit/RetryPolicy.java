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

import java.util.concurrent.ThreadLocalRandom;

import static com.google.common.util.concurrent.Uninterruptibles.sleepUninterruptibly;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

/**
 * How often a publication is tried again, and after which wait: doubling, with a fifth of jitter
 * (the table options {@code commit.*}).
 */
record RetryPolicy(int maxRetries, long minWaitMillis, long maxWaitMillis)
{
    void waitBefore(int retry)
    {
        long wait = Math.min(maxWaitMillis, minWaitMillis << Math.min(retry, 20));
        sleepUninterruptibly(wait + ThreadLocalRandom.current().nextLong(wait / 5 + 1), MILLISECONDS);
    }
}
