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
package io.lookup.storage.lookup;

import java.io.Closeable;
import java.io.IOException;

/**
 * Finds keys in one data file.
 */
public interface FileLookup
        extends Closeable
{
    /**
     * Sets a hit for each probe in [from, to) that has none yet and whose key the file holds. Probes ascend within a
     * call and from call to call.
     */
    void probe(ProbeKeys probes, int from, int to, LookupHits hits)
            throws IOException;
}
