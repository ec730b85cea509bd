package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.ContextConfig;
import io.heddle.context.ContextConfig.LeakTracking;
import io.heddle.context.DescriptorStateException;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.pair.Stamp;
import io.heddle.worker.ReceivedData;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is not returned is named at the close, and stays readable. */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class LeakReportTest {
    private static final int MESSAGES = 1000;
    private static final int LEAKED = 3;
    private static final int BYTES = 4000;

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("M1")
    void shouldNameEachOfThreeThatWereNotReturned(final ThreadMode mode) {
        final List<String> leaks = leaksOf(mode, LeakTracking.OFF);
        assertEquals(LEAKED, leaks.size(), leaks::toString);
        for (final String leak : leaks) {
            assertTrue(leak.contains("was not returned to pool"), leak);
            assertTrue(leak.contains("sender"), () -> "who it came from: " + leak);
            assertFalse(leak.contains("shouldNameEach"), () -> "no stack: " + leak);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("M1")
    void shouldShowWhereEachWasReceivedIfAsked(final ThreadMode mode) {
        for (final String leak : leaksOf(mode, LeakTracking.FULL)) {
            assertTrue(leak.contains("io.heddle."), () -> "the stack of its receipt: " + leak);
        }
    }

    private static List<String> leaksOf(final ThreadMode mode, final LeakTracking tracking) {
        final List<ReceivedData> kept = new ArrayList<>();
        final List<Integer> crcs = new ArrayList<>();
        final CloseReport report;
        try (Rig rig = Rig.open(mode, new ContextConfig().leakTracking(tracking))) {
            rig.receiver.onActiveMessage(Rig.ID, message -> {
                kept.add(message.retain());
                crcs.add(Stamp.crc(message.header()));
            });
            for (int i = 0; i < MESSAGES; i++) {
                rig.sendNow(BYTES);
            }
            rig.until("all received", () -> kept.size() == MESSAGES);
            for (int i = LEAKED; i < MESSAGES; i++) {
                kept.get(i).release();
            }
            report = rig.receiver.close(CloseMode.FLUSH, Rig.LIMIT);
            assertEquals(LEAKED, rig.receiver.statistics().poolInUse());
            for (int i = 0; i < LEAKED; i++) {
                assertEquals(crcs.get(i), Stamp.crcOf(kept.get(i)), "its own bytes after the close");
            }
            kept.get(0).close();
            assertThrows(DescriptorStateException.class, () -> kept.get(0).releaseAsync());
            assertThrows(RuntimeException.class, () -> kept.get(0).getByte(0));
            assertThrows(RuntimeException.class, () -> kept.get(LEAKED).getByte(0));
        }
        for (int i = 1; i < LEAKED; i++) {
            assertEquals(crcs.get(i), Stamp.crcOf(kept.get(i)), "its own bytes after the context's end");
            kept.get(i).releaseAsync();
        }
        return report.leaks();
    }
}
