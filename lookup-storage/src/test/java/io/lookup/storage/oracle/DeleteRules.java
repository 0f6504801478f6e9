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
package io.lookup.storage.oracle;

import com.google.common.collect.ImmutableSet;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static java.util.Objects.requireNonNull;

/**
 * What a table's options let a history delete, so that its result does not depend on when a record of a removal is dropped.
 *
 * @param dropped whether deletes are thrown away when they are written
 * @param liveOnly whether only keys that have a row are deleted
 * @param removes whether a delete leaves no row
 * @param blankColumns columns that are null in a delete where they can be
 * @param countedColumns sequence columns by which a delete removes a row: their values never fall
 */
record DeleteRules(boolean allowed, boolean dropped, boolean liveOnly, boolean removes, Set<String> blankColumns, Set<String> countedColumns)
{
    private static final String REMOVE_ON_DELETE = "partial-update.remove-record-on-delete";
    private static final String REMOVE_ON_SEQUENCE_GROUP = "partial-update.remove-record-on-sequence-group";

    DeleteRules
    {
        blankColumns = ImmutableSet.copyOf(blankColumns);
        countedColumns = ImmutableSet.copyOf(countedColumns);
    }

    static DeleteRules of(PaimonTableDefinition table)
    {
        requireNonNull(table, "table is null");
        Map<String, String> options = table.options();
        if (options.containsKey("ignore-delete")) {
            return new DeleteRules(true, true, false, false, ImmutableSet.of(), ImmutableSet.of());
        }
        Set<String> names = table.columns().stream()
                .map(PaimonTableDefinition.Column::name)
                .filter(name -> !table.primaryKey().contains(name))
                .collect(toImmutableSet());
        switch (options.getOrDefault("merge-engine", "deduplicate")) {
            case "deduplicate" -> {
                // a late insert loses against the record of a removal for as long as there is one
                return new DeleteRules(!options.containsKey("sequence.field"), false, false, true, ImmutableSet.of(), ImmutableSet.of());
            }
            case "partial-update" -> {
                if (options.containsKey(REMOVE_ON_DELETE)) {
                    return new DeleteRules(true, false, false, true, names, ImmutableSet.of());
                }
                if (options.containsKey(REMOVE_ON_SEQUENCE_GROUP)) {
                    Set<String> removing = Set.of(options.get(REMOVE_ON_SEQUENCE_GROUP).split(","));
                    Set<String> counted = sequenceGroups(options)
                            .filter(group -> group.stream().anyMatch(removing::contains))
                            .flatMap(List::stream)
                            .collect(toImmutableSet());
                    Set<String> blank = names.stream().filter(name -> !counted.contains(name)).collect(toImmutableSet());
                    return new DeleteRules(true, false, true, true, blank, counted);
                }
                boolean groups = sequenceGroups(options).findAny().isPresent();
                return new DeleteRules(groups, false, true, false, ImmutableSet.of(), ImmutableSet.of());
            }
            default -> {
                return new DeleteRules(false, false, false, false, ImmutableSet.of(), ImmutableSet.of());
            }
        }
    }

    /**
     * The sequence columns of each group.
     */
    static Stream<List<String>> sequenceGroups(Map<String, String> options)
    {
        return options.keySet().stream()
                .filter(key -> key.endsWith(".sequence-group"))
                .map(DeleteRules::sequenceColumns);
    }

    static List<String> sequenceColumns(String key)
    {
        return List.of(key.substring("fields.".length(), key.length() - ".sequence-group".length()).split(","));
    }
}
