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
package io.lookup.storage.damage;

import com.google.common.io.CountingInputStream;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.Util;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Damages the structures of a Parquet file and leaves them structures: footer, page headers, column and offset indexes, whose numbers become extreme, enumerations others,
 * members missing, lists longer, shorter and mixed.
 */
final class ParquetDamage
{
    private static final int TRAILER = 8;
    private static final long[] NUMBERS = {0, 1, -1, 2, 100, 65536, Integer.MAX_VALUE, Integer.MIN_VALUE, 1L << 32, Long.MAX_VALUE, Long.MIN_VALUE};

    private final Random random;

    ParquetDamage(Random random)
    {
        this.random = random;
    }

    /**
     * A place in a structure, which can have another value.
     */
    private interface Slot
    {
        Object get()
                throws IllegalAccessException;

        void set(Object value)
                throws IllegalAccessException;
    }

    private record FieldSlot(Object owner, Field field)
            implements Slot
    {
        @Override
        public Object get()
                throws IllegalAccessException
        {
            return field.get(owner);
        }

        @Override
        public void set(Object value)
                throws IllegalAccessException
        {
            field.set(owner, value);
        }
    }

    private record ElementSlot(List<Object> list, int index)
            implements Slot
    {
        @Override
        public Object get()
        {
            return list.get(index);
        }

        @Override
        public void set(Object value)
        {
            list.set(index, value);
        }
    }

    private interface Writer
    {
        void write(ByteArrayOutputStream output)
                throws IOException;
    }

    /**
     * @return empty if what came of it cannot be written
     */
    Optional<byte[]> apply(byte[] content)
            throws IOException
    {
        int footerStart = footerStart(content);
        FileMetaData footer = footer(content);
        if (random.nextBoolean()) {
            damage(footer);
            return written(output -> Util.writeFileMetaData(footer, output)).map(bytes -> withFooter(Arrays.copyOf(content, footerStart), bytes));
        }
        RowGroup group = footer.getRow_groups().get(random.nextInt(footer.getRow_groupsSize()));
        ColumnChunk chunk = group.getColumns().get(random.nextInt(group.getColumnsSize()));
        if (random.nextInt(3) == 0 && chunk.isSetOffset_index_offset()) {
            return damageIndex(content, footerStart, footer, chunk);
        }
        return damagePageHeader(content, footerStart, footer, chunk.getMeta_data());
    }

    private Optional<byte[]> damageIndex(byte[] content, int footerStart, FileMetaData footer, ColumnChunk chunk)
            throws IOException
    {
        // what is written anew goes behind everything else
        boolean offsets = !chunk.isSetColumn_index_offset() || random.nextBoolean();
        Object index = offsets ?
                Util.readOffsetIndex(input(content, chunk.getOffset_index_offset())) :
                Util.readColumnIndex(input(content, chunk.getColumn_index_offset()));
        damage(index);
        return written(output -> {
            if (offsets) {
                Util.writeOffsetIndex((org.apache.parquet.format.OffsetIndex) index, output);
                return;
            }
            Util.writeColumnIndex((org.apache.parquet.format.ColumnIndex) index, output);
        }).flatMap(bytes -> {
            if (offsets) {
                chunk.setOffset_index_offset(footerStart);
                chunk.setOffset_index_length(bytes.length);
            }
            else {
                chunk.setColumn_index_offset(footerStart);
                chunk.setColumn_index_length(bytes.length);
            }
            return written(output -> Util.writeFileMetaData(footer, output)).map(newFooter -> withFooter(concat(Arrays.copyOf(content, footerStart), bytes), newFooter));
        });
    }

    private Optional<byte[]> damagePageHeader(byte[] content, int footerStart, FileMetaData footer, ColumnMetaData column)
            throws IOException
    {
        List<Long> positions = pages(content, column);
        return withPage(content, footerStart, footer, column, positions.get(random.nextInt(positions.size())), this::damage);
    }

    /**
     * @return the file once for each of its pages, with another header there
     */
    static List<byte[]> editPages(byte[] content, Consumer<PageHeader> edit)
            throws IOException
    {
        List<byte[]> edited = new ArrayList<>();
        int columns = footer(content).getRow_groups().getFirst().getColumnsSize();
        for (int column = 0; column < columns; column++) {
            for (long position : pages(content, footer(content).getRow_groups().getFirst().getColumns().get(column).getMeta_data())) {
                FileMetaData footer = footer(content);
                withPage(content, footerStart(content), footer, footer.getRow_groups().getFirst().getColumns().get(column).getMeta_data(), position, edit).ifPresent(edited::add);
            }
        }
        return edited;
    }

    static byte[] editFooter(byte[] content, Consumer<FileMetaData> edit)
            throws IOException
    {
        FileMetaData footer = footer(content);
        edit.accept(footer);
        return withFooter(Arrays.copyOf(content, footerStart(content)), written(output -> Util.writeFileMetaData(footer, output)).orElseThrow());
    }

    private static List<Long> pages(byte[] content, ColumnMetaData column)
            throws IOException
    {
        long start = start(column);
        List<Long> positions = new ArrayList<>();
        for (long position = start; position < start + column.getTotal_compressed_size(); ) {
            CountingInputStream input = new CountingInputStream(input(content, position));
            PageHeader header = Util.readPageHeader(input);
            positions.add(position);
            position += input.getCount() + header.getCompressed_page_size();
        }
        return positions;
    }

    private static long start(ColumnMetaData column)
    {
        return column.isSetDictionary_page_offset() && column.getDictionary_page_offset() > 0 ? Math.min(column.getDictionary_page_offset(), column.getData_page_offset()) : column.getData_page_offset();
    }

