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

import com.google.common.collect.ImmutableSet;
import io.trino.spi.classloader.ThreadContextClassLoader;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Builds the Hadoop configuration of a warehouse.
 */
public final class HadoopConfigurations
{
    private static final Set<String> DEFAULTS = ImmutableSet.of("core-default.xml", "hdfs-default.xml");
    private static final String S3_STREAM_TYPE = "fs.s3a.input.stream.type";
    // names of files are new or meant to be replaced, so none needs to be looked for before it is written, nor a folder of its name
    private static final String S3_CREATE_PERFORMANCE = "fs.s3a.create.performance";
    // a file is closed only once the name node has heard of its last block, which comes at the same time: HDFS's first wait of 400 ms is most of what
    // a commit takes. Waits double, so that these are longer than the usual ones in the end
    private static final String HDFS_FIRST_WAIT = "dfs.client.block.write.locateFollowingBlock.initial.delay.ms";
    private static final String HDFS_WAITS = "dfs.client.block.write.locateFollowingBlock.retries";

    private HadoopConfigurations() {}

    /**
     * @param properties Hadoop properties by their Hadoop names; they win over the files
     * @param files paths of local Hadoop XML files, later ones win over earlier ones
     * @throws IllegalArgumentException if a file cannot be read or is not a Hadoop configuration
     */
    public static Configuration create(Map<String, String> properties, List<String> files)
    {
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(HadoopConfigurations.class.getClassLoader())) {
            Configuration configuration = new Configuration();
            // without this Hadoop would look its classes up in whatever loader the calling thread carries
            configuration.setClassLoader(HadoopConfigurations.class.getClassLoader());
            for (String file : files) {
                java.nio.file.Path path = java.nio.file.Path.of(file);
                if (!Files.isReadable(path) || Files.isDirectory(path)) {
                    throw new IllegalArgumentException("Hadoop configuration file %s does not exist or cannot be read".formatted(file));
                }
                configuration.addResource(new Path(path.toUri()));
                load(configuration, file);
            }
            properties.forEach(configuration::set);
            useClassicS3Streams(configuration);
            setUnlessConfigured(configuration, S3_CREATE_PERFORMANCE, "true");
            // one schedule
            if (!isConfigured(configuration, HDFS_FIRST_WAIT) && !isConfigured(configuration, HDFS_WAITS)) {
                configuration.set(HDFS_FIRST_WAIT, "5");
                configuration.set(HDFS_WAITS, "12");
            }
            return configuration;
        }
    }

    /**
     * S3A's usual streams remember what lay behind a name, so a hint that was overwritten, or a table that was made again under
     * its old name, could be read as it was. Unless configured otherwise, streams that ask the store are used.
     */
    private static void useClassicS3Streams(Configuration configuration)
    {
        setUnlessConfigured(configuration, S3_STREAM_TYPE, "classic");
    }

    private static void setUnlessConfigured(Configuration configuration, String name, String value)
    {
        if (!isConfigured(configuration, name)) {
            configuration.set(name, value);
        }
    }

    private static boolean isConfigured(Configuration configuration, String name)
    {
        String[] sources = configuration.getPropertySources(name);
        return sources != null && !DEFAULTS.containsAll(Arrays.asList(sources));
    }

    private static void load(Configuration configuration, String file)
    {
        try {
            // resources are read lazily: a broken file must fail here, with its name
            configuration.size();
        }
        catch (RuntimeException e) {
            throw new IllegalArgumentException("Hadoop configuration file %s cannot be parsed: %s".formatted(file, e.getMessage()), e);
        }
    }
}
