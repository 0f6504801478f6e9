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
/**
 * Several versions of a key become one: the sorted merge of runs, the order of versions, and the merge functions.
 * <p>
 * A row is a (page, position) pair throughout; no object is made for one. {@link io.lookup.storage.merge.SortedMergeReader}
 * gathers the rows of each key into {@link io.lookup.storage.merge.KeyGroups}, a
 * {@link io.lookup.storage.merge.MergeFunction} answers with one row a key in {@link io.lookup.storage.merge.RowReferences},
 * and {@link io.lookup.storage.merge.MergingPageStream} ties the three into a stream of pages.
 */
package io.lookup.storage.merge;
