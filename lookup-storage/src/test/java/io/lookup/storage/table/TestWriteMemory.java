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
package io.lookup.storage.table;

import com.google.common.collect.ImmutableList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Large statements in a heap of 1 GB. What they took is printed.
 */
final class TestWriteMemory
{
    @TempDir
    private Path directory;

    @Test
    void testManyBuckets()
            throws Exception
    {
        // in each run of the tests a smaller one
        boolean thorough = Boolean.getBoolean("lookup.thorough");
        assertThat(run(thorough ? "1g" : "256m", thorough ? 500 : 50, 8, thorough ? 4_000_000 : 200_000)).contains("rows " + (thorough ? 4_000_000 : 200_000) + ", ");
    }

    @Test
    @EnabledIfSystemProperty(named = "lookup.thorough", matches = "true")
    void testOneBucket()
            throws Exception
    {
        assertThat(run("1g", 1, 1, 20_000_000)).contains("rows 20000000, buckets written 1,");
    }

    private String run(String heap, int partitions, int buckets, long rows)
            throws Exception
    {
        List<String> command = ImmutableList.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heap,
                "-XX:+UseSerialGC",
                "--add-modules=jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                WriteMemoryRun.class.getName(),
                directory.toString(),
                String.valueOf(partitions),
                String.valueOf(buckets),
                String.valueOf(rows));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        System.out.println("%s partitions of %s buckets: %s".formatted(partitions, buckets, output.lines().reduce((_, last) -> last).orElse("")));
        assertThat(process.waitFor()).as(output).isEqualTo(0);
        return output;
    }
}
