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
package io.lookup.storage.scan;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.scan.TableSplit.Section;

import java.util.ArrayList;
import java.util.List;

/**
 * Packs neighbouring sections into splits of about the target size. A section is never cut.
 */
final class SplitPacking
{
    private SplitPacking() {}

    /**
     * @param openFileCost bytes that every file weighs at least
     */
    static List<List<Section>> pack(List<Section> sections, long targetSize, long openFileCost)
    {
        ImmutableList.Builder<List<Section>> packs = ImmutableList.builder();
        List<Section> pack = new ArrayList<>();
        long packWeight = 0;
        for (Section section : sections) {
            long weight = section.files().mapToLong(file -> Math.max(file.fileSize(), openFileCost)).sum();
            if (!pack.isEmpty() && packWeight + weight > targetSize) {
                packs.add(ImmutableList.copyOf(pack));
                pack.clear();
                packWeight = 0;
            }
            pack.add(section);
            packWeight += weight;
        }
        if (!pack.isEmpty()) {
            packs.add(ImmutableList.copyOf(pack));
        }
        return packs.build();
    }
}
