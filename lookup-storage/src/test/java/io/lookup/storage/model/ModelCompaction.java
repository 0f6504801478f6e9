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

import io.lookup.storage.format.row.RowKind;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A lookup compaction: the newest runs of some state of the bucket become one file of a deeper level, and where level 0
 * took part, the changes are logged.
 *
 * @param output empty if nothing was left
 */
record ModelCompaction(List<ModelFile> inputs, int outputLevel, Optional<ModelFile> output, List<ModelChange> log)
{
    /**
     * @param files live files that the compaction sees
     * @param deeperRuns how many runs below level 0 it takes too, if there are as many
     * @param outputId id of the file that it writes if it has to write one
     */
    static Optional<ModelCompaction> create(ModelEngine engine, List<ModelFile> files, int maxLevel, int deeperRuns, int outputId)
    {
        List<Integer> deeperLevels = files.stream().map(ModelFile::level).filter(level -> level > 0).distinct().sorted().toList();
        List<ModelFile> level0 = files.stream().filter(file -> file.level() == 0).toList();
        int taken = Math.min(deeperRuns, deeperLevels.size());
        if (taken < deeperLevels.size() && deeperLevels.get(taken) == 1) {
            // there is no room above the next run, so it is taken as well
            taken++;
        }
        int outputLevel = taken == deeperLevels.size() ? maxLevel : deeperLevels.get(taken) - 1;
        List<Integer> takenLevels = deeperLevels.subList(0, taken);
        List<ModelFile> inputs = new ArrayList<>(level0);
        files.stream().filter(file -> takenLevels.contains(file.level())).forEach(inputs::add);
        if (inputs.isEmpty() || (level0.isEmpty() && takenLevels.equals(List.of(outputLevel)))) {
            return Optional.empty();
        }
        List<ModelFile> below = files.stream().filter(file -> file.level() > outputLevel).toList();
        return Optional.of(run(engine, inputs, below, outputLevel, taken == deeperLevels.size(), outputId));
    }

    private static ModelCompaction run(ModelEngine engine, List<ModelFile> inputs, List<ModelFile> below, int outputLevel, boolean nothingBelow, int outputId)
    {
        TreeSet<Integer> keys = new TreeSet<>();
        inputs.forEach(file -> keys.addAll(file.rows().keySet()));
        TreeMap<Integer, ModelRow> output = new TreeMap<>();
        List<ModelChange> log = new ArrayList<>();
        for (int key : keys) {
            List<ModelRow> level0 = inputs.stream()
                    .filter(file -> file.level() == 0 && file.rows().containsKey(key))
                    .map(file -> file.rows().get(key))
                    .toList();
            Optional<ModelRow> before = highLevelRow(inputs, key).or(() -> highLevelRow(below, key));
            ModelRow after = merge(engine, level0, before);
            if (!level0.isEmpty()) {
                log.addAll(changes(before, after));
            }
            if (!(nothingBelow && !after.kind().isAdd())) {
                output.put(key, after);
            }
        }
        if (engine == ModelEngine.DEDUPLICATE && inputs.size() == 1 && !nothingBelow) {
            // an upgrade: logged from the merge, but the file itself stays as it was
            return new ModelCompaction(inputs, outputLevel, Optional.of(new ModelFile(inputs.getFirst().id(), outputLevel, inputs.getFirst().rows())), log);
        }
        return new ModelCompaction(inputs, outputLevel, output.isEmpty() ? Optional.empty() : Optional.of(new ModelFile(outputId, outputLevel, output)), log);
    }

    /**
     * The state of a key in the levels from 1 on: its row at the lowest level that has one.
     */
    static Optional<ModelRow> highLevelRow(List<ModelFile> files, int key)
    {
        return files.stream()
                .filter(file -> file.level() > 0 && file.rows().containsKey(key))
                .min(Comparator.comparingInt(ModelFile::level))
                .map(file -> file.rows().get(key));
    }

    static ModelRow merge(ModelEngine engine, List<ModelRow> level0, Optional<ModelRow> highLevel)
    {
        List<ModelRow> versions = new ArrayList<>(level0);
        highLevel.ifPresent(versions::addFirst);
        versions.sort(Comparator.comparingLong(ModelRow::sequence));
        ModelRow newest = versions.getLast();
        return switch (engine) {
            case DEDUPLICATE -> newest;
            case SUM -> new ModelRow(newest.key(), versions.stream().mapToLong(ModelRow::value).sum(), newest.sequence(), RowKind.INSERT);
        };
    }

    private static List<ModelChange> changes(Optional<ModelRow> before, ModelRow after)
    {
        boolean existed = before.isPresent() && before.get().kind().isAdd();
        if (!existed) {
            return after.kind().isAdd() ? List.of(new ModelChange(RowKind.INSERT, after.key(), after.value())) : List.of();
        }
        long oldValue = before.get().value();
        if (!after.kind().isAdd()) {
            return List.of(new ModelChange(RowKind.DELETE, after.key(), oldValue));
        }
        return List.of(new ModelChange(RowKind.UPDATE_BEFORE, after.key(), oldValue), new ModelChange(RowKind.UPDATE_AFTER, after.key(), after.value()));
    }

    /**
     * Rows of a state as a lookup table's reader sees them.
     */
    static SortedMap<Integer, Long> rows(ModelEngine engine, List<ModelFile> files)
    {
        TreeMap<Integer, Long> rows = new TreeMap<>();
        TreeSet<Integer> keys = new TreeSet<>();
        files.forEach(file -> keys.addAll(file.rows().keySet()));
        for (int key : keys) {
            List<ModelRow> level0 = files.stream()
                    .filter(file -> file.level() == 0 && file.rows().containsKey(key))
                    .map(file -> file.rows().get(key))
                    .toList();
            ModelRow row = merge(engine, level0, highLevelRow(files, key));
            if (row.kind().isAdd()) {
                rows.put(key, row.value());
            }
        }
        return rows;
    }
}
