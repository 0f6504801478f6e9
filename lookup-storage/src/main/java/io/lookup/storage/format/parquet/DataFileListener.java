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
package io.lookup.storage.format.parquet;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.trino.spi.Page;
import org.apache.hadoop.fs.Path;

import java.util.List;

/**
 * Sees the rows of data files while these are written, file by file. Must not throw.
 */
public interface DataFileListener
{
    DataFileListener NONE = new DataFileListener()
    {
        @Override
        public void started(Path file) {}

        @Override
        public void written(Page page, int offset, int count) {}

        @Override
        public List<String> finished(DataFileMeta file)
        {
            return ImmutableList.of();
        }

        @Override
        public void aborted() {}
    };

    /**
     * The rows that follow are those of this file.
     */
    void started(Path file);

    /**
     * @param page the layout of the whole schema, see {@link DataFileWriterFactory.RollingWriter#write}
     */
    void written(Page page, int offset, int count);

    /**
     * The file that was started is complete.
     *
     * @return names of files that were put into its folder and belong to it from now on
     */
    List<String> finished(DataFileMeta file);

    /**
     * None of the files will be, those that were finished included. What was put beside them is not for the listener to delete.
     */
    void aborted();
}
