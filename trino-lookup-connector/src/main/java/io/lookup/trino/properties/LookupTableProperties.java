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

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.inject.Inject;
import io.trino.spi.TrinoException;
import io.trino.spi.session.PropertyMetadata;
import io.trino.spi.type.ArrayType;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.trino.spi.StandardErrorCode.INVALID_TABLE_PROPERTY;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.session.PropertyMetadata.booleanProperty;
import static io.trino.spi.session.PropertyMetadata.integerProperty;
import static io.trino.spi.session.PropertyMetadata.stringProperty;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.lang.String.format;
import static java.util.Locale.ENGLISH;

/**
 * The properties of {@code CREATE TABLE … WITH}, and their way to and from a table's options. Every default is
 * null, so that a statement's own values can be told from defaults.
 */
public final class LookupTableProperties
{
    public static final String PRIMARY_KEY = "primary_key";
    public static final String PARTITIONED_BY = "partitioned_by";
    public static final String OPTIONS = "options";

    private static final int DYNAMIC_BUCKETS = -1;
    private static final String DEFAULT_KEYED_BUCKETS = "1";
    private static final String DEFAULT_APPEND_BUCKETS = "-1";
    private static final Splitter OPTION_SPLITTER = Splitter.on('=').limit(2);

    private final List<PropertyMetadata<?>> tableProperties;

    @Inject
    public LookupTableProperties()
    {
        ImmutableList.Builder<PropertyMetadata<?>> properties = ImmutableList.builder();
        properties.add(listProperty(PRIMARY_KEY, "Columns of the primary key; an append-only table if not set"));
        properties.add(listProperty(PARTITIONED_BY, "Partition columns"));
        for (TableProperty property : TableProperty.values()) {
            properties.add(switch (property.kind()) {
                case TEXT -> stringProperty(property.propertyName(), property.description(), null, false);
                case INTEGER -> integerProperty(property.propertyName(), property.description(), null, false);
                case FLAG -> booleanProperty(property.propertyName(), property.description(), null, false);
                case LIST -> listProperty(property.propertyName(), property.description());
            });
        }
        properties.add(listProperty(OPTIONS, "Every other table option, as key=value"));
        tableProperties = properties.build();
    }

    public List<PropertyMetadata<?>> getTableProperties()
    {
        return tableProperties;
    }

    public static List<String> primaryKey(Map<String, Object> properties)
    {
        return names(properties, PRIMARY_KEY);
    }

    public static List<String> partitionedBy(Map<String, Object> properties)
    {
        return names(properties, PARTITIONED_BY);
    }

    /**
     * @return the explicitly given options, by their key
     * @throws TrinoException INVALID_TABLE_PROPERTY if an option is malformed or given twice
     */
    public static Map<String, String> toOptions(Map<String, Object> properties)
    {
        Map<String, String> options = new LinkedHashMap<>();
        for (TableProperty property : TableProperty.values()) {
            Object value = properties.get(property.propertyName());
            if (value != null) {
                options.put(property.optionKey(), property.toOptionValue(value));
            }
        }
        parseOptionList(names(properties, OPTIONS)).forEach((key, value) -> {
            if (options.containsKey(key)) {
                throw new TrinoException(INVALID_TABLE_PROPERTY, format("Option %s is given by the table property %s and in options: leave one out", key, TableProperty.forOption(key).orElseThrow().propertyName()));
            }
            options.put(key, value);
        });
        return ImmutableMap.copyOf(options);
    }

    /**
     * @param entries {@code key=value} texts, split at the first equals sign
     */
    public static Map<String, String> parseOptionList(List<String> entries)
    {
        Map<String, String> options = new LinkedHashMap<>();
        for (String entry : entries) {
            List<String> parts = OPTION_SPLITTER.splitToList(entry);
            if (parts.size() != 2 || parts.getFirst().isBlank()) {
                throw new TrinoException(INVALID_TABLE_PROPERTY, format("Bad entry '%s' in options: must be key=value", entry));
            }
            String key = parts.getFirst().trim();
            if (key.equals("primary-key") || key.equals("partition")) {
                throw new TrinoException(INVALID_TABLE_PROPERTY, format("Option %s cannot be given in options: use the table property %s", key, key.equals("partition") ? PARTITIONED_BY : PRIMARY_KEY));
            }
            if (options.put(key, parts.getLast().trim()) != null) {
                throw new TrinoException(INVALID_TABLE_PROPERTY, format("Option %s is given twice in options", key));
            }
        }
        return options;
    }

