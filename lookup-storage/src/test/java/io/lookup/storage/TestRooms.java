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
package io.lookup.storage;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.lookup.storage.commit.CommitMessage;
import io.lookup.storage.lsm.IntervalPartition;
import io.lookup.storage.lsm.LevelCompleteness;
import io.lookup.storage.lsm.Levels;
import io.lookup.storage.lsm.SortedRun;
import io.lookup.storage.lsm.VectorCompleteness;
import io.trino.spi.connector.SourcePage;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The arrows between the rooms of the engine: a package below {@code io.lookup.storage} is a room, and knows only the rooms
 * that are named for it here.
 */
final class TestRooms
{
    private static final String ENGINE = StorageException.class.getPackageName();
    private static final String ROOT = "";

    private static final Set<String> FOUNDATION = ImmutableSet.of("filesystem", "schema", "format", "snapshot", "catalog");
    private static final Set<String> FRONT = ImmutableSet.of("table", "maintenance");

    private static final Map<String, Set<String>> ARROWS = ImmutableMap.<String, Set<String>>builder()
            .put(ROOT, ImmutableSet.of())
            .put("filesystem", ImmutableSet.of())
            .put("schema", ImmutableSet.of("filesystem"))
            .put("format", ImmutableSet.of("filesystem", "schema"))
            .put("snapshot", ImmutableSet.of("filesystem", "schema", "format"))
            .put("catalog", ImmutableSet.of("filesystem", "schema"))
            .put("merge", ImmutableSet.of())
            .put("lookup", ImmutableSet.of())
            // after-images come as the references that a merge hands out
            .put("changelog", ImmutableSet.of("merge"))
            .put("lsm", ImmutableSet.of("merge", "lookup", "changelog"))
            // a flush merges what one statement wrote of a key
            .put("write", ImmutableSet.of("lsm", "merge"))
            .put("commit", ImmutableSet.of())
            .put("scan", ImmutableSet.of("merge"))
            .put("maintenance", ImmutableSet.of("merge", "lookup", "changelog", "lsm", "write", "commit", "scan"))
            // the front door: statements that keep the house clean come in by it too
            .put("table", ImmutableSet.of("merge", "lookup", "changelog", "lsm", "write", "commit", "scan", "maintenance"))
            .buildOrThrow();

    // Plain data that a room may take from one that it does not call. They stay with those who made them, where a reader looks for
    // them; that they know the foundation alone is what makes them data.
    private static final Map<String, Set<String>> PLAIN_DATA = ImmutableMap.of(
            // reads have to cut a bucket into the same sections of sorted runs as compactions do
            IntervalPartition.class.getName(), ImmutableSet.of("scan"),
            SortedRun.class.getName(), ImmutableSet.of("scan"),
            Levels.class.getName(), ImmutableSet.of("scan"),
            // both have to agree on the buckets whose levels can be trusted
            LevelCompleteness.class.getName(), ImmutableSet.of("scan"),
            VectorCompleteness.class.getName(), ImmutableSet.of("scan"),
            // what these are made of
            IntervalPartition.class.getPackageName() + ".KeyRange", ImmutableSet.of(),
            // what a writer is done with, and a commit begins with
            CommitMessage.class.getName(), ImmutableSet.of("write"));

    private static JavaClasses classes;

    @BeforeAll
    static void importClasses()
            throws URISyntaxException
    {
        classes = new ClassFileImporter().importPath(Path.of(StorageException.class.getProtectionDomain().getCodeSource().getLocation().toURI()));
    }

    @Test
    void testEveryRoomIsInThePicture()
    {
        Set<String> rooms = classes.stream()
                .flatMap(type -> room(type).stream())
                .collect(toImmutableSet());
        assertThat(ARROWS.keySet()).containsAll(rooms);
        assertThat(rooms).containsAll(FOUNDATION).contains("write", "lsm", "merge", "lookup", "changelog", "commit", "scan", "table");
    }

    @Test
    void testArrows()
    {
        assertThat(dependencies(_ -> true).stream()
                .filter(dependency -> !isAllowed(dependency))
                .map(Dependency::getDescription)
                .collect(toImmutableList()))
                .isEmpty();
    }

