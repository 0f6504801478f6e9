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
package io.lookup.trino.server;

import com.google.common.collect.ImmutableMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import static com.google.common.collect.ImmutableMap.toImmutableMap;

/**
 * Many writers on the local disk and on S3, both at a time.
 */
final class TestSoak
{
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void testLocal(@TempDir Path folder)
            throws Exception
    {
        Path warehouse = folder.resolve("warehouse");
        new SoakRun(folder, warehouse.toString(), warehouse, ImmutableMap.of()).run();
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void testS3(@TempDir Path folder)
            throws Exception
    {
        try (S3ProxyProcess s3 = S3ProxyProcess.start(Files.createDirectories(folder.resolve("s3")), false)) {
            Map<String, String> properties = s3.hadoopProperties().entrySet().stream()
                    .collect(toImmutableMap(entry -> "hadoop." + entry.getKey(), Map.Entry::getValue));
            // the store keeps objects as files of the same names
            new SoakRun(folder, s3.warehouse(), folder.resolve("s3/objects/lake/warehouse"), properties).run();
        }
    }
}
