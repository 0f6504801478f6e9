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
package io.lookup.storage.table;

import io.lookup.storage.commit.CommitStatistics;

import static java.util.Objects.requireNonNull;

/**
 * What the writers of one node count together.
 */
public record EngineStatistics(CommitStatistics commits, CompactionStatistics compactions)
{
    public EngineStatistics
    {
        requireNonNull(commits, "commits is null");
        requireNonNull(compactions, "compactions is null");
    }

    public EngineStatistics()
    {
        this(new CommitStatistics(), new CompactionStatistics());
    }
}
