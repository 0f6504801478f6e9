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
package io.lookup.storage.versions;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

import static java.util.Objects.requireNonNull;

/**
 * The tables that other versions of Paimon wrote.
 */
public final class VersionFiles
{
    /**
     * Those that {@link NewerVersionTables} made.
     */
    public static final String NEWER = "2.1-5dacde5-newer";

    private VersionFiles() {}

    /**
     * @param name of a file in {@code paimon-versions}, without its ending
     * @param folder of a database
     */
    public static void unpack(String name, Path folder)
            throws Exception
    {
        try (InputStream file = requireNonNull(VersionFiles.class.getResourceAsStream("/paimon-versions/" + name + ".zip"), name);
                ZipInputStream zip = new ZipInputStream(file)) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Path path = folder.resolve(entry.getName());
                if (entry.isDirectory()) {
                    Files.createDirectories(path);
                }
                else {
                    Files.createDirectories(path.getParent());
                    Files.copy(zip, path);
                }
            }
        }
    }
}
