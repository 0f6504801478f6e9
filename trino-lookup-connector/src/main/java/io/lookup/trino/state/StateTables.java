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
package io.lookup.trino.state;

import com.google.common.collect.ImmutableList;
import io.lookup.trino.handle.ColumnRole;
import io.lookup.trino.handle.LookupColumnHandle;
import io.lookup.trino.handle.TableKind;
import io.lookup.trino.metadata.TableColumns.Column;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.Type;

import java.util.List;
import java.util.Optional;

import static io.lookup.trino.handle.LookupColumnHandle.NO_FIELD;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.TimestampType.TIMESTAMP_MILLIS;
import static io.trino.spi.type.VarcharType.VARCHAR;

/**
 * Columns of the tables that show a table's state. Names, order and types are those of the format's system tables;
 * names are in lower case.
 */
public final class StateTables
{
    private static final List<Column> SNAPSHOTS_COLUMNS = ImmutableList.of(
            required("snapshot_id", BIGINT),
            required("schema_id", BIGINT),
            required("commit_user", VARCHAR),
            required("commit_identifier", BIGINT),
            required("commit_kind", VARCHAR),
            required("commit_time", TIMESTAMP_MILLIS),
            required("base_manifest_list", VARCHAR),
            required("delta_manifest_list", VARCHAR),
            nullable("changelog_manifest_list", VARCHAR),
            nullable("total_record_count", BIGINT),
            nullable("delta_record_count", BIGINT),
            nullable("changelog_record_count", BIGINT),
            nullable("watermark", BIGINT),
            nullable("next_row_id", BIGINT),
            hidden("$query_id", VARCHAR),
            hidden("$user", VARCHAR));

    private static final List<Column> FILES_COLUMNS = ImmutableList.of(
            nullable("partition", VARCHAR),
            required("bucket", INTEGER),
            required("file_path", VARCHAR),
            required("file_format", VARCHAR),
            required("schema_id", BIGINT),
            required("level", INTEGER),
            required("record_count", BIGINT),
            required("file_size_in_bytes", BIGINT),
            nullable("min_key", VARCHAR),
            nullable("max_key", VARCHAR),
            required("null_value_counts", VARCHAR),
            required("min_value_stats", VARCHAR),
            required("max_value_stats", VARCHAR),
            nullable("min_sequence_number", BIGINT),
            nullable("max_sequence_number", BIGINT),
            nullable("creation_time", TIMESTAMP_MILLIS),
            nullable("deleterowcount", BIGINT),
            nullable("file_source", VARCHAR),
            nullable("first_row_id", BIGINT),
            nullable("write_cols", new ArrayType(VARCHAR)));

    private static final List<Column> CONTRADICTIONS_COLUMNS = ImmutableList.of(
            required("snapshot_id", BIGINT),
            required("partition", VARCHAR),
            required("bucket", INTEGER),
            required("key", VARCHAR),
            nullable("expected", VARCHAR),
            nullable("found", VARCHAR));

    private static final List<Column> SCHEMAS_COLUMNS = ImmutableList.of(
            required("schema_id", BIGINT),
            required("fields", VARCHAR),
            required("partition_keys", VARCHAR),
            required("primary_keys", VARCHAR),
            required("options", VARCHAR),
            nullable("comment", VARCHAR),
            required("update_time", TIMESTAMP_MILLIS));

    private static final List<Column> OPTIONS_COLUMNS = ImmutableList.of(
            required("key", VARCHAR),
            required("value", VARCHAR));

    private static final List<Column> MANIFESTS_COLUMNS = ImmutableList.of(
            required("file_name", VARCHAR),
            required("file_size", BIGINT),
            required("num_added_files", BIGINT),
            required("num_deleted_files", BIGINT),
            required("schema_id", BIGINT),
            nullable("min_partition_stats", VARCHAR),
            nullable("max_partition_stats", VARCHAR),
            nullable("min_row_id", BIGINT),
            nullable("max_row_id", BIGINT));

