package io.heddle.tests.conformance.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Holds the arrows of the modules, and the rule that no transport and no pool is called outside a guarded section. */
@Timeout(60)
class ArchitectureTest {
    private static final String CONTEXT = "io.heddle.context..";
    private static final String SHM = "io.heddle.shm..";
    private static final String WORKER = "io.heddle.worker..";
    private static final String ENDPOINTS = "io.heddle.endpoints..";
    private static final String TOOLS = "io.heddle.tools..";
    private static final String[] LIBRARIES = {CONTEXT, SHM, WORKER, ENDPOINTS};

    private static final JavaClasses HEDDLE = new ClassFileImporter()
        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
        .importPackages("io.heddle");

    @Test
    void shouldHaveClassesToLookAt() {
        assertFalse(HEDDLE.isEmpty());
    }

    @Test
    void shouldKeepContextAloneAtTheBottom() {
        check(noClasses().that().resideInAPackage(CONTEXT)
            .should().dependOnClassesThat().resideInAnyPackage(SHM, WORKER, ENDPOINTS, TOOLS));
    }

    @Test
    void shouldLetTransportSeeContextOnly() {
        check(noClasses().that().resideInAPackage(SHM)
            .should().dependOnClassesThat().resideInAnyPackage(WORKER, ENDPOINTS, TOOLS));
    }

    @Test
    void shouldLetWorkerSeeContextOnly() {
        check(noClasses().that().resideInAPackage(WORKER)
            .should().dependOnClassesThat().resideInAnyPackage(SHM, ENDPOINTS, TOOLS));
    }

    @Test
    void shouldLetEndpointsSeeWorkerAndContextOnly() {
        check(noClasses().that().resideInAPackage(ENDPOINTS)
            .should().dependOnClassesThat().resideInAnyPackage(SHM, TOOLS));
    }

    @Test
    void shouldLetNobodyImportTransport() {
        check(noClasses().that().resideOutsideOfPackage(SHM)
            .should().dependOnClassesThat().resideInAPackage(SHM)
            .because("a transport is found by ServiceLoader, so that another can stand beside it"));
    }

    @Test
    void shouldLetToolsSeePublicPackagesOnly() {
        check(noClasses().that().resideInAPackage(TOOLS)
            .should().dependOnClassesThat().resideInAnyPackage("io.heddle.context..internal..",
                "io.heddle.worker..internal..", "io.heddle.endpoints..internal..", SHM));
    }

    @Test
    void shouldHaveNoCycleBetweenModules() {
        check(slices().matching("io.heddle.(*)..").should().beFreeOfCycles());
    }

    @Test
    void shouldLogThroughSlf4jOnly() {
        check(noClasses().that().resideInAnyPackage(LIBRARIES)
            .should().dependOnClassesThat().resideInAnyPackage("java.util.logging..", "ch.qos.logback.."));
    }

    @Test
    void shouldTouchTransportsAndPoolsUnderGuardOnly() {
        check(GuardedSections.heddle().onlyGuardedCodeTouchesTransportsAndPools());
    }

    @Test
    void shouldCallGuardedCodeUnderGuardOnly() {
        check(GuardedSections.heddle().onlyGuardedCodeCallsGuardedCode());
    }

    /** A module without classes passes: the rule binds from its first class on. */
    private static void check(final ArchRule rule) {
        rule.allowEmptyShould(true).check(HEDDLE);
    }
}
