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
package io.lookup.trino.properties;

import com.google.common.collect.ImmutableList;
import io.trino.spi.TrinoException;
import io.trino.spi.session.PropertyMetadata;
import io.trino.spi.type.ArrayType;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.trino.spi.StandardErrorCode.INVALID_ANALYZE_PROPERTY;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Locale.ENGLISH;

/**
 * {@code ANALYZE t WITH (…)}.
 */
public final class AnalyzeProperties
{
    public static final String COLUMNS = "columns";

    private AnalyzeProperties() {}

    public static List<PropertyMetadata<?>> get()
    {
        return ImmutableList.of(new PropertyMetadata<>(
                COLUMNS,
                "Columns to analyze, all if not given",
                new ArrayType(VARCHAR),
                Set.class,
                null,
                false,
                AnalyzeProperties::columns,
                value -> value));
    }

    /**
     * @return lower case names; empty for all columns
     */
    @SuppressWarnings("unchecked")
    public static Optional<Set<String>> columns(Map<String, Object> properties)
    {
        return Optional.ofNullable((Set<String>) properties.get(COLUMNS));
    }

    private static Set<String> columns(Object value)
    {
        if (value == null) {
            return null;
        }
        Collection<?> names = (Collection<?>) value;
        if (names.isEmpty()) {
            throw new TrinoException(INVALID_ANALYZE_PROPERTY, "columns must name at least one column");
        }
        if (names.contains(null)) {
            throw new TrinoException(INVALID_ANALYZE_PROPERTY, "columns must not hold NULL");
        }
        return names.stream().map(name -> ((String) name).toLowerCase(ENGLISH)).collect(toImmutableSet());
    }
}
