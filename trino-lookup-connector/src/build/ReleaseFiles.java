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
 * {@code licenses <plugin folder> <local Maven repository> <target>} writes {@code NOTICE}, which has the notices of all jars of the folder, and
 * {@code THIRD-PARTY-LICENSES.txt}, which names the licence of each and has the texts that lie in them. A jar whose licence is found neither
 * in it nor in the model it was published with stops the build.
 * <p>
 * {@code checksum <file>} writes {@code <file>.sha256}, as {@code sha256sum --check} takes it.
 */
public final class ReleaseFiles
{
    private static final Pattern OWN_JAR = Pattern.compile("io\\.lookup\\..*|trino-lookup-connector-.*");
    private static final Pattern JAR_NAME = Pattern.compile("(.+?)-(\\d.*?)\\.jar");
    private static final Pattern LICENSE_FILE = Pattern.compile("(?i)(META-INF/)?(LICENSE|LICENCE|COPYING)[^/]*");
    private static final Pattern NOTICE_FILE = Pattern.compile("(?i)(META-INF/)?NOTICE[^/]*");
    private static final int MAX_PARENTS = 10;

    private ReleaseFiles() {}

    public static void main(String[] arguments)
            throws Exception
    {
        switch (arguments[0]) {
            case "licenses" -> writeLicenses(Path.of(arguments[1]), Path.of(arguments[2]), Path.of(arguments[3]));
            case "checksum" -> writeChecksum(Path.of(arguments[1]));
            default -> throw new IllegalArgumentException("Unknown command: " + arguments[0]);
        }
    }

    private static void writeLicenses(Path folder, Path repository, Path target)
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
                for (ZipEntry entry : Collections.list(jar.entries())) {
                    if (LICENSE_FILE.matcher(entry.getName()).matches() && !entry.isDirectory()) {
                        licenseTexts.computeIfAbsent(text(jar, entry), _ -> new TreeSet<>()).add(name);
                    }
                    if (NOTICE_FILE.matcher(entry.getName()).matches() && !entry.isDirectory()) {
                        noticeTexts.computeIfAbsent(text(jar, entry), _ -> new TreeSet<>()).add(name);
                    }
                }
                List<String> names = published(name, repository);
                if (names.isEmpty()) {
                    names = Optional.ofNullable(jar.getManifest())
                            .map(manifest -> manifest.getMainAttributes().getValue("Bundle-License"))
                            .map(List::of)
                            .orElse(List.of());
                }
                if (names.isEmpty()) {
                    unknown.add(name);
                }
                licenses.put(name, names);
            }
        }
        if (!unknown.isEmpty()) {
            throw new IllegalStateException("No licence is known of " + unknown);
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

    private static String text(JarFile jar, ZipEntry entry)
            throws Exception
    {
        return new String(jar.getInputStream(entry).readAllBytes(), UTF_8).replace("\r\n", "\n");
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
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
        Path target = file.resolveSibling(file.getFileName() + ".sha256");
        Files.writeString(target, HexFormat.of().formatHex(digest) + "  " + file.getFileName() + "\n");
        System.out.println(target);
    }
}
