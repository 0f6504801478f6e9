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
package io.lookup.storage.format.manifest;

import com.google.common.collect.ImmutableList;
import com.google.common.io.CountingOutputStream;
import io.lookup.storage.schema.DataType;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.io.DatumWriter;
import org.apache.avro.io.Encoder;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/**
 * Writes entries to as many manifests as their size asks for, none if there are no entries. Not thread-safe.
 */
final class ManifestWriter
{
    interface FileFactory
    {
        OutputStream create(String fileName)
                throws IOException;
    }

    interface FileNames
    {
        String next();
    }

    private final FileFactory files;
    private final FileNames names;
    private final List<DataType> partitionTypes;
    private final ManifestSettings settings;
    private final AvroFileCodec<ManifestEntry> codec = new ManifestEntryCodec();
    private final List<ManifestFileMeta> written = new ArrayList<>();
    private final List<String> created = new ArrayList<>();
    private OpenManifest current;

    ManifestWriter(FileFactory files, FileNames names, List<DataType> partitionTypes, ManifestSettings settings)
    {
        this.files = requireNonNull(files, "files is null");
        this.names = requireNonNull(names, "names is null");
        this.partitionTypes = ImmutableList.copyOf(partitionTypes);
        this.settings = requireNonNull(settings, "settings is null");
    }

    void add(ManifestEntry entry)
            throws IOException
    {
        if (current == null) {
            String name = names.next();
            created.add(name);
            current = new OpenManifest(name);
        }
        current.add(entry);
        if (current.output.getCount() >= settings.targetSizeBytes()) {
            finishCurrent();
        }
    }

    /**
     * @return what was written, in the order of the entries
     */
    List<ManifestFileMeta> finish()
            throws IOException
    {
        if (current != null) {
            finishCurrent();
        }
        return ImmutableList.copyOf(written);
    }

    /**
     * Gives up what is open.
     *
     * @return names of all files that may exist
     */
    List<String> abort()
    {
        if (current != null) {
            // the writer would write what is left, and not close the output if that fails
            closeQuietly(current.output);
            current = null;
        }
        return ImmutableList.copyOf(created);
    }

    private static void closeQuietly(OutputStream output)
    {
        try {
            output.close();
        }
        catch (IOException | RuntimeException _) {
            // the file is of no use anyway
        }
    }

    private void finishCurrent()
            throws IOException
    {
        OpenManifest finished = current;
        finished.writer.close();
        current = null;
        written.add(finished.meta());
    }

    static <T> DataFileWriter<T> open(AvroFileCodec<T> codec, CodecFactory compression, OutputStream output)
            throws IOException
    {
        DataFileWriter<T> writer = new DataFileWriter<>(new ObjectWriter<>(codec));
        writer.setCodec(compression);
        return writer.create(codec.schema(), output);
    }

    private record ObjectWriter<T>(AvroFileCodec<T> codec)
            implements DatumWriter<T>
    {
        @Override
        public void setSchema(Schema schema) {}

        @Override
        public void write(T object, Encoder encoder)
                throws IOException
        {
            codec.encode(object, encoder);
        }
    }

    private final class OpenManifest
    {
        private final String fileName;
        private final CountingOutputStream output;
        private final DataFileWriter<ManifestEntry> writer;
        private final PartitionStatistics partitionStatistics = new PartitionStatistics(partitionTypes);
        private long addedFiles;
        private long deletedFiles;
        private long schemaId = Long.MIN_VALUE;
        private int minBucket = Integer.MAX_VALUE;
        private int maxBucket = Integer.MIN_VALUE;
        private int minLevel = Integer.MAX_VALUE;
        private int maxLevel = Integer.MIN_VALUE;
        private boolean allHaveRowIds = true;
        private long minRowId = Long.MAX_VALUE;
        private long maxRowId = Long.MIN_VALUE;

        OpenManifest(String fileName)
                throws IOException
        {
            this.fileName = fileName;
            this.output = new CountingOutputStream(files.create(fileName));
            try {
                this.writer = open(codec, settings.codec(), output);
            }
            catch (IOException | RuntimeException e) {
                // the header was not written
                closeQuietly(output);
                throw e;
            }
        }

        void add(ManifestEntry entry)
                throws IOException
        {
            writer.append(entry);
            switch (entry.kind()) {
                case ADD -> addedFiles++;
                case DELETE -> deletedFiles++;
            }
            DataFileMeta file = entry.file();
            schemaId = Math.max(schemaId, file.schemaId());
            minBucket = Math.min(minBucket, entry.bucket());
            maxBucket = Math.max(maxBucket, entry.bucket());
            minLevel = Math.min(minLevel, file.level());
            maxLevel = Math.max(maxLevel, file.level());
            if (file.firstRowId().isPresent()) {
                minRowId = Math.min(minRowId, file.firstRowId().getAsLong());
                maxRowId = Math.max(maxRowId, file.firstRowId().getAsLong() + file.rowCount() - 1);
            }
            else {
                allHaveRowIds = false;
            }
            partitionStatistics.add(entry.partition());
        }

        ManifestFileMeta meta()
        {
            return new ManifestFileMeta(
                    fileName,
                    output.getCount(),
                    addedFiles,
                    deletedFiles,
                    partitionStatistics.build(),
                    schemaId,
                    OptionalInt.of(minBucket),
                    OptionalInt.of(maxBucket),
                    OptionalInt.of(minLevel),
                    OptionalInt.of(maxLevel),
                    allHaveRowIds ? OptionalLong.of(minRowId) : OptionalLong.empty(),
                    allHaveRowIds ? OptionalLong.of(maxRowId) : OptionalLong.empty());
        }
    }
}
