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
package io.lookup.storage.format;

import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import org.apache.hadoop.fs.Path;

import java.net.URI;

import static com.google.common.base.Preconditions.checkArgument;
import static java.lang.String.format;

/**
 * What metadata may say about where files lie. Names come from files that anybody with access to the warehouse could have written, and
 * the files that they name are read and, once they expire, deleted: a name must not lead out of its folder.
 */
public final class StoredNames
{
    private static final String FORBIDDEN = "/\\:";

    private StoredNames() {}

    /**
     * @return the name
     * @throws IllegalArgumentException if it is not the name of one file in a folder
     */
    public static String checkFileName(String name)
    {
        checkArgument(
                !name.isBlank() && !name.equals(".") && !name.equals("..")
                        && name.chars().noneMatch(character -> FORBIDDEN.indexOf(character) >= 0 || Character.isISOControl(character)),
                "'%s' is not the name of a file: it must not be blank, lead to another folder, or contain / \\ : or control characters", name);
        return name;
    }

    /**
     * @return the path
     * @throws IllegalArgumentException unless it is the absolute path of a file and has no way up
     */
    public static String checkExternalPath(String path)
    {
        checkArgument(
                !path.endsWith("/") && (path.startsWith("/") || path.contains(":/")) && hasNoWayUp(path),
                "'%s' is not the absolute path of a file, without steps upwards", path);
        return path;
    }

    /**
     * A file that lies outside its table.
     *
     * @param root of the table
     * @throws StorageException CORRUPT_FILE if it is no path, or one of this machine although the table is elsewhere
     */
    public static Path external(Path root, String path)
    {
        Path external;
        try {
            external = new Path(path);
        }
        catch (IllegalArgumentException e) {
            throw new StorageException(StorageErrorCode.CORRUPT_FILE, format("Table %s refers to a file outside of it whose path '%s' is none: %s", root, path, e.getMessage()), e);
        }
        if (!external.isAbsolute() || !hasNoWayUp(path) || isLocal(external.toUri()) && !isLocal(root.toUri())) {
            throw new StorageException(
                    StorageErrorCode.CORRUPT_FILE,
                    format("Table %s refers to '%s', which is refused: a file outside of its table must have an absolute path without steps upwards, and must not lie on the machine that reads it", root, path));
        }
        return external;
    }

    /**
     * A folder below the table's that an option names.
     *
     * @throws StorageException INVALID_OPTION if it is not below
     */
    static Path below(Path root, String option, String directory)
    {
        if (directory.startsWith("/") || directory.contains(":") || !hasNoWayUp(directory)) {
            throw new StorageException(StorageErrorCode.INVALID_OPTION, format("Option %s of table %s is '%s', which is not a folder below the table's", option, root, directory));
        }
        return new Path(root, directory);
    }

    private static boolean hasNoWayUp(String path)
    {
        return !("/" + path + "/").contains("/../");
    }

    private static boolean isLocal(URI uri)
    {
        return uri.getScheme() == null || uri.getScheme().equals("file");
    }
}
