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
package io.lookup.trino;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the sources lie that a test is a part of.
 */
public final class Repository
{
    private Repository() {}

    /**
     * The root of the repository, whichever of its folders the tests run in.
     */
    public static Path root()
    {
        Path start = Path.of("").toAbsolutePath();
        for (Path folder = start; folder != null; folder = folder.getParent()) {
            if (Files.exists(folder.resolve("bin/lib/laboratory.sql"))) {
                return folder;
            }
        }
        throw new IllegalStateException("The tests must run inside the repository, not in " + start);
    }
}
