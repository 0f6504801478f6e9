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
package io.lookup.storage.format.reader;

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import org.apache.hadoop.fs.Path;

/**
 * Formats of data and changelog files.
 */
enum FileFormat
{
    PARQUET,
    ORC,
    AVRO,
    /**/;

    /**
     * @throws StorageException UNSUPPORTED_FEATURE for another one
     */
    static FileFormat of(Path path)
    {
        String name = path.getName();
        String extension = name.substring(name.lastIndexOf('.') + 1);
        return switch (extension) {
            case "parquet" -> PARQUET;
            case "orc" -> ORC;
            case "avro" -> AVRO;
            default -> throw new StorageException(
                    StorageErrorCode.UNSUPPORTED_FEATURE,
                    "File %s has format '%s', which cannot be read: compact the table with 'file.format' = 'parquet' in a program that reads it".formatted(path, extension));
        };
    }
}