    /**
     * The options of a table after {@code SET PROPERTIES}: {@code options} stands for all that have no property of their own.
     *
     * @param changes empty for a property that goes back to its default
     */
    public static Map<String, String> changeOptions(boolean hasPrimaryKey, Map<String, String> options, Map<String, Optional<Object>> changes)
    {
        Map<String, String> changed = new LinkedHashMap<>(options);
        Set<String> told = new HashSet<>();
        for (TableProperty property : TableProperty.values()) {
            if (isTold(property, options)) {
                told.add(property.optionKey());
            }
            Optional<Object> change = changes.get(property.propertyName());
            if (change == null) {
                continue;
            }
            if (change.isPresent()) {
                changed.put(property.optionKey(), property.toOptionValue(change.get()));
                told.add(property.optionKey());
            }
            else {
                changed.remove(property.optionKey());
                told.remove(property.optionKey());
            }
        }
        if (changes.containsKey(OPTIONS)) {
            changed.keySet().retainAll(told);
            parseOptionList(changes.get(OPTIONS).map(list -> names(ImmutableMap.of(OPTIONS, list), OPTIONS)).orElse(ImmutableList.of())).forEach((key, value) -> {
                if (told.contains(key)) {
                    throw new TrinoException(INVALID_TABLE_PROPERTY, format("Option %s is given by the table property %s and in options: leave one out", key, TableProperty.forOption(key).orElseThrow().propertyName()));
                }
                changed.put(key, value);
            });
        }
        if (Optional.empty().equals(changes.get(TableProperty.BUCKET.propertyName()))) {
            // the format takes an absent count for dynamic buckets
            changed.putIfAbsent(TableProperty.BUCKET.optionKey(), defaultBuckets(hasPrimaryKey));
        }
        return ImmutableMap.copyOf(changed);
    }

    /**
     * The bucket count of a table whose statement gives none.
     */
    public static String defaultBuckets(boolean hasPrimaryKey)
    {
        return hasPrimaryKey ? DEFAULT_KEYED_BUCKETS : DEFAULT_APPEND_BUCKETS;
    }

    /**
     * @throws TrinoException NOT_SUPPORTED if a statement gives an existing table other keys
     */
    public static void checkKeysUnchanged(List<String> primaryKey, List<String> partitionKeys, Map<String, Optional<Object>> changes)
    {
        checkKeyUnchanged(PRIMARY_KEY, primaryKey, changes);
        checkKeyUnchanged(PARTITIONED_BY, partitionKeys, changes);
    }

    private static void checkKeyUnchanged(String property, List<String> columns, Map<String, Optional<Object>> changes)
    {
        Optional<Object> change = changes.get(property);
        if (change == null) {
            return;
        }
        List<String> wanted = change.map(list -> names(ImmutableMap.of(property, list), property)).orElse(ImmutableList.of()).stream()
                .map(name -> name.toLowerCase(ENGLISH))
                .collect(toImmutableList());
        if (!wanted.equals(columns.stream().map(name -> name.toLowerCase(ENGLISH)).collect(toImmutableList()))) {
            throw new TrinoException(NOT_SUPPORTED, format("The table property %s cannot be changed from %s: make a new table", property, columns));
        }
    }

    private static boolean isTold(TableProperty property, Map<String, String> options)
    {
        return Optional.ofNullable(options.get(property.optionKey())).flatMap(property::fromOptionValue).isPresent();
    }

    /**
     * The properties with which CREATE TABLE makes a table of the same keys and options.
     */
    public static Map<String, Object> fromSchema(List<String> primaryKey, List<String> partitionKeys, Map<String, String> options)
    {
        ImmutableMap.Builder<String, Object> properties = ImmutableMap.builder();
        if (!primaryKey.isEmpty()) {
            properties.put(PRIMARY_KEY, ImmutableList.copyOf(primaryKey));
        }
        if (!partitionKeys.isEmpty()) {
            properties.put(PARTITIONED_BY, ImmutableList.copyOf(partitionKeys));
        }
        Set<String> told = new HashSet<>();
        for (TableProperty property : TableProperty.values()) {
            Optional<Object> value = Optional.ofNullable(options.get(property.optionKey())).flatMap(property::fromOptionValue);
            if (value.isPresent()) {
                properties.put(property.propertyName(), value.get());
                told.add(property.optionKey());
            }
        }
        if (!primaryKey.isEmpty() && !options.containsKey(TableProperty.BUCKET.optionKey())) {
            // what the format takes an absent count for, while CREATE TABLE takes it for one bucket
            properties.put(TableProperty.BUCKET.propertyName(), DYNAMIC_BUCKETS);
        }
        List<String> others = options.entrySet().stream()
                .filter(option -> !told.contains(option.getKey()))
                .map(option -> option.getKey() + "=" + option.getValue())
                .sorted()
                .collect(toImmutableList());
        if (!others.isEmpty()) {
            properties.put(OPTIONS, others);
        }
        return properties.buildOrThrow();
    }

    private static PropertyMetadata<List<?>> listProperty(String name, String description)
    {
        return new PropertyMetadata<>(
                name,
                description,
                new ArrayType(VARCHAR),
                castToListClass(),
                null,
                false,
                value -> checkList(name, (List<?>) value),
                value -> value);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Class<List<?>> castToListClass()
    {
        return (Class) List.class;
    }

    private static List<?> checkList(String name, List<?> values)
    {
        if (values.contains(null)) {
            throw new TrinoException(INVALID_TABLE_PROPERTY, format("Table property %s holds a null", name));
        }
        return ImmutableList.copyOf(values);
    }

    private static List<String> names(Map<String, Object> properties, String name)
    {
        List<?> values = (List<?>) properties.get(name);
        if (values == null) {
            return ImmutableList.of();
        }
        return values.stream()
                .map(String.class::cast)
                .collect(toImmutableList());
    }
}
