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

import java.io.IOException;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

/**
 * Rewrites chosen jars of a folder so that they keep only the classes that the folder's other jars can reach.
 * <p>
 * Arguments: the folder, then the beginnings of the file names of the jars to shrink.
 * <p>
 * A class counts as reached when any string of a reaching class's constant pool names it: as a type, inside a
 * signature, or as a dotted name that may be given to {@code Class.forName}. That is more than the JVM can link,
 * so nothing that was loadable becomes missing unless a name is put together at run time. Give it only libraries
 * that don't do that. Entries that are not classes stay.
 */
public final class ShrinkJars
{
    private static final Pattern NAME = Pattern.compile("[\\w$]+(?:[/.][\\w$]+)+");

    private ShrinkJars() {}

    public static void main(String[] arguments)
            throws IOException
    {
        Path folder = Path.of(arguments[0]);
        List<Path> shrinking = new ArrayList<>();
        List<Path> reaching = new ArrayList<>();
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(folder, "*.jar")) {
            for (Path jar : jars) {
                boolean chosen = List.of(arguments).subList(1, arguments.length).stream()
                        .anyMatch(prefix -> jar.getFileName().toString().startsWith(prefix));
                (chosen ? shrinking : reaching).add(jar);
            }
        }
        if (shrinking.size() != arguments.length - 1) {
            throw new IllegalStateException("Each name must begin exactly one jar of %s, found %s".formatted(folder, shrinking));
        }

        Map<String, Set<String>> candidates = new HashMap<>();
        for (Path jar : shrinking) {
            readClasses(jar, candidates);
        }
        Set<String> reached = new HashSet<>();
        Deque<String> open = new ArrayDeque<>();
        for (Path jar : reaching) {
            Map<String, Set<String>> classes = new HashMap<>();
            readClasses(jar, classes);
            classes.values().forEach(names -> reach(names, candidates, reached, open));
        }
        while (!open.isEmpty()) {
            reach(candidates.get(open.remove()), candidates, reached, open);
        }
        for (Path jar : shrinking) {
            rewrite(jar, reached);
        }
    }

    private static void reach(Collection<String> names, Map<String, Set<String>> candidates, Set<String> reached, Deque<String> open)
    {
        for (String name : names) {
            if (candidates.containsKey(name) && reached.add(name)) {
                open.add(name);
            }
        }
    }

    private static void readClasses(Path jar, Map<String, Set<String>> classes)
            throws IOException
    {
        try (JarFile file = new JarFile(jar.toFile())) {
            for (JarEntry entry : Collections.list(file.entries())) {
                if (!isClass(entry)) {
                    continue;
                }
                Set<String> names = classes.computeIfAbsent(className(entry), _ -> new HashSet<>());
                for (PoolEntry constant : ClassFile.of().parse(file.getInputStream(entry).readAllBytes()).constantPool()) {
                    if (constant instanceof Utf8Entry text) {
                        Matcher matcher = NAME.matcher(text.stringValue());
                        while (matcher.find()) {
                            // a descriptor's L belongs to no name
                            String name = matcher.group().replace('.', '/');
                            names.add(name);
                            if (name.startsWith("L")) {
                                names.add(name.substring(1));
                            }
                            addAfterPrimitives(name, names);
                        }
                    }
                }
            }
        }
    }

    /**
     * In {@code (IJLa/B;)} the name begins after the primitives' letters.
     */
    private static void addAfterPrimitives(String name, Set<String> names)
    {
        int index = 0;
        while (index < name.length() && "BCDFIJSZV".indexOf(name.charAt(index)) >= 0) {
            index++;
        }
        if (index > 0 && index < name.length() && name.charAt(index) == 'L') {
            names.add(name.substring(index + 1));
        }
    }

    private static void rewrite(Path jar, Set<String> reached)
            throws IOException
    {
        long before = Files.size(jar);
        Path shrunk = jar.resolveSibling(jar.getFileName() + ".shrunk");
        try (JarFile file = new JarFile(jar.toFile());
                OutputStream bytes = Files.newOutputStream(shrunk);
                JarOutputStream output = new JarOutputStream(bytes)) {
            for (JarEntry entry : Collections.list(file.entries())) {
                if (entry.isDirectory() || (isClass(entry) && !reached.contains(className(entry)))) {
                    continue;
                }
                JarEntry kept = new JarEntry(entry.getName());
                kept.setTimeLocal(entry.getTimeLocal());
                output.putNextEntry(kept);
                file.getInputStream(entry).transferTo(output);
                output.closeEntry();
            }
        }
        Files.move(shrunk, jar, REPLACE_EXISTING);
        System.out.printf("%s: %,d bytes, were %,d%n", jar.getFileName(), Files.size(jar), before);
    }

    private static boolean isClass(JarEntry entry)
    {
        return entry.getName().endsWith(".class") && !entry.getName().endsWith("module-info.class");
    }

    private static String className(JarEntry entry)
    {
        String name = entry.getName().replaceFirst("^META-INF/versions/\\d+/", "");
        return name.substring(0, name.length() - ".class".length());
    }
}
