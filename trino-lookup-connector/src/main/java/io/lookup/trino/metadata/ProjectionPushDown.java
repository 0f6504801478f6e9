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
package io.lookup.trino.metadata;

import com.google.common.collect.ImmutableList;
import io.lookup.trino.handle.LookupColumnHandle;
import io.lookup.trino.handle.LookupTableHandle;
import io.trino.plugin.base.projection.ApplyProjectionUtil;
import io.trino.plugin.base.projection.ApplyProjectionUtil.ProjectedColumnRepresentation;
import io.trino.spi.connector.Assignment;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ProjectionApplicationResult;
import io.trino.spi.expression.ConnectorExpression;
import io.trino.spi.expression.Variable;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static io.lookup.trino.LookupSessionProperties.isProjectionPushdownEnabled;
import static io.trino.plugin.base.projection.ApplyProjectionUtil.extractSupportedProjectedColumns;
import static io.trino.plugin.base.projection.ApplyProjectionUtil.replaceWithNewVariables;

/**
 * Fields of rows that are read by themselves.
 */
final class ProjectionPushDown
{
    private ProjectionPushDown() {}

    /**
     * @return empty if no field of a row is asked for, or the session wants whole rows
     */
    static Optional<ProjectionApplicationResult<ConnectorTableHandle>> apply(
            ConnectorSession session,
            LookupTableHandle table,
            List<ConnectorExpression> projections,
            Map<String, ColumnHandle> assignments)
    {
        boolean readsColumns = switch (table.kind()) {
            case DATA, RO, AUDIT_LOG -> true;
            case BINLOG, SNAPSHOTS, FILES, SCHEMAS, OPTIONS, MANIFESTS, PARTITIONS, BUCKETS, TAGS, AGGREGATION_FIELDS, CONSUMERS, BRANCHES, STATISTICS, CONTRADICTIONS -> false;
        };
        if (!readsColumns || !isProjectionPushdownEnabled(session)) {
            return Optional.empty();
        }
        Map<ConnectorExpression, ProjectedColumnRepresentation> columns = new LinkedHashMap<>();
        projections.stream()
                .flatMap(projection -> extractSupportedProjectedColumns(projection).stream())
                .forEach(column -> columns.computeIfAbsent(column, ApplyProjectionUtil::createProjectedColumnRepresentation));
        if (columns.values().stream().allMatch(ProjectedColumnRepresentation::isVariable)) {
            return Optional.empty();
        }
        Map<ConnectorExpression, Variable> variables = new HashMap<>();
        Map<String, Assignment> newAssignments = new LinkedHashMap<>();
        columns.forEach((expression, column) -> {
            LookupColumnHandle base = (LookupColumnHandle) assignments.get(column.getVariable().getName());
            LookupColumnHandle handle = column.isVariable() ? base : base.field(column.getDereferenceIndices(), expression.getType());
            variables.put(expression, new Variable(handle.name(), expression.getType()));
            newAssignments.putIfAbsent(handle.name(), new Assignment(handle.name(), handle, expression.getType()));
        });
        return Optional.of(new ProjectionApplicationResult<>(
                table,
                projections.stream().map(projection -> replaceWithNewVariables(projection, variables)).collect(toImmutableList()),
                ImmutableList.copyOf(newAssignments.values()),
                false));
    }
}
