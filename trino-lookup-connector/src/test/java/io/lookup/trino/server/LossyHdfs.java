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
package io.lookup.trino.server;

import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;

import java.io.IOException;
import java.util.concurrent.Callable;

/**
 * HDFS whose next rename gets no answer.
 */
public final class LossyHdfs
        extends DistributedFileSystem
{
    enum Loss
    {
        NONE,
        /** The rename is done. */
        ANSWER,
        /** It is never done. */
        REQUEST,
        /** It is done when {@link #delayed} is called. */
        DELAY,
    }

    static Loss next = Loss.NONE;
    static Callable<Void> delayed;

    @Override
    public void rename(Path source, Path target, Rename... options)
            throws IOException
    {
        Loss loss = next;
        next = Loss.NONE;
        if (loss == Loss.NONE || loss == Loss.ANSWER) {
            super.rename(source, target, options);
        }
        if (loss == Loss.DELAY) {
            delayed = () -> {
                super.rename(source, target, options);
                return null;
            };
        }
        if (loss != Loss.NONE) {
            throw new IOException("no answer");
        }
    }
}
