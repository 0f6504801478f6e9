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
package io.lookup.storage.filesystem;

import org.apache.hadoop.fs.Path;

/**
 * What the folders of tables say.
 */
public final class TableFolders
{
    private static final String SCHEMA_SUFFIX = ".db";

    private TableFolders() {}

    /**
     * What errors call the table of a folder: its name in SQL if it lies where a warehouse keeps tables and their branches, else the folder.
     */
    public static String tableName(Path root)
    {
        Path folder = root.getParent();
        if (folder == null || folder.getParent() == null) {
            return root.toString();
        }
        if (folder.getName().equals("branch") && root.getName().startsWith("branch-")) {
            return tableName(folder.getParent()) + "$" + root.getName().replaceFirst("-", "_");
        }
        String schema = folder.getName();
        return schema.endsWith(SCHEMA_SUFFIX) ? schema.substring(0, schema.length() - SCHEMA_SUFFIX.length()) + "." + root.getName() : root.toString();
    }
}
