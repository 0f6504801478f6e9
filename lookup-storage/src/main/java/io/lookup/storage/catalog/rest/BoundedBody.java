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
package io.lookup.storage.catalog.rest;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;

/**
 * The bytes of an answer, which is given up when it becomes too large.
 */
final class BoundedBody
        implements BodySubscriber<byte[]>
{
    private final int maxBytes;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> result = new CompletableFuture<>();
    private Subscription subscription;

    BoundedBody(int maxBytes)
    {
        this.maxBytes = maxBytes;
    }

    static final class TooLargeException
            extends IOException
    {
        TooLargeException(int maxBytes)
        {
            super("the answer has more than %s bytes".formatted(maxBytes));
        }
    }

    @Override
    public CompletionStage<byte[]> getBody()
    {
        return result;
    }

    @Override
    public void onSubscribe(Subscription subscription)
    {
        this.subscription = subscription;
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers)
    {
        for (ByteBuffer buffer : buffers) {
            if (bytes.size() + buffer.remaining() > maxBytes) {
                subscription.cancel();
                result.completeExceptionally(new TooLargeException(maxBytes));
                return;
            }
            byte[] part = new byte[buffer.remaining()];
            buffer.get(part);
            bytes.writeBytes(part);
        }
    }

    @Override
    public void onError(Throwable failure)
    {
        result.completeExceptionally(failure);
    }

    @Override
    public void onComplete()
    {
        result.complete(bytes.toByteArray());
    }
}