    private static final List<Column> PARTITIONS_COLUMNS = ImmutableList.of(
            nullable("partition", VARCHAR),
            required("record_count", BIGINT),
            required("file_size_in_bytes", BIGINT),
            required("file_count", BIGINT),
            nullable("last_update_time", TIMESTAMP_MILLIS),
            nullable("created_at", TIMESTAMP_MILLIS),
            nullable("created_by", VARCHAR),
            nullable("updated_by", VARCHAR),
            nullable("options", VARCHAR));

    private static final List<Column> BUCKETS_COLUMNS = ImmutableList.of(
            nullable("partition", VARCHAR),
            required("bucket", INTEGER),
            required("record_count", BIGINT),
            required("file_size_in_bytes", BIGINT),
            required("file_count", BIGINT),
            nullable("last_update_time", TIMESTAMP_MILLIS));

    private static final List<Column> TAGS_COLUMNS = ImmutableList.of(
            required("tag_name", VARCHAR),
            required("snapshot_id", BIGINT),
            required("schema_id", BIGINT),
            required("commit_time", TIMESTAMP_MILLIS),
            nullable("record_count", BIGINT),
            nullable("create_time", TIMESTAMP_MILLIS),
            nullable("time_retained", VARCHAR));

    private static final List<Column> AGGREGATION_FIELDS_COLUMNS = ImmutableList.of(
            required("field_name", VARCHAR),
            required("field_type", VARCHAR),
            nullable("function", VARCHAR),
            nullable("function_options", VARCHAR),
            nullable("comment", VARCHAR));

    private static final List<Column> CONSUMERS_COLUMNS = ImmutableList.of(
            required("consumer_id", VARCHAR),
            required("next_snapshot_id", BIGINT));

    private static final List<Column> BRANCHES_COLUMNS = ImmutableList.of(
            required("branch_name", VARCHAR),
            required("create_time", TIMESTAMP_MILLIS));

    private static final List<Column> STATISTICS_COLUMNS = ImmutableList.of(
            required("snapshot_id", BIGINT),
            required("schema_id", BIGINT),
            nullable("mergedrecordcount", BIGINT),
            nullable("mergedrecordsize", BIGINT),
            nullable("colstat", VARCHAR));

    private StateTables() {}

    public static List<Column> columns(TableKind kind)
    {
        return switch (kind) {
            case SNAPSHOTS -> SNAPSHOTS_COLUMNS;
            case FILES -> FILES_COLUMNS;
            case CONTRADICTIONS -> CONTRADICTIONS_COLUMNS;
            case SCHEMAS -> SCHEMAS_COLUMNS;
            case OPTIONS -> OPTIONS_COLUMNS;
            case MANIFESTS -> MANIFESTS_COLUMNS;
            case PARTITIONS -> PARTITIONS_COLUMNS;
            case BUCKETS -> BUCKETS_COLUMNS;
            case TAGS -> TAGS_COLUMNS;
            case AGGREGATION_FIELDS -> AGGREGATION_FIELDS_COLUMNS;
            case CONSUMERS -> CONSUMERS_COLUMNS;
            case BRANCHES -> BRANCHES_COLUMNS;
            case STATISTICS -> STATISTICS_COLUMNS;
            case DATA, AUDIT_LOG, RO, BINLOG -> throw new IllegalArgumentException("Not a state table: " + kind);
        };
    }

    private static Column required(String name, Type type)
    {
        return new Column(handle(name, type), false, false, Optional.empty());
    }

    private static Column nullable(String name, Type type)
    {
        return new Column(handle(name, type), true, false, Optional.empty());
    }

    private static Column hidden(String name, Type type)
    {
        return new Column(handle(name, type), true, true, Optional.empty());
    }

    private static LookupColumnHandle handle(String name, Type type)
    {
        return new LookupColumnHandle(NO_FIELD, name, type, ColumnRole.STATE);
    }
}
