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

import com.google.common.collect.ImmutableList;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.CoreOptions.ChangelogProducer;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;

import java.util.List;

import static java.util.Objects.requireNonNull;

/**
 * Which files of a bucket hold what the change log has told. It follows from the producer that a file was written
 * under: {@code none} and {@code input} tell rows as they are appended, {@code lookup} when they leave level 0,
 * {@code full-compaction} when they reach the highest level.
 *
 * <p>The producer of a table can be changed while rows wait to be told, or have been told and lie where the new producer
 * expects what waits. Such a bucket is not settled: its next compaction must be a full one that goes by this class
 * rather than by levels, so that each change is told once.
 */
public final class LoggedFiles
{
    private final List<DataFileMeta> files;
    private final int maxLevel;
    private final int highestFileLevel;
    private final TableSchema schema;
    private final ChangelogProducer producer;
    private final SchemaManager schemas;

    /**
     * @param files of one bucket
     * @param maxLevel the level that a full compaction of the bucket outputs to
     * @param schema the current version
     */
    public LoggedFiles(List<DataFileMeta> files, int maxLevel, TableSchema schema, SchemaManager schemas)
    {
        this.files = ImmutableList.copyOf(files);
        this.maxLevel = maxLevel;
        this.highestFileLevel = files.stream().mapToInt(DataFileMeta::level).max().orElse(0);
        this.schema = requireNonNull(schema, "schema is null");
        this.producer = new CoreOptions(schema.options()).changelogProducer();
        this.schemas = requireNonNull(schemas, "schemas is null");
    }

    /**
     * Whether what is told is what the current producer takes for told.
     */
    public boolean areSettled()
    {
        return files.stream().allMatch(file -> isLogged(file) == isLoggedUnder(producer, file));
    }

    public boolean isLogged(DataFileMeta file)
    {
        if (file.level() == maxLevel || file.schemaId() >= schema.id()) {
            return isLoggedUnder(producer, file);
        }
        ChangelogProducer producerThen = options(file.schemaId()).changelogProducer();
        return isLoggedUnder(producerThen, file) || (producerThen == ChangelogProducer.FULL_COMPACTION && wasHighestLevel(file));
    }

    private boolean isLoggedUnder(ChangelogProducer producer, DataFileMeta file)
    {
        if (file.level() == maxLevel) {
            // whatever the producer, nothing gets here untold
            return true;
        }
        return switch (producer) {
            case NONE, INPUT -> true;
            case LOOKUP -> file.level() > 0;
            case FULL_COMPACTION -> false;
        };
    }

    /**
     * After num-levels was raised, the highest level is one that a full compaction has not reached yet. Below the highest
     * file of a bucket, the same number of a level means a partial compaction.
     */
    private boolean wasHighestLevel(DataFileMeta file)
    {
        if (file.level() == 0 || file.level() < highestFileLevel) {
            return false;
        }
        for (long id = file.schemaId(); id < schema.id(); id++) {
            if (options(id).compaction().numLevels() - 1 == file.level()) {
                return true;
            }
        }
        return false;
    }

    private CoreOptions options(long schemaId)
    {
        return new CoreOptions(schemas.schema(schemaId).options());
    }
}
