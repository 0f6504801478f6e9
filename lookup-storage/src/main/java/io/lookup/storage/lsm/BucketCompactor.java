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
import io.airlift.log.Logger;
import io.lookup.storage.changelog.RowEquality;
import io.lookup.storage.filesystem.FileIo;
import io.lookup.storage.format.TablePaths;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.manifest.DataFileMeta;
import io.lookup.storage.format.manifest.FileSource;
import io.lookup.storage.format.parquet.DataFileReaderFactory;
import io.lookup.storage.format.parquet.DataFileWriterFactory;
import io.lookup.storage.format.parquet.DataFileWriterFactory.RollingWriter;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.storage.lookup.KeyLookup;
import io.lookup.storage.merge.MergeFunction;
import io.lookup.storage.merge.MergeFunctions;
import io.lookup.storage.merge.MergingPageStream;
import io.lookup.storage.merge.RunInput;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.SchemaManager;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.Page;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import static java.util.Objects.requireNonNull;

/**
 * Compacts one bucket: picks, and runs what was picked. Under a table that looks up, whatever leaves level 0 is merged
 * with what lies above it, so that each record at level 1 and up is its key's complete state; see
 * {@link LevelCompleteness} for when that can be relied on.
 */
public final class BucketCompactor
{
    private static final Logger log = Logger.get(BucketCompactor.class);

    private final Services services;
    private final BinaryRow partition;
    private final int bucket;
    private final KeyValueLayout layout;
    private final KeyEncoder keyEncoder;
    private final BucketFiles files;

    public BucketCompactor(Services services, BinaryRow partition, int bucket)
    {
        this.services = requireNonNull(services, "services is null");
        this.partition = requireNonNull(partition, "partition is null");
        this.bucket = bucket;
        this.layout = KeyValueLayout.ofTable(services.schema(), services.options());
        this.keyEncoder = KeyEncoder.forKeys(layout.keyTypes());
        this.files = new BucketFiles(services.readers(), services.schemas(), services.paths(), services.schema(), layout, partition, bucket);
    }

    /**
     * Runs one compaction.
     *
     * @param liveFiles all files of the bucket, those of the running statement included
     * @param full whether everything goes to the highest level, instead of what the strategy picks
     * @return empty if there is nothing to do
     */
    public Optional<CompactionResult> compact(List<DataFileMeta> liveFiles, boolean full)
            throws IOException
    {
        Levels levels = new Levels(liveFiles, services.options().numLevels());
        boolean lookup = services.options().needLookup();
        boolean complete = !lookup || LevelCompleteness.isProven(liveFiles, levels, services.schema(), services.options(), services.schemas());
        CompactionPicker picker = full || !complete ? new FullCompaction() : services.picker();
        Optional<CompactionUnit> unit = picker.pick(levels.numberOfLevels(), levels.sortedRuns());
        if (unit.isEmpty()) {
            return Optional.empty();
        }
        CompactionResult result = run(unit.get(), levels, lookup, complete);
        return result.isEmpty() ? Optional.empty() : Optional.of(result);
    }

    /**
     * Deletes the files that a compaction wrote and nobody will commit; never throws. A file that only changed its
     * level belongs to whoever wrote it.
     */
    public void deleteOutput(CompactionResult result)
    {
        Set<String> inputNames = new HashSet<>();
        result.before().forEach(file -> inputNames.add(file.fileName()));
        List<DataFileMeta> written = new ArrayList<>(result.changelog());
        result.after().stream()
                .filter(file -> !inputNames.contains(file.fileName()))
                .forEach(written::add);
        for (DataFileMeta file : written) {
            try {
                services.fileIo().deleteFile(services.paths().dataFile(partition, bucket, file));
            }
            catch (IOException | RuntimeException e) {
                log.warn(e, "File %s of an abandoned compaction could not be deleted; remove_orphan_files collects it", file.fileName());
            }
        }
    }

    private CompactionResult run(CompactionUnit unit, Levels levels, boolean lookup, boolean complete)
            throws IOException
    {
        CompactionPlan plan = CompactionPlan.create(unit, levels, keyEncoder, services.options(), complete);
        CompactionOutput output = new CompactionOutput();
        try {
            for (CompactionPlan.Step step : plan.steps()) {
                switch (step) {
                    case CompactionPlan.Upgrade upgrade -> upgrade(upgrade, unit, levels, lookup, output);
                    case CompactionPlan.Rewrite rewrite -> rewrite(rewrite, unit, plan.dropDelete(), levels, lookup, complete, output);
                }
            }
            return output.result();
        }
        catch (IOException | RuntimeException e) {
            output.abort();
            throw e;
        }
    }
}
