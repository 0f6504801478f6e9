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
package io.lookup.storage.lsm;

/**
 * Hears of each compaction of a bucket. After {@link #begun} either of the others is called. Thread-safe.
 */
public interface CompactionListener
{
    CompactionListener NONE = new CompactionListener()
    {
        @Override
        public void begun() {}

        @Override
        public void done(CompactionResult result, long nanos) {}

        @Override
        public void brokenOff() {}
    };

    void begun();

    /**
     * @param result what was made, which may be published or not
     */
    void done(CompactionResult result, long nanos);

    void brokenOff();

    /**
     * Runs a compaction, and tells of it.
     */
    default <E extends Exception> CompactionResult listenTo(Compaction<E> compaction)
            throws E
    {
        begun();
        long start = System.nanoTime();
        CompactionResult result = null;
        try {
            result = compaction.run();
        }
        finally {
            if (result == null) {
                brokenOff();
            }
        }
        done(result, System.nanoTime() - start);
        return result;
    }

    /**
     * Something that makes files of files.
     */
    interface Compaction<E extends Exception>
    {
        CompactionResult run()
                throws E;
    }
}
