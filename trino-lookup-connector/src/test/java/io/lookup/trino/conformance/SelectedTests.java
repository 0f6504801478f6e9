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
package io.lookup.trino.conformance;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.lang.reflect.Method;
import java.util.Optional;
import java.util.Set;

import static org.junit.jupiter.api.extension.ConditionEvaluationResult.disabled;
import static org.junit.jupiter.api.extension.ConditionEvaluationResult.enabled;

/**
 * Of a suite that takes minutes, the part that every build runs. The whole one runs with {@code -Dlookup.thorough=true}.
 */
final class SelectedTests
        implements ExecutionCondition
{
    private static final Set<String> SELECTED = Set.of(
            // what a table is and says of itself
            "testShowCreateTable",
            "testDescribeTable",
            "testSelectInformationSchemaColumns",
            "testCreateTableAsSelect",
            // statements
            "testInsert",
            "testInsertRowConcurrently",
            "testDelete",
            "testUpdate",
            "testUpdateRowConcurrently",
            "testMergeMultipleOperations",
            "testTruncateTable",
            // schema changes
            "testAddColumn",
            "testDropColumn",
            "testRenameColumn",
            "testSetColumnType",
            // reading
            "testExactPredicate",
            "testAggregation",
            "testJoin");

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context)
    {
        if (Boolean.getBoolean("lookup.thorough")) {
            return enabled("thorough run");
        }
        Optional<Method> method = context.getTestMethod();
        return method.isEmpty() || SELECTED.contains(method.get().getName()) ? enabled("selected for every build") : disabled("for thorough runs");
    }
}
