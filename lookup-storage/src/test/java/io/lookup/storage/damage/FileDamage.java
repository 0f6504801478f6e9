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
package io.lookup.storage.damage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Damages a file in one of three ways: bytes of it, what its structures say, or all of it.
 */
public final class FileDamage
{
    private final Random random;

    public FileDamage(Random random)
    {
        this.random = random;
    }

    /**
     * @param others contents of files that could lie in its place
     */
    byte[] apply(DamagedKind kind, String name, byte[] content, List<byte[]> others)
    {
        return switch (random.nextInt(10)) {
            case 0 -> whole(content, others);
            case 1, 2, 3 -> new Damage(random).apply(content, kind.isText(), random.nextBoolean());
            default -> structure(kind, name, content);
        };
    }

    private byte[] structure(DamagedKind kind, String name, byte[] content)
    {
        try {
            if (kind.isText()) {
                return new JsonDamage(random).apply(content).orElseGet(() -> new Damage(random).apply(content, true, false));
            }
            if (kind.isManifest() || kind.isRows() && name.endsWith(".avro")) {
                return new AvroDamage(random).apply(content);
            }
            if (kind.isRows() && name.endsWith(".parquet")) {
                return new ParquetDamage(random).apply(content).orElseGet(() -> new Damage(random).apply(content, false, true));
            }
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Damage(random).apply(content, false, false);
    }

    /**
     * What crashes, copies and people do: it is cut, or there twice, or of zeros from somewhere on, or another one.
     */
    public byte[] whole(byte[] content, List<byte[]> others)
    {
        return switch (random.nextInt(6)) {
            case 0 -> Arrays.copyOf(content, random.nextInt(content.length));
            case 1 -> Arrays.copyOf(content, content.length - 1 - random.nextInt(Math.min(content.length, 32)));
            case 2 -> {
                byte[] twice = Arrays.copyOf(content, 2 * content.length);
                System.arraycopy(content, 0, twice, content.length, content.length);
                yield twice;
            }
            case 3 -> {
                byte[] zeros = content.clone();
                Arrays.fill(zeros, random.nextInt(zeros.length), zeros.length, (byte) 0);
                yield zeros;
            }
            case 4 -> Arrays.copyOf(content, content.length + 1 + random.nextInt(100));
            default -> others.get(random.nextInt(others.size()));
        };
    }
}
