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

import com.google.common.collect.ImmutableMap;
import io.airlift.slice.Slice;
import io.lookup.storage.schema.TableSchema;
import io.lookup.storage.snapshot.Snapshot;
import io.lookup.storage.snapshot.SnapshotManager;
import io.lookup.trino.engine.LookupTables;
import io.lookup.trino.engine.TableBranch;
import io.lookup.trino.engine.TableSchemas;
import io.lookup.trino.handle.LookupTableHandle;
import io.lookup.trino.handle.TableKind;
import io.lookup.trino.metadata.TransactionTables.PinnedTable;
import io.lookup.trino.properties.LookupTableProperties;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.ConnectorTableVersion;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.type.BigintType;
import io.trino.spi.type.DateType;
import io.trino.spi.type.IntegerType;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.SmallintType;
import io.trino.spi.type.TimeZoneKey;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.TinyintType;
import io.trino.spi.type.Type;
import io.trino.spi.type.VarcharType;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import static io.trino.spi.StandardErrorCode.INVALID_ARGUMENTS;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.type.DateTimeEncoding.unpackMillisUtc;
import static io.trino.spi.type.Timestamps.MICROSECONDS_PER_MILLISECOND;
import static java.lang.Math.floorDiv;
import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * Finds what a statement's table name and version stand for.
 */
final class TableHandles
{
    private final LookupTables lookupTables;
    private final TransactionTables tables;

    TableHandles(LookupTables lookupTables, TransactionTables tables)
    {
        this.lookupTables = requireNonNull(lookupTables, "lookupTables is null");
        this.tables = requireNonNull(tables, "tables is null");
    }

    /**
     * @return null if there is no such table
     */
    LookupTableHandle find(ConnectorSession session, SchemaTableName name, Optional<ConnectorTableVersion> startVersion, Optional<ConnectorTableVersion> endVersion)
    {
        if (startVersion.isPresent()) {
            throw new TrinoException(NOT_SUPPORTED, "Reading a table with a start version is not supported: use the function table_changes");
        }
        int split = TableBranch.systemTableSeparator(name.getTableName());
        if (split < 0) {
            return find(session, name, TableKind.DATA, endVersion);
        }
        Optional<TableKind> kind = TableKind.forSuffix(name.getTableName().substring(split + 1));
        if (split == 0 || kind.isEmpty()) {
            return null;
        }
        return find(session, new SchemaTableName(name.getSchemaName(), name.getTableName().substring(0, split)), kind.get(), endVersion);
    }

    private LookupTableHandle find(ConnectorSession session, SchemaTableName name, TableKind kind, Optional<ConnectorTableVersion> version)
    {
        Optional<PinnedTable> found = tables.find(name);
        if (found.isEmpty()) {
            return null;
        }
        PinnedTable pinned = found.get();
        if (version.isEmpty()) {
            return new LookupTableHandle(name.getSchemaName(), name.getTableName(), kind, lookupTables.toHandle(pinned.table(), pinned.table().schema()), pinned.latestId(), false);
        }
        if (kind == TableKind.AUDIT_LOG || kind == TableKind.BINLOG) {
            throw new TrinoException(NOT_SUPPORTED, format("Table %s%s has no versions, since it is the log of all of them: filter by \"$snapshot_id\" or \"$commit_time\"", name, kind.suffix()));
        }
        Snapshot snapshot = snapshot(session, name, pinned, version.get());
        TableSchema schema = pinned.table().schemas().schema(snapshot.schemaId());
        return new LookupTableHandle(name.getSchemaName(), name.getTableName(), kind, lookupTables.toHandle(pinned.table(), schema), OptionalLong.of(snapshot.id()), true);
    }

