package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.Context;
import io.heddle.context.HeddleException;
import io.heddle.context.ThreadMode;
import io.heddle.context.ThreadModeViolation;
import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestScale;
import io.heddle.tests.base.TestSeed;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.ProgressThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every public call by which an application reaches a worker, each overload by itself, by the rules of every mode. */
@ExtendWith(HygieneExtension.class)
@Timeout(300)
@ExpectedLog("no such segment") // of connections that are closed while they connect
class EveryCallTest {
    private static final String FOREIGN = "foreign";

    private final Map<String, CallTable.Entry> table = new CallTable().entries();

    /** A new public method must be put into the table, or be exempt for a reason. */
    @Test
    @StandsFor({"T1", "T3"})
    void shouldKnowEveryPublicCall() throws Exception {
        final Set<String> known = new TreeSet<>(table.keySet());
        known.addAll(CallTable.IN_HANDLERS.keySet());
        known.addAll(CallTable.EXEMPT.keySet());
        assertEquals(Set.of(), PublicCalls.unknownClasses());
        final Set<String> missing = PublicCalls.signatures();
        missing.removeAll(known);
        assertEquals(Set.of(), missing, "in no table");
        final Set<String> stale = new TreeSet<>(known);
        stale.removeAll(PublicCalls.signatures());
        assertEquals(Set.of(), stale, "not there any more");
        assertEquals(known.size(), table.size() + CallTable.IN_HANDLERS.size() + CallTable.EXEMPT.size(), "each once");
    }

    @Test
    @StandsFor("T1")
    @Tag("debug-only")
    @ExpectedLog("worker")
    void shouldRefuseEveryUseByAForeignThreadAndLetTheOwnerRepeatIt(final TestSeed seed) throws Exception {
        final Random random = seed.random();
        try (Rig rig = Rig.open(ThreadMode.SINGLE)) {
            final CallProps.Stage stage = new CallProps.Stage(rig, false);
            for (final Map.Entry<String, CallTable.Entry> each : table.entrySet()) {
                try (CallProps props = new CallProps(stage, random)) {
                    final CallTable.Call call = each.getValue().preparation().prepare(props);
                    final Throwable thrown = onForeignThread(call);
                    if (each.getValue().isUse()) {
                        assertRefused(each.getKey(), thrown);
                        call.make();
                    } else {
                        assertNull(thrown, () -> each.getKey() + ": " + thrown);
                    }
                }
                rig.progress();
            }
            assertEquals(List.of(), List.copyOf(stage.errors));
            rig.assertBalance();
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"T1", "T3"})
    void shouldAllowWhatTheModeAllows(final ThreadMode mode, final TestSeed seed) throws Exception {
        final Random random = seed.random(mode.ordinal());
        try (Rig rig = Rig.open(mode)) {
            final CallProps.Stage stage = new CallProps.Stage(rig, false);
            for (final Map.Entry<String, CallTable.Entry> each : table.entrySet()) {
                try (CallProps props = new CallProps(stage, random)) {
                    final CallTable.Call call = each.getValue().preparation().prepare(props);
                    if (mode == ThreadMode.SINGLE) {
                        call.make();
                    } else { // in its turn, since this thread waits
                        final Throwable thrown = onForeignThread(call);
                        assertNull(thrown, () -> each.getKey() + ": " + thrown);
                    }
                }
                rig.progress();
            }
            assertEquals(List.of(), List.copyOf(stage.errors));
            assertEquals(0, rig.sender.statistics().violations() + rig.receiver.statistics().violations());
            rig.assertBalance();
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("T1")
    @ExpectedLog(value = "worker", optional = true)
    void shouldHoldTheRuleForUsesWithinAHandler(final ThreadMode mode) throws Exception {
        // SERIALIZED: the dispatching thread has the turn as long as its handler runs.
        final boolean isRefused = mode != ThreadMode.MULTI && Context.isCheckingThreads();
        try (Rig rig = Rig.open(mode)) {
            final CallProps.Stage stage = new CallProps.Stage(rig, false);
            for (final Map.Entry<String, CallTable.InHandler> each : CallTable.IN_HANDLERS.entrySet()) {
                final List<Throwable> thrown = new ArrayList<>();
                rig.receiver.onActiveMessage(Rig.ID, message -> {
                    each.getValue().make(message);
                    // Where nobody checks, only MULTI allows it.
                    thrown.add(isRefused || mode == ThreadMode.MULTI
                        ? onForeignThread(() -> each.getValue().make(message)) : null);
                });
                rig.sendNow(100);
                rig.until("handled", () -> !thrown.isEmpty());
                if (isRefused) {
                    assertRefused(each.getKey(), thrown.get(0));
                } else {
                    assertNull(thrown.get(0), each.getKey());
                }
            }
            assertEquals(List.of(), List.copyOf(stage.errors));
            rig.assertBalance();
        }
    }

    private static Throwable onForeignThread(final CallTable.Call call) {
        final List<Throwable> thrown = new ArrayList<>();
        final Thread foreign = new Thread(() -> {
            try {
                call.make();
            } catch (final Throwable ex) {
                thrown.add(ex);
            }
        }, FOREIGN);
        foreign.start();
        try {
            foreign.join();
        } catch (final InterruptedException ex) {
            throw new AssertionError(ex);
        }
        return thrown.isEmpty() ? null : thrown.get(0);
    }

    private static void assertRefused(final String signature, final Throwable thrown) {
        assertTrue(thrown instanceof ThreadModeViolation violation && FOREIGN.equals(violation.intruder().getName()),
            () -> signature + ": " + thrown);
    }

    @Test
    @StandsFor("T3")
    @Tag("scaled")
    void shouldSurviveEveryCallFromEightThreads(final TestSeed seed) throws Exception {
        final long lengthNs = Duration.ofMillis(TestScale.count(1500, 60_000)).toNanos();
        final Queue<Throwable> problems = new ConcurrentLinkedQueue<>();
        try (Rig rig = Rig.open(ThreadMode.MULTI)) {
            final CallProps.Stage stage = new CallProps.Stage(rig, true);
            rig.receiver.onActiveMessage(Rig.ID, EveryCallTest::useAll);
            final ProgressThread progress = ProgressThread.start(rig.receiver);
            RandomCallers.run(seed, lengthNs, table.values(), (entry, random) -> call(entry, stage, random, problems));
            progress.close();
            stage.close();
            rig.assertBalance();
            problems.addAll(stage.errors);
            assertEquals(List.of(), List.copyOf(problems), seed::toString);
        }
    }

    private static void useAll(final ActiveMessage message) {
        CallTable.IN_HANDLERS.values().forEach(each -> each.make(message));
    }

    private static void call(final CallTable.Entry entry, final CallProps.Stage stage, final Random random,
        final Queue<Throwable> problems) {
        try (CallProps props = new CallProps(stage, random)) {
            entry.preparation().prepare(props).make();
        } catch (final HeddleException ex) {
            return; // documented: closed, let go, busy, in another state
        } catch (final Throwable ex) {
            problems.add(ex);
        }
    }
}
