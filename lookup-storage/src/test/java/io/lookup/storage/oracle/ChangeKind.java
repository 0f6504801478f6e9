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
package io.lookup.storage.oracle;

import static java.util.Objects.requireNonNull;

/**
 * What a stored or logged row means for its key; {@link #symbol()} is the text used by the audit log.
 */
public enum ChangeKind
{
    INSERT("+I"),
    UPDATE_BEFORE("-U"),
    UPDATE_AFTER("+U"),
    DELETE("-D");

    private final String symbol;

    ChangeKind(String symbol)
    {
        this.symbol = requireNonNull(symbol, "symbol is null");
    }

    public String symbol()
    {
        return symbol;
    }

    public static ChangeKind fromSymbol(String symbol)
    {
        for (ChangeKind kind : values()) {
            if (kind.symbol.equals(symbol)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("Unknown row kind: " + symbol);
    }
}
