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
package io.lookup.storage.format.row;

/**
 * What a record says of its key; the ordinal is the byte in {@code _VALUE_KIND}.
 */
public enum RowKind
{
    INSERT("+I"),
    UPDATE_BEFORE("-U"),
    UPDATE_AFTER("+U"),
    DELETE("-D"),
    /**/;

    private final String shortName;

    RowKind(String shortName)
    {
        this.shortName = shortName;
    }

    public byte value()
    {
        return (byte) ordinal();
    }

    public String shortName()
    {
        return shortName;
    }

    /**
     * Whether the record leaves its key with a row.
     */
    public boolean isAdd()
    {
        return isAdd(value());
    }

    public static boolean isAdd(byte value)
    {
        // 0 and 2 add, 1 and 3 retract
        return (value & 1) == 0;
    }

    public static RowKind fromValue(byte value)
    {
        return switch (value) {
            case 0 -> INSERT;
            case 1 -> UPDATE_BEFORE;
            case 2 -> UPDATE_AFTER;
            case 3 -> DELETE;
            default -> throw new IllegalArgumentException("Unknown row kind " + value);
        };
    }
}
