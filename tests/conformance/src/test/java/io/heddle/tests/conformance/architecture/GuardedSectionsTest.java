package io.heddle.tests.conformance.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.EvaluationResult;
import io.heddle.tests.conformance.architecture.fixture.internal.Pool;
import io.heddle.tests.conformance.architecture.fixture.internal.ThreadGuard;
import io.heddle.tests.conformance.architecture.fixture.spi.Lane;
import io.heddle.tests.conformance.architecture.fixture.worker.CallsGuarded;
import io.heddle.tests.conformance.architecture.fixture.worker.Obedient;
import io.heddle.tests.conformance.architecture.fixture.worker.TouchesLane;
import io.heddle.tests.conformance.architecture.fixture.worker.TouchesPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class GuardedSectionsTest {
    private static final GuardedSections RULES = new GuardedSections(
        new String[] {Obedient.class.getPackageName()},
        Lane.class.getPackageName(),
        Set.of(Pool.class.getName()),
        Set.of("take"),
        ThreadGuard.class.getName(),
        "io.heddle.context.internal");

    @Test
    void shouldAcceptGuardedCode() {
        assertFalse(evaluate(RULES.onlyGuardedCodeTouchesTransportsAndPools(), Obedient.class).hasViolation());
        assertFalse(evaluate(RULES.onlyGuardedCodeCallsGuardedCode(), Obedient.class).hasViolation());
    }

    @Test
    void shouldFindTransportCalledWithoutGuard() {
        final EvaluationResult result =
            evaluate(RULES.onlyGuardedCodeTouchesTransportsAndPools(), TouchesLane.class);

        assertEquals(2, result.getFailureReport().getDetails().size());
        assertTrue(result.getFailureReport().toString().contains("TouchesLane.plainly"));
        assertTrue(result.getFailureReport().toString().contains("TouchesLane.hidden"));
    }

    @Test
    void shouldFindPoolChangedWithTokenAlone() {
        assertTrue(evaluate(RULES.onlyGuardedCodeTouchesTransportsAndPools(), TouchesPool.class).hasViolation());
    }

    @Test
    void shouldFindGuardedCodeCalledWithoutGuard() {
        assertTrue(evaluate(RULES.onlyGuardedCodeCallsGuardedCode(), CallsGuarded.class).hasViolation());
    }

    private static EvaluationResult evaluate(final ArchRule rule, final Class<?> user) {
        final JavaClasses classes = new ClassFileImporter().importClasses(
            user, Lane.class, Pool.class, ThreadGuard.class);
        return rule.evaluate(classes);
    }
}
