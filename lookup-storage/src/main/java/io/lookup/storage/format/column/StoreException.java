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
package io.lookup.storage.format.column;

import java.io.IOException;

/**
 * The store failed, and not the parsing of what it gave: readers of files report damage by plain IOExceptions.
 */
public final class StoreException
        extends IOException
{
    public StoreException(IOException cause)
    {
        super(cause.getMessage(), cause);
    }
}
