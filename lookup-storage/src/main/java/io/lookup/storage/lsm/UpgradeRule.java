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
import io.lookup.storage.schema.CoreOptions.ChangelogProducer;
import io.lookup.storage.schema.CoreOptions.MergeEngine;

import static java.util.Objects.requireNonNull;

/**
 * What a table's options say of its compactions: which see every key, and which files may rise unmerged.
 *
 * @param lookup whether rows that leave level 0 are merged with the state looked up for their key
 */
public record UpgradeRule(MergeEngine mergeEngine, boolean sequenceField, ChangelogProducer changelogProducer, boolean lookup, boolean deletionVectors)
{
    public UpgradeRule
    {
        requireNonNull(mergeEngine, "mergeEngine is null");
        requireNonNull(changelogProducer, "changelogProducer is null");
    }

    public static UpgradeRule create(CoreOptions options)
    {
        return new UpgradeRule(options.mergeEngine(), !options.sequenceField().isEmpty(), options.changelogProducer(), options.needLookup(), options.deletionVectorsEnabled());
    }

    /**
     * Whether a retract row above level 0 can hide an older row of its key.
     */
    public boolean retractsHide()
    {
        return !deletionVectors && mergeEngine != MergeEngine.FIRST_ROW;
    }

    /**
     * How a file that nothing of its compaction overlaps gets to the output level.
     */
    public UpgradeStrategy strategy(DataFileMeta file, int outputLevel, int maxLevel)
    {
        if (lookup) {
            return lookupStrategy(file, outputLevel, maxLevel);
        }
        if (changelogProducer == ChangelogProducer.FULL_COMPACTION && outputLevel == maxLevel) {
            // no older version of its keys exists: the file is its own result
            return UpgradeStrategy.CHANGELOG_NO_REWRITE;
        }
        return UpgradeStrategy.NO_CHANGELOG_NO_REWRITE;
    }

    /**
     * Whether a rewrite of these files goes through the changelog's merge: with lookups if level 0 takes part, in the
     * full-compaction producer if the output is the highest level.
     */
    public boolean rewriteSeesChangelog(Iterable<DataFileMeta> files, int outputLevel, int maxLevel)
    {
        if (lookup) {
            for (DataFileMeta file : files) {
                if (file.level() == 0) {
                    return true;
                }
            }
            return false;
        }
        return changelogProducer == ChangelogProducer.FULL_COMPACTION && outputLevel == maxLevel;
    }

    private UpgradeStrategy lookupStrategy(DataFileMeta file, int outputLevel, int maxLevel)
    {
        if (file.level() != 0) {
            // it was logged when it left level 0
            return UpgradeStrategy.NO_CHANGELOG_NO_REWRITE;
        }
        if (deletionVectors && file.deleteRowCount().orElse(1) > 0) {
            // readers of such tables do not merge, so a retract row must not stay in a file
            return UpgradeStrategy.CHANGELOG_WITH_REWRITE;
        }
        if (outputLevel == maxLevel) {
            // nothing older exists that its rows could be merged with
            return UpgradeStrategy.CHANGELOG_NO_REWRITE;
        }
        if (mergeEngine == MergeEngine.DEDUPLICATE && !sequenceField) {
            // the newest row is the result, whatever lies below it
            return UpgradeStrategy.CHANGELOG_NO_REWRITE;
        }
        // the rows are deltas, or may lose against older ones: moved as they are, they would not be their keys' states
        return UpgradeStrategy.CHANGELOG_WITH_REWRITE;
    }
}
