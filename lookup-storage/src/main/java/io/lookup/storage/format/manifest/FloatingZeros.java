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
package io.lookup.storage.format.manifest;

import io.trino.spi.predicate.Domain;
import io.trino.spi.type.Type;

import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.RealType.REAL;

/**
 * The two zeros of floating-point types: SQL takes them as equal, but a Domain orders -0.0 before 0.0. So whatever is
 * held against a Domain has to stand for both.
 */
final class FloatingZeros
{
    private static final long NEGATIVE_REAL_ZERO = Float.floatToRawIntBits(-0.0f);

    private FloatingZeros() {}

    static Object lower(Type type, Object value)
    {
        if (type == DOUBLE && (double) value == 0) {
            return -0.0;
        }
        return type == REAL && isRealZero(value) ? NEGATIVE_REAL_ZERO : value;
    }

    static Object upper(Type type, Object value)
    {
        if (type == DOUBLE && (double) value == 0) {
            return 0.0;
        }
        return type == REAL && isRealZero(value) ? 0L : value;
    }

    /**
     * @param value native value, null for null
     */
    static boolean includes(Domain domain, Object value)
    {
        if (value == null) {
            return domain.isNullAllowed();
        }
        Type type = domain.getType();
        return domain.includesNullableValue(lower(type, value)) || domain.includesNullableValue(upper(type, value));
    }

    private static boolean isRealZero(Object value)
    {
        return Float.intBitsToFloat((int) (long) value) == 0;
    }
}
