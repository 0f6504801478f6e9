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
package io.lookup.storage.filesystem;

import java.util.OptionalLong;

/**
 * The number in names like {@code snapshot-12}.
 */
public final class FileNumber
{
    private static final int MAX_DIGITS = 18;

    private FileNumber() {}

    /**
     * Empty if the name is anything but the prefix followed by digits, as temporary files are.
     */
    public static OptionalLong parse(String name, String prefix)
    {
        int digits = name.length() - prefix.length();
        if (!name.startsWith(prefix) || digits < 1 || digits > MAX_DIGITS) {
            return OptionalLong.empty();
        }
        for (int index = prefix.length(); index < name.length(); index++) {
            char character = name.charAt(index);
            if (character < '0' || character > '9') {
                return OptionalLong.empty();
            }
        }
        return OptionalLong.of(Long.parseLong(name.substring(prefix.length())));
    }
}
