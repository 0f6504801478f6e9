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
package io.lookup.storage.lsm;

/**
 * What it takes to bring a file that overlaps no other file of its compaction to the output level.
 */
public enum UpgradeStrategy
{
    /** only the manifest changes */
    NO_CHANGELOG_NO_REWRITE,
    /** the file is read for the changelog, and then only the manifest changes */
    CHANGELOG_NO_REWRITE,
    /** the file is read for the changelog, and what its rows became is written anew */
    CHANGELOG_WITH_REWRITE,
    /**/;

    public boolean changelog()
    {
        return this != NO_CHANGELOG_NO_REWRITE;
    }

    public boolean rewrite()
    {
        return this == CHANGELOG_WITH_REWRITE;
    }
}
