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

import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Whether each key has one row above level 0 that no deletion vector names, so that readers need not merge. A compaction
 * under {@code deletion-vectors.enabled} sees to that for what it lifts, against all levels above its output. It says
 * nothing of files that were there before the option was set: they may hold a key at several levels. Files of one level
 * never do.
 */
public final class VectorCompleteness
{
    private VectorCompleteness() {}

    /**
     * @param files of one bucket; those of level 0 are not looked at
     * @param schema the current version
     */
    public static boolean isProven(List<DataFileMeta> files, TableSchema schema, CoreOptions options, SchemaManager schemas)
    {
        if (!options.deletionVectorsEnabled()) {
            return false;
        }
        long oldest = schema.id();
        Set<Integer> levels = new HashSet<>();
        for (DataFileMeta file : files) {
            if (file.level() > 0) {
                levels.add(file.level());
                oldest = Math.min(oldest, file.schemaId());
            }
        }
        if (levels.size() <= 1) {
            return true;
        }
        long firstOfEra = firstVersionOfEra(schema, schemas, oldest);
        Set<Integer> olderLevels = new HashSet<>();
        for (DataFileMeta file : files) {
            if (file.level() > 0 && file.schemaId() < firstOfEra) {
                olderLevels.add(file.level());
            }
        }
        return olderLevels.size() <= 1;
    }

    /**
     * The version since which the option has been set without a break.
     *
     * @param oldest versions before this one do not matter
     */
    private static long firstVersionOfEra(TableSchema schema, SchemaManager schemas, long oldest)
    {
        long first = schema.id();
        while (first > oldest && new CoreOptions(schemas.schema(first - 1).options()).deletionVectorsEnabled()) {
            first--;
        }
        return first;
    }
}
