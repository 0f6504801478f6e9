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
package io.lookup.storage.merge;

import io.lookup.storage.format.PageStream;

import static java.util.Objects.requireNonNull;

/**
 * A sorted run as the merge reads it.
 *
 * @param pages rows in ascending key order, no key twice
 * @param level level of the LSM tree that the rows lie at, -1 for rows that no file holds yet
 */
public record RunInput(PageStream pages, int level)
{
    public RunInput
    {
        requireNonNull(pages, "pages is null");
    }
}
