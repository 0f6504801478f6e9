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
package io.lookup.storage.catalog;

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;

/**
 * Names of schemas and tables, which become directory names: they must not reach out of the warehouse, hide, or mean
 * something else to a reader of the format.
 */
final class CatalogNames
{
    private static final String FORBIDDEN = "/\\:$";

    private CatalogNames() {}

    static boolean isValid(String name)
    {
        return !name.isBlank()
                && !name.startsWith(".")
                && name.chars().noneMatch(character -> FORBIDDEN.indexOf(character) >= 0 || Character.isISOControl(character));
    }

    /**
     * @param role what the name is of, for the message
     * @throws StorageException INVALID_SCHEMA
     */
    static void check(String name, String role)
    {
        if (!isValid(name)) {
            throw new StorageException(
                    StorageErrorCode.INVALID_SCHEMA,
                    "'%s' cannot be the name of a %s: it must not be blank, begin with a dot, or contain / \\ : $ or control characters".formatted(name, role));
        }
    }
}
