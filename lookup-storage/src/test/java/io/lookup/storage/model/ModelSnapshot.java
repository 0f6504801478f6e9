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
package io.lookup.storage.model;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.snapshot.CommitKind;

import java.util.List;

/**
 * @param id from 1; snapshot 0 is the empty table before the first commit
 * @param files live files
 * @param added what an APPEND has added to level 0
 * @param log what the snapshot has written to the changelog
 */
public record ModelSnapshot(long id, CommitKind kind, List<ModelFile> files, List<ModelFile> added, List<ModelChange> log)
{
    public ModelSnapshot
    {
        files = ImmutableList.copyOf(files);
        added = ImmutableList.copyOf(added);
        log = ImmutableList.copyOf(log);
    }

    public long maxSequence()
    {
        return files.stream().mapToLong(ModelFile::maxSequence).max().orElse(-1);
    }
}