    @Test
    void testFoundationKnowsNoRoomThatWorks()
    {
        for (String room : FOUNDATION) {
            assertThat(FOUNDATION).as(room).containsAll(ARROWS.get(room));
        }
        for (Map.Entry<String, Set<String>> arrows : ARROWS.entrySet()) {
            if (!FRONT.contains(arrows.getKey())) {
                assertThat(arrows.getValue()).as(arrows.getKey()).doesNotContainAnyElementsOf(FRONT);
            }
        }
    }

    @Test
    void testPlainDataKnowsTheFoundationAlone()
    {
        assertThat(dependencies(type -> isPlainData(type.getName())).stream()
                .filter(dependency -> !isPlainData(dependency.getTargetClass().getName()))
                .filter(dependency -> room(dependency.getTargetClass()).filter(room -> !isFoundation(room)).isPresent())
                .map(Dependency::getDescription)
                .collect(toImmutableList()))
                .isEmpty();
    }

    @Test
    void testNoCycles()
    {
        slices().matching(ENGINE + ".(*)..").should().beFreeOfCycles().check(classes);
    }

    @Test
    void testEngineKnowsNoConnector()
    {
        noClasses().that().resideOutsideOfPackages(ENGINE + ".format..", ENGINE + ".scan..")
                .should().dependOnClassesThat().resideInAPackage("io.trino.spi.connector..")
                .check(classes);
        // the page in which Trino's Parquet reader hands its columns over lives in that package
        noClasses()
                .should().dependOnClassesThat(resideInAPackage("io.trino.spi.connector..").and(not(equivalentTo(SourcePage.class))))
                .check(classes);
        noClasses().should().dependOnClassesThat().resideInAPackage("io.lookup.trino..").check(classes);
    }

    @Test
    void testNoWiring()
    {
        noClasses().should().dependOnClassesThat().resideInAnyPackage("com.google.inject..", "jakarta.inject..", "javax.inject..", "io.airlift.configuration..").check(classes);
    }

    @Test
    void testNoPaimon()
    {
        noClasses().should().dependOnClassesThat().resideInAPackage("org.apache.paimon..").check(classes);
    }

    private static List<Dependency> dependencies(Predicate<JavaClass> origins)
    {
        List<Dependency> dependencies = classes.stream()
                .filter(origins)
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .collect(toImmutableList());
        assertThat(dependencies).isNotEmpty();
        return dependencies;
    }

    private static boolean isAllowed(Dependency dependency)
    {
        Optional<String> targetRoom = room(dependency.getTargetClass());
        if (targetRoom.isEmpty()) {
            return true;
        }
        String origin = room(dependency.getOriginClass()).orElseThrow();
        String target = targetRoom.get();
        if (target.equals(ROOT) || target.equals(origin) || ARROWS.get(origin).contains(target)) {
            return true;
        }
        if (isFoundation(target) && !isFoundation(origin) && !origin.equals(ROOT)) {
            return true;
        }
        return PLAIN_DATA.entrySet().stream()
                .anyMatch(data -> isPartOf(dependency.getTargetClass().getName(), data.getKey()) && data.getValue().contains(origin));
    }

    private static boolean isFoundation(String room)
    {
        return room.equals(ROOT) || FOUNDATION.contains(room);
    }

    private static boolean isPlainData(String className)
    {
        return PLAIN_DATA.keySet().stream().anyMatch(type -> isPartOf(className, type));
    }

    private static boolean isPartOf(String className, String type)
    {
        return className.equals(type) || className.startsWith(type + "$");
    }

    /**
     * Empty for what is not of the engine.
     */
    private static Optional<String> room(JavaClass type)
    {
        String name = type.getBaseComponentType().getPackageName();
        if (name.equals(ENGINE)) {
            return Optional.of(ROOT);
        }
        if (!name.startsWith(ENGINE + ".")) {
            return Optional.empty();
        }
        String path = name.substring(ENGINE.length() + 1);
        int end = path.indexOf('.');
        return Optional.of(end < 0 ? path : path.substring(0, end));
    }
}
