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
package io.lookup.trino.write;

import io.airlift.slice.Slice;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.write.DefaultValues;
import io.trino.spi.Page;
import io.trino.spi.TrinoException;
import io.trino.spi.block.Block;
import io.trino.spi.connector.ConnectorMergeSink;
import io.trino.spi.connector.MergePage;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import static com.google.common.base.Verify.verify;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.block.RowBlock.getRowFieldsFromBlock;
import static io.trino.spi.type.TinyintType.TINYINT;
import static java.util.Objects.requireNonNull;

/**
 * The changed rows of an UPDATE, DELETE or MERGE. A deleted row is told whole by its row id, since the engine leaves
 * its columns null. The engine never aborts this sink, so that it cleans up after its own failures.
 */
final class LookupMergeSink
        implements ConnectorMergeSink
{
    private final SinkWriter writer;
    private final DefaultValues defaultValues;
    private final int columnCount;
    private final boolean marksUpdates;
    private final Optional<String> deleteRefusal;

    /**
     * @param defaultValues of rows that a MERGE inserts; an UPDATE sets what it says
     * @param marksUpdates whether the halves of an update are -U and +U; else they are -D and +I, as of other rows
     * @param deleteRefusal why rows cannot be deleted; empty if they can
     */
    LookupMergeSink(SinkWriter writer, DefaultValues defaultValues, int columnCount, boolean marksUpdates, Optional<String> deleteRefusal)
    {
        this.writer = requireNonNull(writer, "writer is null");
        this.defaultValues = requireNonNull(defaultValues, "defaultValues is null");
        this.columnCount = columnCount;
        this.marksUpdates = marksUpdates;
        this.deleteRefusal = requireNonNull(deleteRefusal, "deleteRefusal is null");
    }

    @Override
    public void storeMergedRows(Page page)
    {
        try {
            checkDeletes(page);
            Block operations = page.getBlock(columnCount);
            MergePage mergePage = MergePage.createDeleteAndInsertPages(
                    defaultValues.apply(page, position -> TINYINT.getByte(operations, position) == INSERT_OPERATION_NUMBER),
                    columnCount);
            mergePage.getDeletionsPage().ifPresent(deletions -> delete(deletions, kinds(page, false)));
            mergePage.getInsertionsPage().ifPresent(insertions -> writer.write(insertions, kinds(page, true)).join());
        }
        catch (CompletionException e) {
            writer.abort();
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
        catch (RuntimeException e) {
            writer.abort();
            throw e;
        }
    }

    /**
     * The old row of an UPDATE is no delete: its new row takes its place. Updates that move rows were refused before.
     */
    private void checkDeletes(Page page)
    {
        if (deleteRefusal.isEmpty()) {
            return;
        }
        Block operations = page.getBlock(columnCount);
        for (int position = 0; position < page.getPositionCount(); position++) {
            if (TINYINT.getByte(operations, position) == DELETE_OPERATION_NUMBER) {
                throw new TrinoException(NOT_SUPPORTED, deleteRefusal.get());
            }
        }
    }

    /**
     * The kinds of the rows that are inserted, or of those that are deleted, in their order.
     */
    private byte[] kinds(Page page, boolean inserted)
    {
        Block operations = page.getBlock(columnCount);
        byte[] kinds = new byte[page.getPositionCount()];
        int count = 0;
        for (int position = 0; position < kinds.length; position++) {
            RowKind kind = switch (TINYINT.getByte(operations, position)) {
                case INSERT_OPERATION_NUMBER -> RowKind.INSERT;
                case DELETE_OPERATION_NUMBER -> RowKind.DELETE;
                case UPDATE_INSERT_OPERATION_NUMBER -> marksUpdates ? RowKind.UPDATE_AFTER : RowKind.INSERT;
                case UPDATE_DELETE_OPERATION_NUMBER -> marksUpdates ? RowKind.UPDATE_BEFORE : RowKind.DELETE;
                default -> throw new IllegalArgumentException("Unknown operation: " + TINYINT.getByte(operations, position));
            };
            if (RowKind.isAdd(kind.value()) == inserted) {
                kinds[count] = kind.value();
                count++;
            }
        }
        return Arrays.copyOf(kinds, count);
    }

    private void delete(Page deletions, byte[] kinds)
    {
        List<Block> oldColumns = getRowFieldsFromBlock(deletions.getBlock(columnCount));
        verify(oldColumns.size() == columnCount, "row id has %s fields, the table %s columns", oldColumns.size(), columnCount);
        writer.write(new Page(deletions.getPositionCount(), oldColumns.toArray(Block[]::new)), kinds).join();
    }

    @Override
    public CompletableFuture<Collection<Slice>> finish()
    {
        CompletableFuture<Collection<Slice>> result = writer.finish();
        CompletableFuture<?> _ = result.whenComplete((_, failure) -> {
            if (failure != null) {
                writer.abort();
            }
        });
        return result;
    }

    @Override
    public void abort()
    {
        writer.abort();
    }
}
