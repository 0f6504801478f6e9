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
import io.lookup.storage.schema.CoreOptions.MergeEngine;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;

import java.util.List;

/**
 * Whether every record above level 0 is known to be its key's complete state. Under a producer that does not look up,
 * a partial compaction of an aggregation, or of a table with a sequence field, leaves increments and
 * superseded versions in the middle levels, and the producer of a table can be changed. So it is known only where
 * the engine itself makes it so, where all files lie at the highest level, or where every file was
 * written under a schema version that looks up.
 */
public final class LevelCompleteness
{
    private LevelCompleteness() {}

    /**
     * @param files of one bucket
     * @param schema the current version
     */
    public static boolean isProven(List<DataFileMeta> files, int highestLevel, TableSchema schema, CoreOptions options, SchemaManager schemas)
    {
        if (options.mergeEngine() == MergeEngine.DEDUPLICATE && options.sequenceField().isEmpty()) {
            // without a user-defined order the newest version of a key is its whole state, wherever it lies
            return true;
        }
        // a file that was lifted as it is keeps the version it was written under, so every version since counts
        long oldest = schema.id();
        boolean middleLevels = false;
        for (DataFileMeta file : files) {
            if (file.level() != 0 && file.level() != highestLevel) {
                middleLevels = true;
                oldest = Math.min(oldest, file.schemaId());
            }
        }
        if (!middleLevels) {
            return true;
        }
        for (long id = oldest; id < schema.id(); id++) {
            if (!new CoreOptions(schemas.schema(id).options()).needLookup()) {
                return false;
            }
        }
        return options.needLookup();
    }
}
