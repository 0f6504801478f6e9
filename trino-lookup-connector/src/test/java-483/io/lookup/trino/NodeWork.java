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
package io.lookup.trino;

import io.trino.execution.QueryInfo;
import io.trino.execution.TaskInfo;
import io.trino.operator.OperatorStats;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the nodes did for a query, as Trino 483 tells it.
 */
final class NodeWork
{
    private NodeWork() {}

    /**
     * @return rows that operators of this type took, for each node that has any
     */
    static Map<String, Long> inputPositions(QueryInfo query, String operatorType)
    {
        Map<String, Long> positionsByNode = new HashMap<>();
        List<TaskInfo> tasks = query.getStages().orElseThrow().getStages().stream().flatMap(stage -> stage.tasks().stream()).toList();
        for (TaskInfo task : tasks) {
            task.stats().pipelines().stream()
                    .flatMap(pipeline -> pipeline.getOperatorSummaries().stream())
                    .filter(operator -> operator.getOperatorType().equals(operatorType))
                    .mapToLong(OperatorStats::getInputPositions)
                    .filter(positions -> positions > 0)
                    .forEach(positions -> positionsByNode.merge(task.taskStatus().nodeId(), positions, Long::sum));
        }
        return positionsByNode;
    }
}
