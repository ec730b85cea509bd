package io.heddle.tests.conformance.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import java.util.Set;
import java.util.function.Predicate;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;

/**
 * The rule "no transport and no pool is called outside a guarded section", on names, so that it can be tried on
 * examples.
 *
 * <p>A call in a lambda counts as made by the method that holds the lambda. Only interfaces of the SPI are looked at:
 * its classes, enums and records are the caller's own data. A method or an interface marked {@code AnyThread} is free.
 * A guarded constructor makes an object that nobody shares yet, so that it may be called anywhere. Immutable.
 *
 * @param users       packages whose calls are looked at
 * @param spi         package of the transport SPI, and of {@code AnyThread}
 * @param pools       names of the pool classes
 * @param poolCalls   names of their methods that change them
 * @param guard       name of the guard class; whoever calls its {@code enter} is a guarded section
 * @param annotations package of {@code Guarded} and {@code TokenHolder}
 */
record GuardedSections(
    String[] users, String spi, Set<String> pools, Set<String> poolCalls, String guard, String annotations) {

    static GuardedSections heddle() {
        return new GuardedSections(
            new String[] {"io.heddle.worker..", "io.heddle.endpoints.."},
            "io.heddle.context.spi",
            Set.of("io.heddle.context.MemoryPool", "io.heddle.context.ElementPool", "io.heddle.context.MemoryPoolSet"),
            Set.of("take", "put", "grow", "adopt", "trim", "removeChunk"),
            "io.heddle.context.internal.ThreadGuard",
            "io.heddle.context.internal");
    }

    ArchRule onlyGuardedCodeTouchesTransportsAndPools() {
        return classes().that().resideInAnyPackage(users)
            .should(keepTo("touch a transport or a pool under the guard only", this::isViolatingTouch));
    }

    ArchRule onlyGuardedCodeCallsGuardedCode() {
        return classes().that().resideInAnyPackage(users)
            .should(keepTo("call guarded code under the guard only",
                call -> isGuardedMethod(call) && !isGuardedSection(call.getOrigin())));
    }

    private boolean isViolatingTouch(final JavaCodeUnitAccess<?> call) {
        if (isGuardedSection(call.getOrigin())) {
            return false;
        }
        return isPoolCall(call) || isSpiCall(call) && !isMarked(call.getOrigin(), "TokenHolder");
    }

    private boolean isSpiCall(final JavaCodeUnitAccess<?> call) {
        final JavaClass owner = call.getTargetOwner();
        final boolean isFree = owner.isAnnotatedWith(spi + ".AnyThread")
            || call.getTarget().resolveMember().filter(target -> target.isAnnotatedWith(spi
                + ".AnyThread")).isPresent();
        return owner.isInterface() && owner.getPackageName().equals(spi) && !isFree;
    }

    private boolean isPoolCall(final JavaCodeUnitAccess<?> call) {
        return pools.contains(call.getTargetOwner().getName()) && poolCalls.contains(call.getTarget().getName());
    }

    private boolean isGuardedMethod(final JavaCodeUnitAccess<?> call) {
        return call.getTarget().resolveMember()
            .filter(target -> target instanceof JavaMethod && target.isAnnotatedWith(annotations + ".Guarded"))
            .isPresent();
    }

    private boolean isGuardedSection(final JavaCodeUnit unit) {
        return isMarked(unit, "Guarded") || unit.getCallsFromSelf().stream().anyMatch(call ->
            call.getTargetOwner().getName().equals(guard) && call.getTarget().getName().equals("enter"));
    }

    private boolean isMarked(final JavaCodeUnit unit, final String annotation) {
        return unit.isAnnotatedWith(annotations + "." + annotation);
    }

    private static ArchCondition<JavaClass> keepTo(
        final String description, final Predicate<JavaCodeUnitAccess<?>> isViolation) {

        return new ArchCondition<>(description) {
            @Override
            public void check(final JavaClass user, final ConditionEvents events) {
                user.getCodeUnitAccessesFromSelf().stream().filter(isViolation).forEach(call ->
                    events.add(SimpleConditionEvent.violated(user, call.getDescription())));
            }
        };
    }
}
