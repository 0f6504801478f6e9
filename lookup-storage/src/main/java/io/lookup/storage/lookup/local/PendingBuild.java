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
package io.lookup.storage.lookup.local;

import java.util.concurrent.CountDownLatch;

/**
 * A lookup file that one thread makes and others wait for.
 */
final class PendingBuild
{
    private final CountDownLatch ended = new CountDownLatch(1);
    // written before the latch opens
    private boolean refused;

    void refused(boolean refused)
    {
        this.refused = refused;
    }

    void end()
    {
        ended.countDown();
    }

    /**
     * @return false if there is no use in trying again: the disk did not take the file, or this thread is to stop
     */
    boolean await()
    {
        try {
            ended.await();
        }
        catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
        return !refused;
    }
}
