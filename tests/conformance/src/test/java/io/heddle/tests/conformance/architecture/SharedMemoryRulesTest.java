package io.heddle.tests.conformance.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.heddle.tests.base.StandsFor;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileLock;
import java.time.Clock;
import java.time.Instant;
import java.util.Date;
import java.util.Set;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.EpochClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What may not be done with memory that a peer sees, and which clock may not decide anything. */
@Timeout(60)
class SharedMemoryRulesTest {
    private static final String SHM = "io.heddle.shm..";
    private static final String[] LIBRARIES =
        {"io.heddle.context..", SHM, "io.heddle.worker..", "io.heddle.endpoints.."};
    private static final Set<String> DATED_FOR_PEOPLE = Set.of("io.heddle.context.Context",
        "io.heddle.context.ContextConfig", "io.heddle.context.Counters", "io.heddle.worker.StallWatch");
    private static final JavaClasses HEDDLE = new ClassFileImporter()
        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
        .importPackages("io.heddle");

    @Test
    @StandsFor("P2")
    void shouldChangeNoSharedWordByReadModifyWrite() {
        noClasses().that().resideInAPackage(SHM)
            .should().callMethodWhere(describe("read-modify-write on memory", SharedMemoryRulesTest::isReadModifyWrite))
            .because("a lock in shared memory outlives its holder, and read-modify-write on a lost page kills the JVM")
            .check(HEDDLE);
    }

    @Test
    void shouldKnowReadModifyWriteWhenItSeesOne() {
        assertEquals(2, new ClassFileImporter().importClass(Taker.class).getMethodCallsFromSelf().stream()
            .filter(SharedMemoryRulesTest::isReadModifyWrite).count());
    }

    private static boolean isReadModifyWrite(final JavaMethodCall call) {
        final JavaClass owner = call.getTargetOwner();
        return call.getTarget().getName().matches("(compareAnd|weakCompare|getAnd|addAnd).*")
            && (owner.isEquivalentTo(UnsafeApi.class) || owner.isEquivalentTo(VarHandle.class)
                || owner.isAssignableTo(AtomicBuffer.class));
    }

    @Test
    @StandsFor("P2")
    void shouldLockNoFileInTheTransport() {
        noClasses().that().resideInAPackage(SHM).should().dependOnClassesThat(equivalentTo(FileLock.class))
            .check(HEDDLE);
    }

    @Test
    @StandsFor("P4")
    void shouldDecideNothingByTheWallClock() {
        noClasses().that().resideInAnyPackage(LIBRARIES)
            .should().callMethod(System.class, "currentTimeMillis")
            .orShould().dependOnClassesThat(equivalentTo(Clock.class).or(equivalentTo(Date.class)))
            .because("the wall clock jumps").check(HEDDLE);
        noClasses().that().resideInAnyPackage(LIBRARIES)
            .and(describe("do not only date what people read", each -> !DATED_FOR_PEOPLE.contains(each.getName())))
            .should().dependOnClassesThat(equivalentTo(Instant.class).or(assignableTo(EpochClock.class)))
            .because("the wall clock jumps, and only dates what people read").check(HEDDLE);
    }

    /** What the rule has to find. */
    private static final class Taker {
        private Taker() {
        }

        static boolean take(final long address, final AtomicBuffer buffer) {
            return UnsafeApi.compareAndSetLong(null, address, 0, 1) && buffer.getAndAddLong(0, 1) == 0;
        }
    }
}
