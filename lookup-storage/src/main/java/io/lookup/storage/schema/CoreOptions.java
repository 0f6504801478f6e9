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
package io.lookup.storage.schema;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Typed view of a table's options with the defaults of fact sheet section 14. Bad values: INVALID_OPTION naming key, value, and what is allowed. */
public final class CoreOptions
{
    public CoreOptions(Map<String, String> options) { throw new UnsupportedOperationException(); }

    public enum MergeEngine { DEDUPLICATE, PARTIAL_UPDATE, AGGREGATION, FIRST_ROW }
    public enum ChangelogProducer { NONE, INPUT, FULL_COMPACTION, LOOKUP }

    /** -1 dynamic, -2 postponed, absent = -1 */
    public int bucket() { throw new UnsupportedOperationException(); }
    public List<String> bucketKey() { throw new UnsupportedOperationException(); }
    public String bucketFunctionType() { throw new UnsupportedOperationException(); }
    public MergeEngine mergeEngine() { throw new UnsupportedOperationException(); }
    public ChangelogProducer changelogProducer() { throw new UnsupportedOperationException(); }
    public boolean changelogRowDeduplicate() { throw new UnsupportedOperationException(); }
    public List<String> changelogRowDeduplicateIgnoreFields() { throw new UnsupportedOperationException(); }
    public List<String> sequenceField() { throw new UnsupportedOperationException(); }
    public boolean sequenceFieldDescending() { throw new UnsupportedOperationException(); }
    public boolean deletionVectorsEnabled() { throw new UnsupportedOperationException(); }
    public boolean ignoreDelete() { throw new UnsupportedOperationException(); }
    public boolean writeOnly() { throw new UnsupportedOperationException(); }
    public String fileFormat() { throw new UnsupportedOperationException(); }
    public String fileCompression() { throw new UnsupportedOperationException(); }
    public int zstdLevel() { throw new UnsupportedOperationException(); }
    public long targetFileSizeBytes() { throw new UnsupportedOperationException(); }
    public long writeBufferSizeBytes() { throw new UnsupportedOperationException(); }
    public int compactionTrigger() { throw new UnsupportedOperationException(); }
    public int numLevels() { throw new UnsupportedOperationException(); }
    public int maxSizeAmplificationPercent() { throw new UnsupportedOperationException(); }
    public int sizeRatio() { throw new UnsupportedOperationException(); }
    public boolean forceUpLevel0() { throw new UnsupportedOperationException(); }
    public long manifestTargetSizeBytes() { throw new UnsupportedOperationException(); }
    public long manifestFullCompactionThresholdBytes() { throw new UnsupportedOperationException(); }
    public int manifestMergeMinCount() { throw new UnsupportedOperationException(); }
    public String partitionDefaultName() { throw new UnsupportedOperationException(); }
    public boolean partitionLegacyName() { throw new UnsupportedOperationException(); }
    public String dataFilePrefix() { throw new UnsupportedOperationException(); }
    public String changelogFilePrefix() { throw new UnsupportedOperationException(); }
    public String statsMode() { throw new UnsupportedOperationException(); }
    public Optional<String> aggregateFunction(String field) { throw new UnsupportedOperationException(); }
    public Optional<String> get(String key) { throw new UnsupportedOperationException(); }
    public Map<String, String> asMap() { throw new UnsupportedOperationException(); }
}