    /**
     * A column whose pages lie anew behind everything else, one of them under another header.
     */
    private static Optional<byte[]> withPage(byte[] content, int footerStart, FileMetaData footer, ColumnMetaData column, long position, Consumer<PageHeader> edit)
            throws IOException
    {
        long start = start(column);
        long end = start + column.getTotal_compressed_size();
        CountingInputStream input = new CountingInputStream(input(content, position));
        PageHeader header = Util.readPageHeader(input);
        edit.accept(header);
        return written(output -> Util.writePageHeader(header, output)).flatMap(bytes -> {
            byte[] head = Arrays.copyOfRange(content, (int) start, (int) position);
            byte[] tail = Arrays.copyOfRange(content, (int) (position + input.getCount()), (int) end);
            byte[] pages = concat(concat(head, bytes), tail);
            long shift = footerStart - start;
            if (column.isSetDictionary_page_offset()) {
                column.setDictionary_page_offset(column.getDictionary_page_offset() + shift);
            }
            long dataShift = position < column.getData_page_offset() ? shift + pages.length - (end - start) : shift;
            column.setData_page_offset(column.getData_page_offset() + dataShift);
            column.setTotal_compressed_size(pages.length);
            return written(output -> Util.writeFileMetaData(footer, output)).map(newFooter -> withFooter(concat(Arrays.copyOf(content, footerStart), pages), newFooter));
        });
    }

    private static int footerStart(byte[] content)
    {
        return content.length - TRAILER - ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN).getInt(content.length - TRAILER);
    }

    private static FileMetaData footer(byte[] content)
            throws IOException
    {
        return Util.readFileMetaData(input(content, footerStart(content)));
    }

    private static InputStream input(byte[] content, long position)
    {
        return new ByteArrayInputStream(content, (int) position, content.length - (int) position);
    }

    private void damage(Object structure)
    {
        int steps = random.nextInt(4) == 0 ? 1 + random.nextInt(4) : 1;
        for (int step = 0; step < steps; step++) {
            List<Slot> slots = new ArrayList<>();
            try {
                collect(structure, slots, new IdentityHashMap<>());
                damage(slots.get(random.nextInt(slots.size())), slots);
            }
            catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static void collect(Object structure, List<Slot> slots, Map<Object, Boolean> seen)
            throws IllegalAccessException
    {
        if (structure == null || seen.put(structure, true) != null) {
            return;
        }
        if (structure instanceof List<?> list) {
            for (int index = 0; index < list.size(); index++) {
                slots.add(new ElementSlot((List<Object>) list, index));
                collect(list.get(index), slots, seen);
            }
            return;
        }
        if (!structure.getClass().getName().startsWith("org.apache.parquet.format.") || structure instanceof Enum<?>) {
            return;
        }
        for (Field field : structure.getClass().getFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                slots.add(new FieldSlot(structure, field));
                collect(field.get(structure), slots, seen);
            }
        }
    }

    @SuppressWarnings("unchecked")
    private void damage(Slot slot, List<Slot> slots)
            throws IllegalAccessException
    {
        switch (slot.get()) {
            case Long value -> slot.set(random.nextBoolean() ? NUMBERS[random.nextInt(NUMBERS.length)] : value + random.nextInt(5) - 2);
            case Integer value -> slot.set(random.nextBoolean() ? (int) NUMBERS[random.nextInt(NUMBERS.length)] : value + random.nextInt(5) - 2);
            case Short _ -> slot.set((short) NUMBERS[random.nextInt(NUMBERS.length)]);
            case Byte _ -> slot.set((byte) random.nextInt(256));
            case Boolean value -> slot.set(!value);
            case String value -> slot.set(random.nextBoolean() ? "" : value + "x");
            case ByteBuffer value -> {
                byte[] bytes = new byte[value.remaining()];
                value.duplicate().get(bytes);
                slot.set(ByteBuffer.wrap(new Damage(random).apply(bytes, false, false)));
            }
            case byte[] value -> slot.set(new Damage(random).apply(value, false, false));
            case Enum<?> value -> {
                Object[] constants = value.getDeclaringClass().getEnumConstants();
                slot.set(constants[random.nextInt(constants.length)]);
            }
            case List<?> value -> damage((List<Object>) value);
            case null, default -> {
                // missing, or that of another place
                Object other = slots.get(random.nextInt(slots.size())).get();
                Object value = slot.get();
                slot.set(value != null && other != null && other.getClass() == value.getClass() ? other : null);
            }
        }
    }

    private void damage(List<Object> list)
    {
        if (list.isEmpty()) {
            return;
        }
        int index = random.nextInt(list.size());
        switch (random.nextInt(5)) {
            case 0 -> list.remove(index);
            case 1 -> list.clear();
            case 2 -> list.add(list.get(index));
            case 3 -> {
                Object element = list.get(index);
                int times = 1 << random.nextInt(10);
                for (int time = 0; time < times; time++) {
                    list.add(element);
                }
            }
            default -> {
                int other = random.nextInt(list.size());
                Object element = list.get(index);
                list.set(index, list.get(other));
                list.set(other, element);
            }
        }
    }

    private static Optional<byte[]> written(Writer writer)
    {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        try {
            writer.write(output);
        }
        catch (IOException | RuntimeException e) {
            // something is missing that must be there
            return Optional.empty();
        }
        return Optional.of(output.toByteArray());
    }

    private static byte[] withFooter(byte[] body, byte[] footer)
    {
        ByteBuffer trailer = ByteBuffer.allocate(TRAILER).order(ByteOrder.LITTLE_ENDIAN).putInt(footer.length).put("PAR1".getBytes(UTF_8));
        return concat(concat(body, footer), trailer.array());
    }

    private static byte[] concat(byte[] first, byte[] second)
    {
        byte[] result = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, result, first.length, second.length);
        return result;
    }
}
