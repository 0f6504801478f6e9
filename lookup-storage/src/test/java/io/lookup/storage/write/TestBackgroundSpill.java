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
package io.lookup.storage.write;

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class TestBackgroundSpill
{
    private final BackgroundSpill spills = new BackgroundSpill("default.orders", Path.of("/local"));

    @Test
    void testRunsBeside()
    {
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicBoolean ended = new AtomicBoolean();
        spills.start(
                () -> {
                    awaitLatch(goOn);
                    ended.set(true);
                },
                100);
        assertThat(spills.isBusy()).isTrue();
        assertThat(spills.bytes()).isEqualTo(100);
        assertThat(ended).isFalse();
        goOn.countDown();
        spills.await();
        assertThat(ended).isTrue();
        assertThat(spills.isBusy()).isFalse();
        assertThat(spills.bytes()).isZero();
    }

    @Test
    void testFailure()
    {
        spills.start(() -> {
            throw new IOException("No space left on device");
        }, 100);
        assertThatThrownBy(spills::await)
                .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.errorCode()).isEqualTo(StorageErrorCode.FILE_SYSTEM_ERROR))
                .hasMessage("Rows for table default.orders could not be spilled to /local: No space left on device");
        // it is told once
        assertThat(spills.isBusy()).isFalse();
        spills.await();

        spills.start(() -> {
            throw new IllegalArgumentException("a bug");
        }, 100);
        assertThatThrownBy(spills::await)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a bug");

        spills.start(() -> {
            throw new OutOfMemoryError("in a test");
        }, 100);
        spills.abort();
        assertThat(spills.isBusy()).isFalse();
    }

    /**
     * What a spill writes to is closed after it, so an interrupt must not let it go on alone.
     */
    @Test
    void testInterrupt()
    {
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicBoolean ended = new AtomicBoolean();
        spills.start(
                () -> {
                    awaitLatch(goOn);
                    ended.set(true);
                },
                100);
        Thread.currentThread().interrupt();
        Thread.ofPlatform().start(goOn::countDown);
        spills.abort();
        assertThat(ended).isTrue();
        assertThat(Thread.interrupted()).isTrue();
    }

    private static void awaitLatch(CountDownLatch latch)
    {
        try {
            latch.await();
        }
        catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