    private static Snapshot snapshot(ConnectorSession session, SchemaTableName name, PinnedTable pinned, ConnectorTableVersion version)
    {
        SnapshotManager snapshots = pinned.table().snapshots();
        Type type = version.getVersionType();
        return switch (version.getPointerType()) {
            case TARGET_ID -> switch (type) {
                case BigintType _, IntegerType _, SmallintType _, TinyintType _ -> snapshots.snapshot((long) version.getVersion());
                case VarcharType _ -> {
                    String tag = ((Slice) version.getVersion()).toStringUtf8();
                    yield snapshots.tag(tag)
                            .orElseThrow(() -> new TrinoException(INVALID_ARGUMENTS, snapshots.noTagMessage(name.toString(), tag)));
                }
                default -> throw new TrinoException(NOT_SUPPORTED, format("A version of type %s is not supported: give a snapshot id as a number, or a tag as a string", type.getDisplayName()));
            };
            case TEMPORAL -> {
                long timeMillis = epochMillis(session, type, version.getVersion());
                yield snapshots.asOfTimeMillis(timeMillis)
                        .orElseThrow(() -> new TrinoException(INVALID_ARGUMENTS, format("Table %s has no snapshot that was committed at or before %s", name, Instant.ofEpochMilli(timeMillis))));
            }
        };
    }

    private static long epochMillis(ConnectorSession session, Type type, Object value)
    {
        return switch (type) {
            case DateType _ -> inZone(session, LocalDate.ofEpochDay((long) value).atStartOfDay());
            case TimestampType timestamp -> {
                long micros = timestamp.isShort() ? (long) value : ((LongTimestamp) value).getEpochMicros();
                long millis = floorDiv(micros, MICROSECONDS_PER_MILLISECOND);
                yield inZone(session, LocalDateTime.ofInstant(Instant.ofEpochMilli(millis), ZoneOffset.UTC));
            }
            case TimestampWithTimeZoneType timestamp -> timestamp.isShort() ? unpackMillisUtc((long) value) : ((LongTimestampWithTimeZone) value).getEpochMillis();
            default -> throw new TrinoException(NOT_SUPPORTED, format("A point in time of type %s is not supported", type.getDisplayName()));
        };
    }

    private static long inZone(ConnectorSession session, LocalDateTime local)
    {
        TimeZoneKey zone = session.getTimeZoneKey();
        return local.atZone(zone.getZoneId()).toInstant().toEpochMilli();
    }

    ConnectorTableMetadata metadata(LookupTableHandle handle)
    {
        TableSchema schema = TableSchemas.fromJson(handle.schemaJson());
        Map<String, Object> properties = handle.kind() == TableKind.DATA ?
                LookupTableProperties.fromSchema(schema.primaryKeys(), schema.partitionKeys(), schema.options()) :
                ImmutableMap.of();
        return new ConnectorTableMetadata(
                handle.relationName(),
                tables.columns().columnMetadata(handle.kind(), schema),
                properties,
                handle.kind() == TableKind.DATA ? schema.comment() : Optional.empty());
    }

    /**
     * The handle of a statement that changes the table.
     *
     * @throws TrinoException NOT_SUPPORTED for tables that tell of another
     */
    static LookupTableHandle writable(LookupTableHandle handle)
    {
        if (handle.kind().isSystemTable()) {
            throw new TrinoException(NOT_SUPPORTED, format("Table %s is read-only: it tells of table %s", handle.relationName(), handle.baseTableName()));
        }
        if (handle.timeTravel()) {
            throw new TrinoException(NOT_SUPPORTED, format("An earlier version of table %s cannot be changed", handle.relationName()));
        }
        return handle;
    }

    /**
     * The handle of a statement that takes the table away from its place.
     *
     * @throws TrinoException NOT_SUPPORTED as {@link #writable}, and for branches
     */
    static LookupTableHandle movable(LookupTableHandle handle)
    {
        TableBranch table = TableBranch.parse(handle.tableName());
        if (table.branch().isPresent()) {
            throw new TrinoException(NOT_SUPPORTED, format("Table %s is a branch, which cannot be dropped or renamed: EXECUTE delete_branch on table %s removes it", handle.relationName(), table.tableName()));
        }
        return writable(handle);
    }
}
