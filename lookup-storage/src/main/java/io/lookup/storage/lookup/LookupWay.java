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
package io.lookup.storage.lookup;

/**
 * How keys are looked up in one data file.
 */
public enum LookupWay
{
    /**
     * Not at all: its bounds exclude them, or all are found.
     */
    NONE,

    /**
     * Of each column the pages that can hold them.
     */
    PAGES,

    /**
     * One merge of the keys with all rows of the file, from the first key's on.
     */
    SCAN,

    /**
     * In a copy on this node that is made to be looked up; it is made if there is none.
     */
    LOCAL,
}
