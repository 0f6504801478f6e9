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

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.lookup.storage.StorageException;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.net.URISyntaxException;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/**
 * What the connector knows of the engine and of others.
 */
final class TestRooms
{
    private static final String ENGINE = StorageException.class.getPackageName();

    private static JavaClasses classes;

    @BeforeAll
    static void importClasses()
            throws URISyntaxException
    {
        classes = new ClassFileImporter().importPath(java.nio.file.Path.of(LookupPlugin.class.getProtectionDomain().getCodeSource().getLocation().toURI()));
    }

    @Test
    void testEngineIsEnteredByItsFrontDoors()
    {
        // how rows move and merge is told to nobody
        noClasses()
                .should().dependOnClassesThat().resideInAnyPackage(ENGINE + ".lsm..", ENGINE + ".merge..", ENGINE + ".changelog..")
                .check(classes);
        // files are opened by the engine; one module says with which settings
        noClasses().that().resideOutsideOfPackage("io.lookup.trino.engine..")
                .should().dependOnClassesThat().resideInAnyPackage(ENGINE + ".filesystem..", ENGINE + ".format.parquet..", ENGINE + ".lookup..")
                .check(classes);
    }

    @Test
    void testNoHadoopFileSystem()
    {
        // a path is only a name
        noClasses()
                .should().dependOnClassesThat(resideInAPackage("org.apache.hadoop..").and(not(equivalentTo(Path.class))))
                .check(classes);
    }

    @Test
    void testNoFileFormats()
    {
        noClasses()
                .should().dependOnClassesThat(resideInAnyPackage("org.apache.parquet..", "io.trino.parquet..", "org.apache.avro.."))
                .check(classes);
    }

    @Test
    void testNoPaimon()
    {
        noClasses().should().dependOnClassesThat().resideInAPackage("org.apache.paimon..").check(classes);
    }

    @Test
    void testHandlesKnowNoOtherRoom()
    {
        // they travel between nodes, so that they hold data alone
        noClasses().that().resideInAPackage("io.lookup.trino.handle..")
                .should().dependOnClassesThat(resideInAPackage("io.lookup.trino..").and(not(resideInAPackage("io.lookup.trino.handle.."))))
                .check(classes);
    }
}
