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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

import static io.lookup.storage.oracle.CanonicalValues.canonicalRow;
import static java.util.Objects.requireNonNull;

/**
 * A row with its kind, as written to a table or as read from a table, a changelog or an audit log. The values are neutral values in column
 * order, see {@link CanonicalValues}; a null is a null. Two changes are equal, and sort, by their canonical text {@code +I(1, 'a')}.
 */
public final class Change
        implements Comparable<Change>
{
    private final ChangeKind kind;
    private final List<Object> values;
    private final String text;

    public Change(ChangeKind kind, List<?> values)
    {
        this.kind = requireNonNull(kind, "kind is null");
        // not an ImmutableList: a column may be null
        this.values = Collections.unmodifiableList(new ArrayList<>(requireNonNull(values, "values is null")));
        this.text = kind.symbol() + canonicalRow(values);
    }

    public static Change insert(Object... values)
    {
        return new Change(ChangeKind.INSERT, Arrays.asList(values));
    }

    public static Change delete(Object... values)
    {
        return new Change(ChangeKind.DELETE, Arrays.asList(values));
    }

    public ChangeKind kind()
    {
        return kind;
    }

    public List<Object> values()
    {
        return values;
    }

    /**
     * The canonical text without the kind: {@code (1, 'a')}.
     */
    public String rowText()
    {
        return text.substring(kind.symbol().length());
    }

    @Override
    public int compareTo(Change other)
    {
        return text.compareTo(other.text);
    }

    @Override
    public boolean equals(Object other)
    {
        return other instanceof Change change && text.equals(change.text);
    }

    @Override
    public int hashCode()
    {
        return text.hashCode();
    }

    @Override
    public String toString()
    {
        return text;
    }
}
