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

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.CoreOptions;
import io.lookup.storage.schema.TableSchema;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.file.CodecFactory;

import java.util.Locale;

import static java.lang.String.format;
import static java.util.Objects.requireNonNull;

/**
 * How a table wants its manifests written.
 *
 * @param targetSizeBytes size at which a further manifest is begun, and up to which small ones are merged
 * @param fullCompactionThresholdBytes total size of manifests to be rewritten at which all are merged
 * @param mergeMinCount number of small manifests at which they are merged whatever their size
 */
record ManifestSettings(long targetSizeBytes, long fullCompactionThresholdBytes, int mergeMinCount, CodecFactory codec)
{
    ManifestSettings
    {
        requireNonNull(codec, "codec is null");
    }

    static ManifestSettings of(TableSchema schema)
    {
        CoreOptions options = new CoreOptions(schema.options());
        return new ManifestSettings(
                options.manifestTargetSizeBytes(),
                options.manifestFullCompactionThresholdBytes(),
                options.manifestMergeMinCount(),
                codec(options.manifestCompression(), options.zstdLevel()));
    }

    private static CodecFactory codec(String name, int zstdLevel)
    {
        String codec = name.trim().toLowerCase(Locale.ROOT);
        try {
            return switch (codec) {
                case "zstd", "zstandard" -> CodecFactory.zstandardCodec(zstdLevel);
                case "none", "null" -> CodecFactory.nullCodec();
                default -> CodecFactory.fromString(codec);
            };
        }
        catch (AvroRuntimeException e) {
            throw new StorageException(StorageErrorCode.INVALID_OPTION, format("Option manifest.compression is '%s', expected zstd, snappy, deflate or none", name), e);
        }
    }
}
