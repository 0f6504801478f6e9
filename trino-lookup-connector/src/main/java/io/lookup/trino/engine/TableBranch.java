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
package io.lookup.trino.engine;

import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * A table as statements name it: {@code t}, or {@code t$branch_b} for its branch {@code b}.
 */
public record TableBranch(String tableName, Optional<String> branch)
{
    private static final String BRANCH = "$branch_";

    public TableBranch
    {
        requireNonNull(tableName, "tableName is null");
        requireNonNull(branch, "branch is null");
    }

    public static TableBranch parse(String name)
    {
        int start = name.indexOf(BRANCH);
        if (start <= 0 || start + BRANCH.length() == name.length()) {
            return new TableBranch(name, Optional.empty());
        }
        return new TableBranch(name.substring(0, start), Optional.of(name.substring(start + BRANCH.length())));
    }

    /**
     * Where the name of a system table begins in a name, -1 if it has none: a branch is no system table, and has some.
     */
    public static int systemTableSeparator(String name)
    {
        int start = name.indexOf(BRANCH);
        return start <= 0 ? name.indexOf('$') : name.indexOf('$', start + 1);
    }
}
