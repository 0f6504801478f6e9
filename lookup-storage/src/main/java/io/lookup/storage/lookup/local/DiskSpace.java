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
package io.lookup.storage.lookup.local;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The lookup files of this node by name, and the bytes that they and those being written take. The bound holds at any time: space is
 * reserved before bytes are written, and only files that nobody uses make way, least recently used first. A cache library would let
 * the bound be passed while files are in use. What it hands out
 * to be removed has left the books; the caller deletes it. A file that is still in use then takes its space until it is released. Thread-safe.
 */
final class DiskSpace
{
    private final long maxBytes;

    // least recently used first
    private final Map<String, LocalFile> files = new LinkedHashMap<>(16, 0.75f, true);
    private long usedBytes;

    DiskSpace(long maxBytes)
    {
        this.maxBytes = maxBytes;
    }

    /**
     * Takes a reference.
     */
    synchronized Optional<LocalFile> acquire(String name, long now)
    {
        LocalFile file = files.get(name);
        if (file == null) {
            return Optional.empty();
        }
        file.references++;
        file.lastAccessMillis = now;
        return Optional.of(file);
    }

    /**
     * Gives a reference back.
     *
     * @return whether it was the last one to a file that has left the books, which has to be closed now
     */
    synchronized boolean release(LocalFile file, long now)
    {
        file.references--;
        file.lastAccessMillis = now;
        if (file.references == 0 && file.dropped) {
            usedBytes -= file.size();
            return true;
        }
        return false;
    }

    /**
     * @param reserved whether the space of the file was reserved
     * @return the file of this name that it replaces, which has left the books
     */
    synchronized Optional<LocalFile> add(LocalFile file, boolean reserved)
    {
        if (!reserved) {
            usedBytes += file.size();
        }
        LocalFile old = files.put(file.name(), file);
        if (old != null) {
            retire(old);
        }
        return Optional.ofNullable(old);
    }

    synchronized boolean contains(String name)
    {
        return files.containsKey(name);
    }

    /**
     * Nobody gets a reference to the file any more.
     *
     * @return whether the file has left the books now
     */
    synchronized boolean drop(LocalFile file)
    {
        if (!files.remove(file.name(), file)) {
            return false;
        }
        retire(file);
        return true;
    }

    private void retire(LocalFile file)
    {
        file.dropped = true;
        if (file.references == 0) {
            usedBytes -= file.size();
        }
    }

    synchronized boolean isInUse(LocalFile file)
    {
        return file.references > 0;
    }

    synchronized List<LocalFile> find(Predicate<LocalFile> predicate)
    {
        return files.values().stream().filter(predicate).toList();
    }

    /**
     * Whether a file of this size could be written now.
     */
    synchronized boolean hasRoom(long bytes)
    {
        long removable = 0;
        for (LocalFile file : files.values()) {
            if (file.references == 0) {
                removable += file.size();
            }
        }
        return bytes <= maxBytes - (usedBytes - removable);
    }

    /**
     * @param evicted gets the files that have left the books
     * @return false if the files in use leave no room
     */
    synchronized boolean reserve(long bytes, Collection<LocalFile> evicted)
    {
        Iterator<LocalFile> candidates = files.values().iterator();
        while (bytes > maxBytes - usedBytes) {
            if (!candidates.hasNext()) {
                return false;
            }
            LocalFile file = candidates.next();
            if (file.references == 0) {
                candidates.remove();
                retire(file);
                evicted.add(file);
            }
        }
        usedBytes += bytes;
        return true;
    }

    synchronized void unreserve(long bytes)
    {
        usedBytes -= bytes;
    }

    /**
     * @return files that nobody has used since, which have left the books
     */
    synchronized List<LocalFile> expire(long lastAccessMillis)
    {
        List<LocalFile> expired = new ArrayList<>();
        files.values().removeIf(file -> {
            if (file.references > 0 || file.lastAccessMillis >= lastAccessMillis) {
                return false;
            }
            retire(file);
            expired.add(file);
            return true;
        });
        return expired;
    }

    synchronized long usedBytes()
    {
        return usedBytes;
    }

    synchronized int fileCount()
    {
        return files.size();
    }
}
