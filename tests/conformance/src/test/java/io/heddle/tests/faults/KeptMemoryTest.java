package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.ContextConfig;
import io.heddle.context.ContextConfig.PoolExhausted;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestScale;
import io.heddle.tests.pair.Stamp;
import io.heddle.worker.ReceivedData;
import io.heddle.worker.Request;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What happens to one who keeps everything. */
@ExtendWith(HygieneExtension.class)
@Timeout(300)
class KeptMemoryTest {
    private static final long LIMIT_BYTES = 1024 * 1024;
    private static final int LARGE = 8000;

    private final List<ReceivedData> kept = new ArrayList<>();
    private final List<Integer> crcs = new ArrayList<>();

    private void keepAll(final Rig rig) {
        rig.receiver.onActiveMessage(Rig.ID, message -> {
            kept.add(message.retain());
            crcs.add(Stamp.crc(message.header()));
        });
    }

    private void releaseAll() {
        for (int i = 0; i < kept.size(); i++) {
            assertEquals(crcs.get(i), Stamp.crcOf(kept.get(i)), "bytes of number=" + i);
            kept.get(i).release();
        }
        kept.clear();
        crcs.clear();
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("M4")
    @Tag("scaled")
    void shouldHoldTheSenderBackUntilOneIsReleased(final ThreadMode mode) {
        try (Rig rig = Rig.open(mode, new ContextConfig().poolLimitBytes(LIMIT_BYTES))) {
            keepAll(rig);
            final List<Request> requests = new ArrayList<>();
            for (int i = 0; i < 2 * LIMIT_BYTES / LARGE; i++) {
                requests.add(rig.send(LARGE));
                rig.progress();
            }
            rig.until("dry", () -> rig.progress() == 0 && rig.receiver.statistics().poolExhausted() > 0);
            final int had = kept.size();
            assertTrue(had * (long) LARGE <= LIMIT_BYTES && had > 10, "kept=" + had);
            assertTrue(requests.stream().anyMatch(request -> !request.isDone()), "the rest waits");
            assertTrue(rig.receiver.describe().contains("out:"), rig.receiver::describe);
            assertTrue(rig.sender.describe().contains("lastRefusal=credit"), rig.sender::describe);

            final long startNs = System.nanoTime();
            kept.remove(0).release();
            crcs.remove(0);
            rig.until("one more came", () -> kept.size() == had);
            TestScale.report("M4 mode=%s restart_us=%d", mode, (System.nanoTime() - startNs) / 1000);

            rig.until("all came", () -> {
                releaseAll();
                return requests.stream().allMatch(Request::isDone) && rig.progress() == 0 && kept.isEmpty();
            });
            rig.assertBalance();
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("M4")
    void shouldGoOnWithCopiesIfThatIsChosen(final ThreadMode mode) {
        final int count = (int) (12 * LIMIT_BYTES / 10 / LARGE); // more than can be kept in place
        try (Rig rig = Rig.open(mode,
            new ContextConfig().poolLimitBytes(LIMIT_BYTES).poolExhausted(PoolExhausted.COPY))) {
            keepAll(rig);
            for (int i = 0; i < count; i++) {
                rig.sendNow(LARGE);
            }
            rig.until("all kept", () -> kept.size() == count);
            assertTrue(rig.receiver.statistics().bytesCopied() > 0);
            releaseAll();
            rig.assertBalance();
        }
    }
}
