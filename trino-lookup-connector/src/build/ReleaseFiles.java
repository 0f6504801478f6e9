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

import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

import javax.xml.parsers.DocumentBuilderFactory;

import java.io.ByteArrayInputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * What a release holds besides jars.
 * <p>
 * {@code licenses <plugin folder> <local Maven repository> <texts> <target>} writes {@code NOTICE}, which has the notices of all jars of the folder, and
 * {@code THIRD-PARTY-LICENSES.txt}, which names the licence of each and has the texts that lie in them, or in the folder of texts for jars that have
 * none. A jar whose licence is found neither in it nor in the model it was published with stops the build, and so does one whose licence must come along as a text that
 * is nowhere.
 * <p>
 * {@code checksum <file>} writes {@code <file>.sha256}, as {@code sha256sum --check} takes it.
 * <p>
 * {@code check <archive>} looks into a release: its checksum is right, it has one folder of jars and the files above, each jar's licence is named, and all texts of
 * licences and notices in jars are in these files.
 */
public final class ReleaseFiles
{
    private static final Pattern OWN_JAR = Pattern.compile("io\\.lookup\\..*|trino-lookup-connector-.*");
    private static final Pattern JAR_NAME = Pattern.compile("(.+?)-(\\d.*?)\\.jar");
    private static final Pattern LICENSE_FILE = Pattern.compile("(?i)(META-INF/)?(licenses-binary/)?(LICENSE|LICENCE|COPYING)[^/]*");
    private static final Pattern NOTICE_FILE = Pattern.compile("(?i)(META-INF/)?NOTICE[^/]*");
    // our own LICENSE has the text of the first, the others ask for none
    private static final Pattern NEEDS_NO_TEXT = Pattern.compile("(?i).*(apache|public domain|MIT-0).*");
    private static final List<String> TEXT_FILES = List.of("LICENSE", "NOTICE", "THIRD-PARTY-LICENSES.txt");
    private static final int MAX_PARENTS = 10;

    private ReleaseFiles() {}

    public static void main(String[] arguments)
            throws Exception
    {
        switch (arguments[0]) {
            case "licenses" -> writeLicenses(Path.of(arguments[1]), Path.of(arguments[2]), Path.of(arguments[3]), Path.of(arguments[4]));
            case "checksum" -> writeChecksum(Path.of(arguments[1]));
            case "check" -> check(Path.of(arguments[1]));
            default -> throw new IllegalArgumentException("Unknown command: " + arguments[0]);
        }
    }

