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

import com.google.common.collect.ImmutableSortedSet;
import io.lookup.storage.schema.CoreOptions.MergeEngine;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

/**
 * Options that say what several versions of a key come to. Where versions wait to be merged, another value of one of them changes rows
 * that no statement has changed: a delete that was to be ignored from now on brings back what an earlier statement has deleted.
 */
public final class MergeRules
{
    private static final String DEFAULT_FUNCTION = CoreOptions.FIELDS_PREFIX + CoreOptions.DEFAULT_AGGREGATE_FUNCTION;
    private static final String STATISTICS = "stats-mode";
    private static final String SEQUENCE_GROUP = "sequence-group";

    private MergeRules() {}

    /**
     * @param after a later version of the same table
     * @return keys of the options that differ, by the names that columns have afterwards; of those with several spellings the first
     */
    public static ImmutableSortedSet<String> changes(TableSchema before, TableSchema after)
    {
        CoreOptions optionsBefore = new CoreOptions(before.options());
        CoreOptions optionsAfter = new CoreOptions(after.options());
        Set<String> changes = new TreeSet<>();
        if (optionsBefore.ignoreDelete() != optionsAfter.ignoreDelete()) {
            changes.add(CoreOptions.IGNORE_DELETE);
        }
        if (optionsBefore.ignoreUpdateBefore() != optionsAfter.ignoreUpdateBefore()) {
            changes.add(CoreOptions.IGNORE_UPDATE_BEFORE);
        }
        MergeEngine engine = optionsAfter.mergeEngine();
        if (engine == MergeEngine.AGGREGATION || engine == MergeEngine.PARTIAL_UPDATE) {
            Map<String, String> rulesBefore = rules(ColumnReferences.rename(before.options(), SchemaChanges.newNames(before, after)));
            Map<String, String> rulesAfter = rules(after.options());
            Set<String> keys = new TreeSet<>(rulesBefore.keySet());
            keys.addAll(rulesAfter.keySet());
            keys.removeIf(key -> rulesAfter.containsKey(key) && rulesAfter.get(key).equals(rulesBefore.get(key)));
            changes.addAll(keys);
        }
        return ImmutableSortedSet.copyOf(changes);
    }

    private static Map<String, String> rules(Map<String, String> options)
    {
        Map<String, String> rules = new HashMap<>();
        options.forEach((key, value) -> {
            if (key.equals(DEFAULT_FUNCTION) || FieldOptionKey.parse(key).filter(fieldKey -> !fieldKey.suffix().equals(STATISTICS)).isPresent()) {
                rules.put(key, value);
            }
        });
        return rules;
    }

    /**
     * Whether the option only says what -U and -D records do, which the end of lookups does too.
     */
    public static boolean isOfRetractions(String key)
    {
        return key.equals(CoreOptions.IGNORE_DELETE) || key.equals(CoreOptions.IGNORE_UPDATE_BEFORE) || key.equals(CoreOptions.CHANGELOG_PRODUCER);
    }

    /**
     * Whether rows of one version have values of a column that the option is about. A column that was added later has none.
     *
     * @param key one that {@link #changes} gave for the versions {@code before} and {@code after}
     */
    public static boolean concerns(String key, TableSchema before, TableSchema after, TableSchema written)
    {
        List<DataField> fields = after.fields();
        if (!key.equals(DEFAULT_FUNCTION)) {
            FieldOptionKey fieldKey = FieldOptionKey.parse(key).orElseThrow();
            Set<String> columns = fieldKey.columns().stream().collect(toImmutableSet());
            // the value of a sequence group is the columns that it decides over
            String members = fieldKey.suffix().equals(SEQUENCE_GROUP) ? "," + before.options().getOrDefault(key, "") + "," + after.options().getOrDefault(key, "") + "," : "";
            fields = fields.stream().filter(field -> columns.contains(field.name()) || members.contains("," + field.name() + ",")).toList();
        }
        return fields.stream().anyMatch(field -> written.findField(field.id()).isPresent());
    }
}
