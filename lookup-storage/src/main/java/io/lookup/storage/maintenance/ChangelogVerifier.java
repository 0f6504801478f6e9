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
package io.lookup.storage.maintenance;

import com.google.common.collect.ImmutableList;
import com.google.common.io.Closer;
import io.lookup.storage.changelog.RowEquality;
import io.lookup.storage.format.PageStream;
import io.lookup.storage.format.keyvalue.EncodedKeys;
import io.lookup.storage.format.keyvalue.KeyEncoder;
import io.lookup.storage.format.keyvalue.KeyValueLayout;
import io.lookup.storage.format.row.RowKind;
import io.lookup.storage.maintenance.VerificationSplit.Step;
import io.lookup.storage.scan.ChangeReader;
import io.lookup.storage.scan.ChangeSplit;
import io.lookup.storage.scan.ConcatenatedPageStream;
import io.lookup.storage.scan.SplitReaderFactory;
import io.lookup.storage.scan.TableSplit;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.TableSchema;
import io.trino.spi.Page;
import io.trino.spi.predicate.TupleDomain;

import java.io.IOException;
import java.util.List;

import static io.trino.spi.type.TinyintType.TINYINT;
import static java.util.Objects.requireNonNull;

/**
 * Replays one split's changelog key by key, in one merge of all that the split names, and tells of each contradiction: a record that does
 * not fit the row that was there, and a row that is not what the records before it make of it.
 * <p>
 * Columns of {@code changelog-producer.row-deduplicate-ignore-fields} are not compared: their changes alone are not logged.
 * <p>
 * Pages have the columns of {@link ContradictionRows}. A page may be empty, so that a long merge can be left between pages.
 */
