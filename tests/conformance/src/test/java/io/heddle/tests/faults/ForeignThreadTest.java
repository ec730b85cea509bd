package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.ThreadMode;
import io.heddle.context.ThreadModeViolation;
import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestScale;
import io.heddle.worker.Claim;
import io.heddle.worker.ReceivedData;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.function.Executable;

/** A SINGLE worker touched by a thread that does not own it, and who the owner is. With the checks that debug has. */
@ExtendWith(HygieneExtension.class)
@Timeout(120)
@Tag("debug-only")
@ExpectedLog("worker")
class ForeignThreadTest {
    private final ReceivedData[] kept = new ReceivedData[1];
    private int received;

    @Test
    @StandsFor("T1")
    @Tag("scaled")
    void shouldRefuseEachCallOfAForeignThreadAndLeaveTheOwnerAlone() throws Exception {
        final int count = TestScale.count(2000, 10_000);
        try (Rig rig = Rig.open(ThreadMode.SINGLE)) {
            rig.sender.onError((worker, connection, status, error) -> { });
            rig.receiver.onError((worker, connection, status, error) -> { });
            rig.receiver.onActiveMessage(Rig.ID, message -> {
                Rig.assertRight(message);
                if (kept[0] == null) {
                    kept[0] = message.retain();
                }
                received++;
            });
            rig.sendNow(4000);
            rig.until("one is kept", () -> kept[0] != null);
            final Queue<Throwable> problems = new ConcurrentLinkedQueue<>();
            final Thread foreign = new Thread(() -> deeds(rig).forEach((name, deed) -> {
                try {
                    final ThreadModeViolation caught = assertThrows(ThreadModeViolation.class, deed, name);
                    assertNamed(caught, rig);
                } catch (final Throwable ex) {
                    problems.add(ex);
                }
            }), "foreign");
            foreign.start();
            for (int i = 1; i < count || foreign.isAlive(); i++) {
                final int wanted = i + 1;
                rig.send(i % 300);
                rig.until("ping", () -> received == wanted);
            }
            foreign.join();
            assertEquals(java.util.List.of(), java.util.List.copyOf(problems));
            assertTrue(rig.sender.statistics().violations() >= 8, rig.sender::describe);
            kept[0].release();
            rig.assertBalance();
        }
    }

    private Map<String, Executable> deeds(final Rig rig) {
        final Map<String, Executable> deeds = new LinkedHashMap<>();
        deeds.put("progress", rig.sender::progress);
        deeds.put("send", () -> rig.endpoint.sendActiveMessage(Rig.ID, null, null, 0, 0));
        deeds.put("trySend", () -> rig.endpoint.trySendActiveMessage(Rig.ID, null, null, 0, 0));
        deeds.put("tryClaim", () -> rig.endpoint.tryClaim(Rig.ID, 8, new Claim()));
        deeds.put("register", () -> rig.receiver.onActiveMessage(9, message -> { }));
        deeds.put("flush", rig.endpoint::flush);
        deeds.put("flush worker", rig.sender::flush);
        deeds.put("arm", rig.sender::arm);
        deeds.put("connect", () -> rig.sender.connect(rig.receiver.address()));
        deeds.put("resume", rig.endpoint::resume);
        deeds.put("transferTo", () -> rig.sender.transferTo(Thread.currentThread()));
        deeds.put("detach", rig.sender::detach);
        deeds.put("release", kept[0]::release);
        deeds.put("retain", kept[0]::retain);
        deeds.put("close endpoint", rig.endpoint::close);
        deeds.put("close worker", () -> rig.sender.close(CloseMode.FORCE, Rig.LIMIT));
        return deeds;
    }

    private static void assertNamed(final ThreadModeViolation caught, final Rig rig) {
        final String text = caught.getMessage();
        assertEquals(ThreadMode.SINGLE, caught.mode());
        assertEquals(Thread.currentThread(), caught.intruder());
        assertTrue(text.contains(rig.sender.name()) || text.contains(rig.receiver.name()), text);
        assertTrue(text.contains("foreign") && text.contains(rig.sender.ownerThread().getName()), text);
        assertTrue(text.contains("releaseAsync") && text.contains("MULTI"), text);
    }

    @Test
    @StandsFor("T5")
    void shouldBelongToItsCreatorUntilHandedOver() throws Exception {
        try (Rig rig = Rig.open(ThreadMode.SINGLE)) {
            rig.sender.onError((worker, connection, status, error) -> { });
            rig.receiver.onError((worker, connection, status, error) -> { });
            final Queue<Throwable> problems = new ConcurrentLinkedQueue<>();
            final Thread io = new Thread(() -> {
                try {
                    rig.receiver.progress();
                } catch (final Throwable ex) {
                    problems.add(ex);
                }
            }, "io");
            assertEquals(Thread.currentThread(), rig.receiver.ownerThread());
            rig.receiver.transferTo(io);
            assertEquals(io, rig.receiver.ownerThread());
            assertThrows(ThreadModeViolation.class, rig.receiver::progress);
            io.start();
            io.join();
            assertEquals(0, problems.size(), problems::toString);

            final Thread second = new Thread(() -> {
                try {
                    assertThrows(ThreadModeViolation.class, rig.sender::progress);
                } catch (final Throwable ex) {
                    problems.add(ex);
                }
            }, "second");
            second.start();
            second.join();
            assertEquals(0, problems.size(), problems::toString);
        }
    }

    @Test
    @StandsFor("T5")
    void shouldBelongToNobodyBetweenDetachAndAttach() throws Exception {
        try (Rig rig = Rig.open(ThreadMode.SINGLE)) {
            rig.sender.onError((worker, connection, status, error) -> { });
            rig.sender.detach();
            assertThrows(ThreadModeViolation.class, rig.sender::progress);
            rig.sender.attach();
            rig.sendNow(8);
        }
    }
}
