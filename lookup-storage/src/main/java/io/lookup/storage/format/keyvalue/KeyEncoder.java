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
package io.lookup.storage.format.keyvalue;

import io.airlift.slice.Slice;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.schema.DataType;
import io.trino.spi.Page;

import java.util.List;

/**
 * Encodes key (or sequence-field) columns so that unsigned byte order equals the format's comparator, column by
 * column (variable-length parts escaped and terminated so that columns concatenate). Nullable columns get a
 * marker byte: null smallest, also when descending. Thread-safe.
 */
public final class KeyEncoder
{
    /** @param nullable whether a null marker is written for every column (sequence fields), keys: false */
    public KeyEncoder(List<DataType> types, boolean nullable, boolean descending) { throw new UnsupportedOperationException(); }

    public static KeyEncoder forKeys(List<DataType> types) { return new KeyEncoder(types, false, false); }

    public EncodedKeys encode(Page page, int[] channels) { throw new UnsupportedOperationException(); }

    /** key bytes of a file's min or max key */
    public Slice encode(BinaryRow row) { throw new UnsupportedOperationException(); }
}
