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
package io.lookup.storage.format.row;

import io.lookup.storage.schema.DataType;
import io.trino.spi.Page;

import java.util.List;

/** Writes canonical binary rows (fact sheet section 5). Not thread-safe (reuses a buffer); results are immutable copies. */
public final class BinaryRowEncoder
{
    public BinaryRowEncoder(List<DataType> types) { throw new UnsupportedOperationException(); }

    /** @param channels one channel a type, in order */
    public BinaryRow encode(Page page, int[] channels, int position) { throw new UnsupportedOperationException(); }

    /** @param values Trino stack/native values (null, Boolean, Long, Double, Slice, Int128, LongTimestamp, LongTimestampWithTimeZone, Block, SqlMap, SqlRow) */
    public BinaryRow encodeValues(List<Object> values) { throw new UnsupportedOperationException(); }

    /** hash of fact sheet 5.5 without materialising the row object */
    public int hash(Page page, int[] channels, int position) { throw new UnsupportedOperationException(); }
}
