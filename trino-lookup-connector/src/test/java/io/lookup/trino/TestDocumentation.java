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
package io.lookup.trino;

import com.google.common.base.CaseFormat;
import com.google.common.collect.ImmutableMap;
import io.airlift.configuration.Config;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.schema.KnownOption.Support;
import io.lookup.storage.schema.OptionCatalog;
import io.lookup.trino.handle.TableKind;
import io.lookup.trino.procedure.MaintenanceTableProcedures;
import io.lookup.trino.properties.LookupTableProperties;
import io.trino.spi.connector.TableProcedureMetadata;
import io.trino.spi.session.PropertyMetadata;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static java.util.Locale.ENGLISH;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What can be set, called or thrown stands in the pages of the documentation, with its default.
 */
final class TestDocumentation
{
    private static final Path SOURCES = Repository.root().resolve("trino-lookup-connector/src/main/java");
    private static final Pattern ERROR_IMPORT = Pattern.compile("import static io\\.trino\\.spi\\.StandardErrorCode\\.(\\w+);");
    private static final Pattern LOG_MESSAGE = Pattern.compile("log\\.(?:warn|error)\\(\\s*(?:\\w+,\\s*)?\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern FUNCTION_ARGUMENT = Pattern.compile("private static final String \\w+ = \"(\\w+)\";");

    @Test
    void testConfiguration()
            throws Exception
    {
        Map<String, List<String>> rows = rows(section("configuration.md", "Catalog properties"));
        int properties = 0;
        for (Class<?> type : configurationClasses()) {
            Object defaults = type.getDeclaredConstructor().newInstance();
            for (Method setter : type.getMethods()) {
                Config config = setter.getAnnotation(Config.class);
                if (config == null) {
                    continue;
                }
                properties++;
                assertThat(rows).as("the table of catalog properties").containsKey(config.value());
                assertThat(rows.get(config.value()).get(1)).as("default of %s", config.value())
                        .satisfies(cell -> assertDefault(cell, getter(type, setter).invoke(defaults), setter.getParameterTypes()[0]));
            }
        }
        assertThat(properties).isGreaterThan(10);
    }

    @Test
    void testSessionProperties()
            throws Exception
    {
        Map<String, List<String>> rows = rows(section("sql.md", "Session properties"));
        for (PropertyMetadata<?> property : new LookupSessionProperties(new LookupConfig()).getSessionProperties()) {
            assertThat(rows).as("the table of session properties").containsKey(property.getName());
            String cell = rows.get(property.getName()).get(1);
            if (!cell.contains("catalog")) {
                assertDefault(cell, property.getDefaultValue(), property.getJavaType());
            }
        }
    }

    @Test
    void testTableProperties()
            throws Exception
    {
        String section = section("sql.md", "Table properties");
        for (PropertyMetadata<?> property : new LookupTableProperties().getTableProperties()) {
            assertThat(section).containsPattern("`" + property.getName() + "[` ]");
        }
    }

    @Test
    void testProcedures()
            throws Exception
    {
        String section = section("sql.md", "Maintenance");
        assertThat(section).contains("EXECUTE optimize");
        for (TableProcedureMetadata procedure : MaintenanceTableProcedures.get()) {
            Optional<List<String>> row = Optional.ofNullable(rows(section).get(procedure.getName().toLowerCase(ENGLISH)));
            assertThat(row).as(procedure.getName()).isPresent();
            for (PropertyMetadata<?> argument : procedure.getProperties()) {
                assertThat(row.get().get(1)).as(procedure.getName()).contains("`" + argument.getName() + "`");
            }
        }
    }

    @Test
    void testSystemTables()
            throws Exception
    {
        String section = section("sql.md", "System tables") + section("sql.md", "The audit log");
        for (TableKind kind : TableKind.values()) {
            if (kind.isSystemTable() && kind != TableKind.CONTRADICTIONS) {
                assertThat(section).contains("`\"t" + kind.suffix() + "\"`");
            }
        }
    }

    @Test
    void testFunctions()
            throws Exception
    {
        String section = section("sql.md", "table_changes");
        assertThat(section("sql.md", "verify_changelog")).contains("system.verify_changelog(");
        assertThat(section).contains("system.table_changes(");
        Matcher names = FUNCTION_ARGUMENT.matcher(Files.readString(SOURCES.resolve("io/lookup/trino/changes/TableChangesArguments.java")));
        int arguments = 0;
        while (names.find()) {
            String name = names.group(1).toLowerCase(Locale.ENGLISH);
            if (name.startsWith("_")) {
                assertThat(section).contains("`start" + name + "`", "`end" + name + "`");
            }
            else if (!name.equals("start") && !name.equals("end")) {
                assertThat(section).contains("`" + name + "`");
            }
            arguments++;
        }
        assertThat(arguments).isGreaterThan(5);
    }

    @Test
    void testErrors()
            throws Exception
    {
        String page = page("troubleshooting.md");
        for (LookupErrorCode code : LookupErrorCode.values()) {
            assertThat(rows(page)).containsKey(code.name());
        }
        for (StorageErrorCode code : StorageErrorCode.values()) {
            // those with another name than Trino's stand in the note for readers of the code
            assertThat(page).containsPattern("\\W(LOOKUP_)?" + code.name() + "\\W|…_ALREADY_EXISTS");
        }
        for (Path source : sources()) {
            Matcher imported = ERROR_IMPORT.matcher(Files.readString(source));
            while (imported.find()) {
                assertThat(page).as(source.getFileName().toString()).containsPattern("`" + imported.group(1) + "`|…_" + imported.group(1).replaceFirst("[^_]*_", "") + "`");
            }
        }
    }

