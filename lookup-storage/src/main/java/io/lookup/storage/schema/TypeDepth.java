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

/**
 * How deep types may nest. Whoever meets a type follows it by recursion, here and in clients, and its JSON nests up to three levels for each.
 */
final class TypeDepth
{
    static final int MAX = 100;

    private TypeDepth() {}

    /**
     * 1 for a type that is not nested.
     */
    static int of(DataType type)
    {
        return 1 + switch (type) {
            case DataType.ScalarType _ -> 0;
            case DataType.ArrayType array -> of(array.element());
            case DataType.MultisetType multiset -> of(multiset.element());
            case DataType.MapType map -> Math.max(of(map.key()), of(map.value()));
            case DataType.RowType row -> row.fields().stream().mapToInt(field -> of(field.type())).max().orElse(0);
        };
    }
}
