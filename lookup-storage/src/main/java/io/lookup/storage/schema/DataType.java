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
package io.lookup.storage.schema;

import com.google.common.collect.ImmutableList;

import java.util.List;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

/**
 * A logical type of the table format (Paimon's), with its nullability. Trino's types are derived from
 * it by {@link TrinoTypes}; they cannot replace it, since several format types share one Trino type.
 */
public sealed interface DataType
{
    int UNBOUNDED_LENGTH = Integer.MAX_VALUE;

    TypeRoot root();

    boolean nullable();

    DataType withNullable(boolean nullable);

    /**
     * Every type without parts.
     *
     * @param precision length of CHAR, VARCHAR, BINARY and VARBINARY ({@link #UNBOUNDED_LENGTH} for STRING and BYTES),
     * digits of DECIMAL, fractional digits of TIME and the timestamps; 0 elsewhere
     * @param scale digits behind the point of DECIMAL; 0 elsewhere
     */
    record ScalarType(TypeRoot root, int precision, int scale, boolean nullable)
            implements DataType
    {
        public ScalarType
        {
            requireNonNull(root, "root is null");
            checkArgument(root != TypeRoot.ARRAY && root != TypeRoot.MAP && root != TypeRoot.MULTISET && root != TypeRoot.ROW, "%s is not scalar", root);
        }

        @Override
        public ScalarType withNullable(boolean nullable)
        {
            return new ScalarType(root, precision, scale, nullable);
        }
    }

    record ArrayType(DataType element, boolean nullable)
            implements DataType
    {
        public ArrayType
        {
            requireNonNull(element, "element is null");
        }

        @Override
        public TypeRoot root()
        {
            return TypeRoot.ARRAY;
        }

        @Override
        public ArrayType withNullable(boolean nullable)
        {
            return new ArrayType(element, nullable);
        }
    }

    record MapType(DataType key, DataType value, boolean nullable)
            implements DataType
    {
        public MapType
        {
            requireNonNull(key, "key is null");
            requireNonNull(value, "value is null");
        }

        @Override
        public TypeRoot root()
        {
            return TypeRoot.MAP;
        }

        @Override
        public MapType withNullable(boolean nullable)
        {
            return new MapType(key, value, nullable);
        }
    }

    /**
     * A bag of elements, stored as a map from element to count.
     */
    record MultisetType(DataType element, boolean nullable)
            implements DataType
    {
        public MultisetType
        {
            requireNonNull(element, "element is null");
        }

        @Override
        public TypeRoot root()
        {
            return TypeRoot.MULTISET;
        }

        @Override
        public MultisetType withNullable(boolean nullable)
        {
            return new MultisetType(element, nullable);
        }
    }

    record RowType(List<DataField> fields, boolean nullable)
            implements DataType
    {
        public RowType
        {
            fields = ImmutableList.copyOf(fields);
        }

        @Override
        public TypeRoot root()
        {
            return TypeRoot.ROW;
        }

        @Override
        public RowType withNullable(boolean nullable)
        {
            return new RowType(fields, nullable);
        }
    }
}