    /**
     * Every option of the format that the engine knows stands under what it does with it.
     */
    @Test
    void testOptions()
            throws Exception
    {
        Map<Support, String> sections = ImmutableMap.of(
                Support.SUPPORTED, "Honoured",
                Support.CREATION, "Said once, at creation",
                Support.LIMITED, "With one value",
                Support.UNSUPPORTED, "Refused",
                Support.HARMLESS, "Without effect here");
        String page = page("compatibility.md");
        for (Support support : Support.values()) {
            String text = page.substring(page.indexOf("\n### " + sections.get(support) + "\n"));
            int end = text.indexOf("\n### ", 1);
            String section = end < 0 ? text : text.substring(0, end);
            List<String> keys = new ArrayList<>();
            OptionCatalog.all().forEach(option -> {
                if (option.support() == support) {
                    keys.add(option.key());
                }
            });
            assertThat(keys).as(sections.get(support)).isNotEmpty().allSatisfy(key -> assertThat(section).contains("`" + key + "`"));
        }
    }

    /**
     * Whoever reads a warning or an error in the log finds it in the page for operators.
     */
    @Test
    void testLogMessages()
            throws Exception
    {
        String page = page("operations.md");
        int messages = 0;
        for (Path folder : List.of(SOURCES, Repository.root().resolve("lookup-storage/src/main/java"))) {
            for (Path source : sources(folder)) {
                Matcher message = LOG_MESSAGE.matcher(Files.readString(source));
                while (message.find()) {
                    String longest = Stream.of(message.group(1).split("%s")).max(Comparator.comparingInt(String::length)).orElseThrow().replaceAll("^[^\\p{L}]+|[^\\p{L}]+$", "");
                    assertThat(page).as("message of %s", source.getFileName()).contains(longest);
                    messages++;
                }
            }
        }
        assertThat(messages).isGreaterThan(30);
    }

    private static void assertDefault(String cell, Object value, Class<?> type)
            throws ReflectiveOperationException
    {
        if (value == null || value instanceof List<?> list && list.isEmpty() || value instanceof Optional<?> optional && optional.isEmpty()) {
            assertThat(cell).isIn("", "required");
            return;
        }
        if (value instanceof String text && text.startsWith(System.getProperty("java.io.tmpdir"))) {
            assertThat(cell).contains(Path.of(text).getFileName().toString());
            return;
        }
        assertThat(cell).startsWith("`").endsWith("`");
        assertThat(parse(cell.substring(1, cell.length() - 1), type)).isEqualTo(value);
    }

    private static Object parse(String text, Class<?> type)
            throws ReflectiveOperationException
    {
        if (type == String.class) {
            return text;
        }
        if (type == int.class) {
            return Integer.parseInt(text);
        }
        if (type == boolean.class || type == Boolean.class) {
            return Boolean.parseBoolean(text);
        }
        if (type.isEnum()) {
            return Stream.of(type.getEnumConstants()).filter(constant -> constant.toString().equalsIgnoreCase(text)).findFirst().orElseThrow();
        }
        for (String name : List.of("valueOf", "fromString")) {
            for (Method method : type.getMethods()) {
                if (method.getName().equals(name) && method.getParameterCount() == 1 && method.getParameterTypes()[0] == String.class) {
                    return method.invoke(null, text);
                }
            }
        }
        throw new AssertionError("no text form of " + type);
    }

    private static Method getter(Class<?> type, Method setter)
            throws NoSuchMethodException
    {
        String property = setter.getName().substring("set".length());
        for (String prefix : List.of("get", "is")) {
            for (Method method : type.getMethods()) {
                if (method.getName().equals(prefix + property) && method.getParameterCount() == 0) {
                    return method;
                }
            }
        }
        throw new NoSuchMethodException(CaseFormat.UPPER_CAMEL.to(CaseFormat.LOWER_CAMEL, property));
    }

    private static List<Class<?>> configurationClasses()
            throws Exception
    {
        List<Class<?>> classes = new ArrayList<>();
        for (Path source : sources()) {
            if (Files.readString(source).contains("@Config(")) {
                classes.add(Class.forName(SOURCES.relativize(source).toString().replace(".java", "").replace('/', '.')));
            }
        }
        return classes;
    }

    private static List<Path> sources()
            throws IOException
    {
        return sources(SOURCES);
    }

    private static List<Path> sources(Path folder)
            throws IOException
    {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).sorted().toList();
        }
    }

    private static String page(String name)
            throws IOException
    {
        return Files.readString(Repository.root().resolve("docs").resolve(name));
    }

    private static String section(String page, String title)
            throws IOException
    {
        String text = page(page);
        int start = text.indexOf("\n## " + title + "\n");
        assertThat(start).as("section '%s' of %s", title, page).isNotNegative();
        int end = text.indexOf("\n## ", start + 1);
        return text.substring(start, end < 0 ? text.length() : end);
    }

    /**
     * The cells of each row of a page's tables, by every name in the first cell.
     */
    private static Map<String, List<String>> rows(String section)
    {
        Map<String, List<String>> rows = new TreeMap<>();
        for (String line : section.split("\n")) {
            if (line.startsWith("| `")) {
                List<String> cells = Stream.of(line.substring(1).split("\\|")).map(String::strip).toList();
                for (String name : cells.getFirst().split(", ")) {
                    rows.putIfAbsent(name.replace("`", ""), cells);
                }
            }
        }
        return rows;
    }
}
