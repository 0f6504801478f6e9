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
package io.lookup.storage.format.orc;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.column.OutputColumn;
import io.lookup.storage.format.column.ReadErrors;
import io.lookup.storage.format.column.ReadRequest;
import io.lookup.storage.format.column.RetainedRows;
import io.trino.memory.context.AggregatedMemoryContext;
import io.trino.orc.OrcRecordReader;
import io.trino.spi.Page;
import io.trino.spi.connector.SourcePage;

import java.io.IOException;
import java.util.List;

import static java.util.Objects.requireNonNull;

/**
 * Pages of one file in the order of its rows, every block loaded. Not thread-safe.
 */
final class OrcPageStream
        implements PageStream
{
    private final ReadRequest request;
    private final OrcRecordReader records;
    private final List<OutputColumn> columns;
    private final AggregatedMemoryContext memory;

    OrcPageStream(ReadRequest request, OrcRecordReader records, List<OutputColumn> columns, AggregatedMemoryContext memory)
    {
        this.request = requireNonNull(request, "request is null");
        this.records = requireNonNull(records, "records is null");
        this.columns = ImmutableList.copyOf(columns);
        this.memory = requireNonNull(memory, "memory is null");
    }

    @Override
    public Page nextPage()
    {
        try {
            while (true) {
                SourcePage source = records.nextPage();
                if (source == null) {
                    return null;
                }
                Page page = RetainedRows.toPage(source, columns, request, records.getFilePosition());
                if (page.getPositionCount() > 0) {
                    return page;
                }
            }
        }
        catch (IOException | RuntimeException e) {
            throw ReadErrors.translate(request.path(), e);
        }
    }

    @Override
    public long memoryUsage()
    {
        return memory.getBytes();
    }

    @Override
    public void close()
            throws IOException
    {
        records.close();
    }
}
