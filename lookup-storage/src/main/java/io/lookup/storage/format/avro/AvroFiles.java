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
package io.lookup.storage.format.avro;

import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.ScanCounters;
import io.lookup.storage.format.column.BlockTransform;
import io.lookup.storage.format.column.ColumnEvolution;
import io.lookup.storage.format.column.ColumnPlan;
import io.lookup.storage.format.column.FileRanges;
import io.lookup.storage.format.column.ReadErrors;
import io.lookup.storage.format.column.ReadRequest;
import org.apache.avro.Schema;

import java.io.IOException;

/**
 * Opens data and changelog files in Avro, as Paimon writes them.
 */
public final class AvroFiles
{
    private AvroFiles() {}

    /**
     * @param request its predicate leaves out nothing, since the format tells nothing of its values
     * @param counters told what is read
     */
    public static PageStream open(FileIo fileIo, ReadRequest request, ScanCounters counters)
            throws IOException
    {
        AvroBlockSource source = new AvroBlockSource(new FileRanges(fileIo, request.path(), request.fileSize(), counters), request.fileSize());
        boolean opened = false;
        try {
            Schema written = source.schema();
            if (written.getType() != Schema.Type.RECORD) {
                throw new IOException("its rows are no records");
            }
            ColumnPlan plan = new ColumnPlan(request, name -> written.getField(name) != null, type -> new ColumnEvolution(ColumnEvolution.plainType(type), BlockTransform.IDENTITY));
            PageStream stream = new AvroPageStream(request, source, AvroColumns.create(written, plan.fields()), plan.outputColumns());
            counters.addFile(1, 0);
            opened = true;
            return stream;
        }
        catch (IOException | RuntimeException e) {
            throw ReadErrors.translate(request.path(), e);
        }
        finally {
            if (!opened) {
                source.close();
            }
        }
    }
}