final class ChangelogVerifier
        implements PageStream
{
    private static final int KEYS_PER_PAGE = 65_536;

    private final KeyValueLayout layout;
    private final RowEquality equality;
    private final ContradictionRows contradictions;
    private final Closer closer = Closer.create();
    private final ImmutableList<Source> sources;
    private final SourceQueue queue;
    private boolean opened;

    // the row that the replay has arrived at, for the key at hand
    private Page currentPage;
    private int currentPosition;
    private long updatedInSnapshot;

    ChangelogVerifier(VerificationSplit split, TableSchema schema, CoreOptions options, SplitReaderFactory stateReaders, ChangeReader changeReader)
    {
        requireNonNull(split, "split is null");
        this.layout = KeyValueLayout.ofTable(schema, options);
        this.equality = new RowEquality(layout, options.changelogRowDeduplicateIgnoreFields());
        this.contradictions = new ContradictionRows(schema, layout, split.partition(), split.bucket());
        KeyEncoder keyEncoder = KeyEncoder.forKeys(layout.keyTypes());
        ImmutableList.Builder<Source> sources = ImmutableList.builder();
        int order = 0;
        sources.add(stateSource(split.before(), order, SourceKind.BEFORE, split.afterSnapshotId(), stateReaders, keyEncoder));
        for (Step step : split.steps()) {
            order++;
            for (ChangeSplit changes : step.changes()) {
                sources.add(changeSource(changes, order, SourceKind.CHANGES, changeReader, keyEncoder));
            }
            order++;
            for (ChangeSplit written : step.written()) {
                sources.add(changeSource(written, order, SourceKind.WRITTEN, changeReader, keyEncoder));
            }
        }
        sources.add(stateSource(split.after(), order + 1, SourceKind.AFTER, split.afterSnapshotId(), stateReaders, keyEncoder));
        this.sources = sources.build();
        this.queue = new SourceQueue(this.sources.size());
    }

    private enum SourceKind
    {
        /** the state that the replay begins with */
        BEFORE,
        /** what a snapshot logged */
        CHANGES,
        /** states of single keys as of a snapshot */
        WRITTEN,
        /** the state that the replay must end with */
        AFTER,
        /**/
    }

    private static final class Source
    {
        private final KeyedCursor cursor;
        private final int order;
        private final SourceKind kind;
        private final long snapshotId;

        private Source(KeyedCursor cursor, int order, SourceKind kind, long snapshotId)
        {
            this.cursor = cursor;
            this.order = order;
            this.kind = kind;
            this.snapshotId = snapshotId;
        }

        private boolean isBefore(Source other)
        {
            int result = cursor.compareKey(other.cursor);
            return result == 0 ? order < other.order : result < 0;
        }
    }

    /**
     * A heap whose first source moves on in its place: of many sources few have most of the keys, and these stay near the top.
     */
    private static final class SourceQueue
    {
        private final Source[] heap;
        private int size;

        private SourceQueue(int capacity)
        {
            this.heap = new Source[capacity];
        }

        private boolean isEmpty()
        {
            return size == 0;
        }

        private Source first()
        {
            return heap[0];
        }

        private void add(Source source)
        {
            int index = size;
            size++;
            while (index > 0 && source.isBefore(heap[(index - 1) / 2])) {
                heap[index] = heap[(index - 1) / 2];
                index = (index - 1) / 2;
            }
            heap[index] = source;
        }

        private void advanceFirst()
                throws IOException
        {
            Source moved = heap[0];
            if (!moved.cursor.advance()) {
                size--;
                moved = heap[size];
                heap[size] = null;
                if (size == 0) {
                    return;
                }
            }
            int index = 0;
            for (int child = 1; child < size; child = 2 * index + 1) {
                if (child + 1 < size && heap[child + 1].isBefore(heap[child])) {
                    child++;
                }
                if (!heap[child].isBefore(moved)) {
                    break;
                }
                heap[index] = heap[child];
                index = child;
            }
            heap[index] = moved;
        }
    }

    private Source stateSource(List<TableSplit> splits, int order, SourceKind kind, long snapshotId, SplitReaderFactory readers, KeyEncoder keyEncoder)
    {
        PageStream pages = new ConcatenatedPageStream(splits.stream()
                .map(split -> (ConcatenatedPageStream.Source) () -> readers.openSorted(split, layout.columns()))
                .iterator());
        return new Source(
                closer.register(new KeyedCursor(pages, keyEncoder, layout.keyChannelArray(), () -> "the state of snapshot " + splits.getFirst().snapshotId())),
                order,
                kind,
                snapshotId);
    }

    private Source changeSource(ChangeSplit split, int order, SourceKind kind, ChangeReader reader, KeyEncoder keyEncoder)
    {
        PageStream pages = reader.open(split, layout.columns(), TupleDomain.all(), true);
        return new Source(
                closer.register(new KeyedCursor(pages, keyEncoder, layout.keyChannelArray(), () -> "files " + split.files())),
                order,
                kind,
                split.snapshotId());
    }

    @Override
    public Page nextPage()
            throws IOException
    {
        if (!opened) {
            opened = true;
            for (Source source : sources) {
                if (source.cursor.advance()) {
                    queue.add(source);
                }
            }
        }
        if (queue.isEmpty()) {
            return null;
        }
        for (int keys = 0; keys < KEYS_PER_PAGE && !queue.isEmpty() && !contradictions.isFull(); keys++) {
            verifyKey();
        }
        return contradictions.takePage();
    }

    private void verifyKey()
            throws IOException
    {
        Source source = queue.first();
        long prefix = source.cursor.prefix();
        EncodedKeys keys = source.cursor.keys();
        int keyPosition = source.cursor.position();
        Page keyPage = source.cursor.page();
        currentPage = null;
        updatedInSnapshot = 0;
        boolean foundAfter = false;
        do {
            Page page = source.cursor.page();
            int position = source.cursor.position();
            switch (source.kind) {
                case BEFORE -> setCurrent(page, position);
                case CHANGES -> replay(source, page, position);
                case WRITTEN -> compare(source.snapshotId, page, position, isAdd(page, position));
                case AFTER -> {
                    foundAfter = true;
                    compare(source.snapshotId, page, position, true);
                }
            }
            queue.advanceFirst();
            source = queue.first();
        }
        while (!queue.isEmpty() && source.cursor.keyEquals(prefix, keys, keyPosition));
        if (!foundAfter && currentPage != null) {
            contradictions.add(sources.getLast().snapshotId, keyPage, keyPosition, null, contradictions.row(currentPage, currentPosition));
        }
    }

    private void replay(Source source, Page page, int position)
    {
        RowKind kind = RowKind.fromValue(TINYINT.getByte(page.getBlock(layout.kindChannel()), position));
        boolean fits = switch (kind) {
            case INSERT -> currentPage == null;
            case UPDATE_BEFORE, DELETE -> isCurrent(page, position);
            case UPDATE_AFTER -> updatedInSnapshot == source.snapshotId;
        };
        if (!fits) {
            contradictions.add(
                    source.snapshotId,
                    page,
                    position,
                    currentPage == null ? null : contradictions.row(currentPage, currentPosition),
                    contradictions.record(kind, page, position));
        }
        // the log is believed from here on, so that one wrong record makes one contradiction
        if (kind.isAdd()) {
            setCurrent(page, position);
        }
        else {
            currentPage = null;
        }
        updatedInSnapshot = kind == RowKind.UPDATE_BEFORE ? source.snapshotId : 0;
    }

    /**
     * @param present whether the key has a row; if not, the page's row says its key only
     */
    private void compare(long snapshotId, Page page, int position, boolean present)
    {
        if (present ? isCurrent(page, position) : currentPage == null) {
            return;
        }
        contradictions.add(
                snapshotId,
                page,
                position,
                present ? contradictions.row(page, position) : null,
                currentPage == null ? null : contradictions.row(currentPage, currentPosition));
        if (present) {
            setCurrent(page, position);
        }
        else {
            currentPage = null;
        }
    }

    private boolean isCurrent(Page page, int position)
    {
        return currentPage != null && equality.equal(currentPage, currentPosition, page, position);
    }

    private boolean isAdd(Page page, int position)
    {
        return RowKind.isAdd(TINYINT.getByte(page.getBlock(layout.kindChannel()), position));
    }

    private void setCurrent(Page page, int position)
    {
        currentPage = page;
        currentPosition = position;
    }

    @Override
    public long memoryUsage()
    {
        return contradictions.memoryUsage() + sources.stream().mapToLong(source -> source.cursor.memoryUsage()).sum();
    }

    @Override
    public void close()
            throws IOException
    {
        closer.close();
    }
}
