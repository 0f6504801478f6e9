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
package io.lookup.trino;

import com.google.common.collect.ImmutableMap;

import java.util.Map;

/**
 * The catalog properties that begin with {@code hadoop.}, without that prefix. Their values may be secrets, so
 * they are never printed.
 */
public record HadoopProperties(Map<String, String> properties)
{
    public static final String PREFIX = "hadoop.";

    public HadoopProperties
    {
        properties = ImmutableMap.copyOf(properties);
    }

    /**
     * @param config all properties of a catalog
     */
    public static HadoopProperties fromCatalogProperties(Map<String, String> config)
    {
        ImmutableMap.Builder<String, String> properties = ImmutableMap.builder();
        config.forEach((key, value) -> {
            if (isHadoopProperty(key)) {
                properties.put(key.substring(PREFIX.length()), value);
            }
        });
        return new HadoopProperties(properties.buildOrThrow());
    }

    public static boolean isHadoopProperty(String key)
    {
        return key.startsWith(PREFIX) && key.length() > PREFIX.length();
    }

    @Override
    public String toString()
    {
        return properties.keySet().toString();
    }
}