    private static void writeLicenses(Path folder, Path repository, Path texts, Path target)
            throws Exception
    {
        Map<String, List<String>> licenses = new TreeMap<>();
        Map<String, TreeSet<String>> licenseTexts = new LinkedHashMap<>();
        Map<String, TreeSet<String>> noticeTexts = new LinkedHashMap<>();
        List<String> unknown = new ArrayList<>();
        List<Path> jars = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.jar")) {
            files.forEach(jars::add);
        }
        Collections.sort(jars);
        for (Path path : jars) {
            String name = path.getFileName().toString();
            if (OWN_JAR.matcher(name).matches()) {
                continue;
            }
            try (JarFile jar = new JarFile(path.toFile())) {
                List<String> ownTexts = new ArrayList<>(texts(jar, LICENSE_FILE));
                if (ownTexts.isEmpty()) {
                    Path text = texts.resolve(JAR_NAME.matcher(name).replaceFirst("$1.txt"));
                    if (Files.exists(text)) {
                        ownTexts.add(Files.readString(text));
                    }
                }
                ownTexts.forEach(text -> licenseTexts.computeIfAbsent(text, _ -> new TreeSet<>()).add(name));
                texts(jar, NOTICE_FILE).forEach(text -> noticeTexts.computeIfAbsent(text, _ -> new TreeSet<>()).add(name));
                List<String> names = published(name, repository);
                if (names.isEmpty()) {
                    names = Optional.ofNullable(jar.getManifest())
                            .map(manifest -> manifest.getMainAttributes().getValue("Bundle-License"))
                            .map(List::of)
                            .orElse(List.of());
                }
                if (names.isEmpty() && !ownTexts.isEmpty()) {
                    // a jar with a classifier has no pom of its own: its text begins with the name
                    names = List.of(ownTexts.getFirst().lines().findFirst().orElseThrow());
                }
                if (names.isEmpty() || ownTexts.isEmpty() && !names.stream().allMatch(license -> NEEDS_NO_TEXT.matcher(license).matches())) {
                    unknown.add(name);
                }
                licenses.put(name, names);
            }
        }
        if (!unknown.isEmpty()) {
            throw new IllegalStateException("No licence is known of %s, or one whose text must come along; put it into %s as <group>.<artifact>.txt".formatted(unknown, texts));
        }
        Files.createDirectories(target);
        StringBuilder summary = new StringBuilder("The libraries of this plugin, and the licences that they are under.\n\n");
        licenses.forEach((jar, names) -> summary.append(jar).append("\n    ").append(String.join("\n    ", names)).append('\n'));
        append(summary, "The licence in", licenseTexts);
        Files.writeString(target.resolve("THIRD-PARTY-LICENSES.txt"), summary);
        StringBuilder notice = new StringBuilder("Lookup connector for Trino\n\nThis product includes the following libraries, whose notices follow as they lie in them.\n");
        append(notice, "The notice in", noticeTexts);
        Files.writeString(target.resolve("NOTICE"), notice);
        System.out.printf("%s libraries, %s licence texts, %s notices%n", licenses.size(), licenseTexts.size(), noticeTexts.size());
    }

    private static void append(StringBuilder target, String title, Map<String, TreeSet<String>> texts)
    {
        texts.forEach((text, jars) -> target.append("\n").append("=".repeat(100)).append("\n")
                .append(title).append(' ').append(String.join(", ", jars)).append("\n\n")
                .append(text.stripTrailing()).append('\n'));
    }

    private static List<String> texts(JarFile jar, Pattern names)
            throws Exception
    {
        List<String> texts = new ArrayList<>();
        for (ZipEntry entry : Collections.list(jar.entries())) {
            if (names.matcher(entry.getName()).matches() && !entry.isDirectory()) {
                texts.add(new String(jar.getInputStream(entry).readAllBytes(), UTF_8).replace("\r\n", "\n"));
            }
        }
        return texts;
    }

    /**
     * What the published model says, or the nearest of its parents that says something.
     */
    private static List<String> published(String jar, Path repository)
            throws Exception
    {
        Matcher matcher = JAR_NAME.matcher(jar);
        if (!matcher.matches()) {
            return List.of();
        }
        // the file's name is group, dot, artifact, dash, version, and where the group ends nobody says
        String groupAndArtifact = matcher.group(1);
        String version = matcher.group(2);
        for (int dot = groupAndArtifact.lastIndexOf('.'); dot > 0; dot = groupAndArtifact.lastIndexOf('.', dot - 1)) {
            Path model = model(repository, groupAndArtifact.substring(0, dot), groupAndArtifact.substring(dot + 1), version);
            if (Files.exists(model)) {
                return licenses(model, repository);
            }
        }
        return List.of();
    }

    private static List<String> licenses(Path model, Path repository)
            throws Exception
    {
        Path current = model;
        for (int parents = 0; parents < MAX_PARENTS && Files.exists(current); parents++) {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            Document document = factory.newDocumentBuilder().parse(new ByteArrayInputStream(Files.readAllBytes(current)));
            Element project = document.getDocumentElement();
            List<String> names = new ArrayList<>();
            for (Element licenses : children(project, "licenses")) {
                for (Element license : children(licenses, "license")) {
                    String url = value(license, "url");
                    names.add(value(license, "name") + (url.isEmpty() ? "" : " (" + url + ")"));
                }
            }
            if (!names.isEmpty()) {
                return names;
            }
            List<Element> parent = children(project, "parent");
            if (parent.isEmpty()) {
                return List.of();
            }
            current = model(repository, value(parent.getFirst(), "groupId"), value(parent.getFirst(), "artifactId"), value(parent.getFirst(), "version"));
        }
        return List.of();
    }

    private static Path model(Path repository, String group, String artifact, String version)
    {
        return repository.resolve(group.replace('.', '/')).resolve(artifact).resolve(version).resolve(artifact + "-" + version + ".pom");
    }

    private static List<Element> children(Element element, String name)
    {
        List<Element> children = new ArrayList<>();
        for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element child && child.getTagName().equals(name)) {
                children.add(child);
            }
        }
        return children;
    }

    private static String value(Element element, String name)
    {
        List<Element> children = children(element, name);
        return children.isEmpty() ? "" : children.getFirst().getTextContent().strip();
    }

    private static void writeChecksum(Path file)
            throws Exception
    {
        Path target = checksumFile(file);
        Files.writeString(target, checksumLine(file));
        System.out.println(target);
    }

    private static Path checksumFile(Path file)
    {
        return file.resolveSibling(file.getFileName() + ".sha256");
    }

    private static String checksumLine(Path file)
            throws Exception
    {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
        return HexFormat.of().formatHex(digest) + "  " + file.getFileName() + "\n";
    }

    private static void check(Path archive)
            throws Exception
    {
        require(Files.readString(checksumFile(archive)).equals(checksumLine(archive)), "The checksum is another");
        Path folder = Files.createTempDirectory("release");
        try (JarFile zip = new JarFile(archive.toFile())) {
            List<Path> jars = new ArrayList<>();
            for (ZipEntry entry : Collections.list(zip.entries())) {
                String name = entry.getName();
                require(name.matches("lookup/([^/]+\\.jar|%s)?".formatted(String.join("|", TEXT_FILES))), "A release has no file " + name);
                if (!entry.isDirectory()) {
                    Path copy = folder.resolve(name.substring(name.indexOf('/') + 1));
                    Files.write(copy, zip.getInputStream(entry).readAllBytes());
                    if (name.endsWith(".jar")) {
                        jars.add(copy);
                    }
                }
            }
            require(Files.readString(folder.resolve("LICENSE")).contains("Apache License"), "LICENSE is not the Apache License");
            String licenses = Files.readString(folder.resolve("THIRD-PARTY-LICENSES.txt"));
            String notices = Files.readString(folder.resolve("NOTICE"));
            int libraries = 0;
            for (Path jar : jars) {
                String name = jar.getFileName().toString();
                try (JarFile content = new JarFile(jar.toFile())) {
                    if (OWN_JAR.matcher(name).matches()) {
                        continue;
                    }
                    require(licenses.contains("\n" + name + "\n    "), "The licence is not named of " + name);
                    for (String text : texts(content, LICENSE_FILE)) {
                        require(licenses.contains(text.stripTrailing()), "A licence is missing that lies in " + name);
                    }
                    for (String text : texts(content, NOTICE_FILE)) {
                        require(notices.contains(text.stripTrailing()), "A notice is missing that lies in " + name);
                    }
                }
                libraries++;
            }
            require(libraries > 0 && libraries < jars.size(), "There are %s libraries among %s jars".formatted(libraries, jars.size()));
            System.out.printf("%s: %s libraries, %s jars of its own%n", archive.getFileName(), libraries, jars.size() - libraries);
        }
        finally {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
                for (Path file : files) {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
        }
    }

    private static void require(boolean condition, String message)
    {
        if (!condition) {
            throw new IllegalStateException(message);
        }
    }
}
