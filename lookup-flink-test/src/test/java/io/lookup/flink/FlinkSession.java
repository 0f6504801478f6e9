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
package io.lookup.flink;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

/**
 * A Flink cluster in this process that runs SQL on the Paimon catalog {@code lake} of one warehouse, for a program that cannot have Flink
 * on its own class path. It reads one request per line and answers in lines; the fields of a line are separated by tabs.
 *
 * <table>
 * <caption>Requests and answers</caption>
 * <tr><td>{@code explain SQL}</td><td>{@code done PLAN}: the plan of a streaming query</td></tr>
 * <tr><td>{@code batch SQL}</td><td>{@code row KIND FIELD…} for each row, then {@code done}: a bounded statement</td></tr>
 * <tr><td>{@code stream NAME SQL}</td><td>{@code done}, and from then on {@code change NAME KIND FIELD…} for each change</td></tr>
 * <tr><td>{@code cancel NAME}</td><td>{@code done}: the query of this name has ended</td></tr>
 * </table>
 * A request that fails is answered by {@code failed MESSAGE}, a streaming query that fails later by {@code broken NAME MESSAGE}. NULL is the
 * field {@code \N}; backslash, tab and line feed are written as {@code \\}, {@code \t} and {@code \n}. The process ends with its standard input.
 */
