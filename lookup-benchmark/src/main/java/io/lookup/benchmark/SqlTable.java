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
package io.lookup.benchmark;

import java.util.Locale;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * The tables that are measured beside each other.
 */
enum SqlTable
{
    LOOKUP("lake.bench", "", "lookup", "changelog_producer = 'lookup', bucket = 2, "),
    VECTORS("lake.bench", "_dv", "lookup, deletion vectors", "changelog_producer = 'lookup', bucket = 2, deletion_vectors_enabled = true, "),
    ICEBERG("iceberg.bench", "", "Iceberg", null),
    /**/;

    private final String schema;
    private final String suffix;
    private final String text;
    private final String properties;

    SqlTable(String schema, String suffix, String text, String properties)
    {
        this.schema = requireNonNull(schema, "schema is null");
        this.suffix = requireNonNull(suffix, "suffix is null");
        this.text = requireNonNull(text, "text is null");
        this.properties = properties;
    }

    static SqlTable of(String name)
    {
        return valueOf(name.toUpperCase(Locale.ENGLISH));
    }

    String text()
    {
        return text;
    }

    String schema()
    {
        return schema;
    }

    boolean hasChangelog()
    {
        return this != ICEBERG;
    }

    /**
     * The full name of a table, or of a system table of it.
     */
    String table(String name, String systemTable)
    {
        return format("%s.\"%s%s%s\"", schema, name, suffix, systemTable);
    }

    String table(String name)
    {
        return table(name, "");
    }

    /**
     * CREATE TABLE AS of one of TPC-H's tables.
     *
     * @param keys such as {@code 'orderkey'}
     */
    String create(String name, String keys, String source)
    {
        String with = properties == null ? "" : format("WITH (%sprimary_key = ARRAY[%s]) ", properties, keys);
        return format("CREATE TABLE %s %sAS SELECT * FROM %s.%s", table(name), with, source, name);
    }
}