public final class FlinkSession
        implements AutoCloseable
{
    private static final int SLOTS = 16;
    private static final int PARALLELISM = 2;

    private final MiniCluster cluster;
    private final StreamTableEnvironment streaming;
    private final StreamTableEnvironment batch;
    private final PrintStream answers;
    private final Map<String, TableResult> streams = new ConcurrentHashMap<>();

    private FlinkSession(String warehouse, PrintStream answers)
            throws Exception
    {
        requireNonNull(warehouse, "warehouse is null");
        this.answers = requireNonNull(answers, "answers is null");
        Configuration configuration = new Configuration();
        configuration.set(RestOptions.ADDRESS, "localhost");
        configuration.set(RestOptions.BIND_PORT, "0");
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(128));
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(64));
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(64));
        cluster = new MiniCluster(new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(SLOTS)
                .build());
        cluster.start();
        URI address = cluster.getRestAddress().get();
        streaming = environment(address, EnvironmentSettings.inStreamingMode(), warehouse);
        batch = environment(address, EnvironmentSettings.inBatchMode(), warehouse);
    }

    private static StreamTableEnvironment environment(URI address, EnvironmentSettings settings, String warehouse)
    {
        StreamExecutionEnvironment execution = StreamExecutionEnvironment.createRemoteEnvironment(address.getHost(), address.getPort());
        execution.setParallelism(PARALLELISM);
        StreamTableEnvironment environment = StreamTableEnvironment.create(execution, settings);
        environment.getConfig().setLocalTimeZone(ZoneOffset.UTC);
        environment.executeSql("CREATE CATALOG lake WITH ('type' = 'paimon', 'warehouse' = '" + warehouse + "')");
        environment.executeSql("USE CATALOG lake");
        return environment;
    }

    public static void main(String[] arguments)
            throws Exception
    {
        PrintStream answers = new PrintStream(System.out, true, UTF_8);
        // Whatever a library prints must not be taken for an answer.
        System.setOut(System.err);
        try (FlinkSession session = new FlinkSession(arguments[0], answers);
                BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
            session.answer("ready");
            for (String request = requests.readLine(); request != null; request = requests.readLine()) {
                session.serve(request);
            }
        }
        // a cancelled query's threads may outlive it
        System.exit(0);
    }

    private void serve(String request)
    {
        String[] fields = request.split("\t");
        for (int i = 0; i < fields.length; i++) {
            fields[i] = unescape(fields[i]);
        }
        try {
            switch (fields[0]) {
                case "explain" -> answer("done", streaming.executeSql("EXPLAIN CHANGELOG_MODE " + fields[1]).collect().next().getField(0));
                case "batch" -> batch(fields[1]);
                case "stream" -> stream(fields[1], fields[2]);
                case "cancel" -> cancel(fields[1]);
                default -> throw new IllegalArgumentException("unknown request " + fields[0]);
            }
        }
        catch (Exception e) {
            e.printStackTrace();
            answer("failed", message(e));
        }
    }

    @SuppressWarnings("try") // close() declares Exception, so that it could be interrupted
    private void batch(String sql)
            throws Exception
    {
        TableResult result = batch.executeSql(sql);
        try (CloseableIterator<Row> rows = result.collect()) {
            while (rows.hasNext()) {
                answer("row", null, rows.next());
            }
        }
        if (result.getJobClient().isPresent()) {
            result.getJobClient().orElseThrow().getJobExecutionResult().get();
        }
        answer("done");
    }

    private void stream(String name, String sql)
    {
        TableResult result = streaming.executeSql(sql);
        streams.put(name, result);
        answer("done");
        Thread thread = new Thread(() -> forward(name, result), "stream-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    @SuppressWarnings("try") // close() declares Exception, so that it could be interrupted
    private void forward(String name, TableResult result)
    {
        try (CloseableIterator<Row> rows = result.collect()) {
            while (rows.hasNext()) {
                answer("change", name, rows.next());
            }
        }
        catch (Exception e) {
            if (streams.containsKey(name)) {
                e.printStackTrace();
                answer("broken", name, message(e));
            }
        }
    }

    private void cancel(String name)
            throws Exception
    {
        TableResult result = streams.remove(name);
        result.getJobClient().orElseThrow().cancel().get();
        answer("done");
    }

    private void answer(String kind, String name, Row row)
    {
        Object[] fields = new Object[row.getArity() + (name == null ? 2 : 3)];
        int position = 0;
        fields[position++] = kind;
        if (name != null) {
            fields[position++] = name;
        }
        fields[position++] = row.getKind().shortString();
        for (int i = 0; i < row.getArity(); i++) {
            fields[position++] = row.getField(i);
        }
        answer(fields);
    }

    private synchronized void answer(Object... fields)
    {
        StringBuilder line = new StringBuilder();
        for (Object field : fields) {
            if (!line.isEmpty()) {
                line.append('\t');
            }
            line.append(field == null ? "\\N" : escape(text(field)));
        }
        answers.println(line);
    }

    /**
     * Arrays and rows as {@code [a, b]}, binary as hexadecimal digits, all else as Java prints it.
     */
    private static String text(Object value)
    {
        if (value == null) {
            return "null";
        }
        if (value instanceof byte[] bytes) {
            return HexFormat.of().formatHex(bytes);
        }
        if (value instanceof Row row) {
            Object[] fields = new Object[row.getArity()];
            for (int i = 0; i < fields.length; i++) {
                fields[i] = row.getField(i);
            }
            return text(fields);
        }
        if (value instanceof Object[] elements) {
            return Arrays.stream(elements).map(FlinkSession::text).collect(Collectors.joining(", ", "[", "]"));
        }
        return value.toString();
    }

    private static String escape(String text)
    {
        return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n");
    }

    private static String unescape(String text)
    {
        StringBuilder result = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            if (character == '\\') {
                i++;
                character = switch (text.charAt(i)) {
                    case 't' -> '\t';
                    case 'n' -> '\n';
                    default -> text.charAt(i);
                };
            }
            result.append(character);
        }
        return result.toString();
    }

    private static String message(Throwable failure)
    {
        StringBuilder message = new StringBuilder();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            message.append(message.isEmpty() ? "" : ", caused by ").append(cause);
        }
        return message.toString();
    }

    @Override
    public void close()
            throws IOException
    {
        try {
            cluster.close();
        }
        catch (Exception e) {
            throw new IOException("Flink's cluster did not stop", e);
        }
    }
}
