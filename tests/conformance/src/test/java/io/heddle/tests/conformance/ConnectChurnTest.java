package io.heddle.tests.conformance;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestScale;
import java.time.Duration;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connecting and closing again and again leaves nothing behind: no file, mapping, descriptor, and no heap. */
@ExtendWith(HygieneExtension.class)
@Timeout(1200)
@ExpectedLog(value = "no such segment", optional = true) // of an endpoint that is closed while it connects
class ConnectChurnTest {
    private static final int ID = 40;
    private static final int MAPPINGS_OF_ONE = 8;
    private static final UnsafeBuffer DATA = Payload.heap(3000, 1);
    private static final Duration SECOND = Duration.ofSeconds(1);

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.9/wireup.stress_connect"})
    @Tag("scaled")
    void shouldStayFlatOverManyConnections(final ThreadMode mode) {
        final int rounds = TestScale.count(30, mode == ThreadMode.MULTI ? 20_000 : 2_000);
        try (Duo duo = Duo.of(mode)) {
            final int[] received = new int[1];
            duo.right.onActiveMessage(ID, message -> received[0]++);
            churn(duo, received, rounds / 10);
            final Held before = settled(duo);
            TestScale.report("churn mode=%s rounds=0 %s", mode, before);
            for (int done = 0; done < rounds; done += rounds / 10) {
                churn(duo, received, rounds / 10);
                if (TestScale.isFull()) {
                    TestScale.report("churn mode=%s rounds=%d %s", mode, done + rounds / 10, settled(duo));
                }
            }
            final Held after = settled(duo);
            assertEquals(before.files(), after.files());
            assertTrue(after.descriptors() <= before.descriptors() + 2, () -> before + " then " + after);
            if (TestScale.isFull()) {
                assertTrue(after.heapBytes() - before.heapBytes() < 4 << 20, () -> before + " then " + after);
            }
            assertEquals(1, duo.left.statistics().endpoints());
            assertEquals(1, duo.right.statistics().endpoints());
        }
    }

    private static void churn(final Duo duo, final int[] received, final int rounds) {
        for (int i = 0; i < rounds; i++) {
            final int wanted = received[0] + 1;
            final Endpoint endpoint = Endpoint.create(duo.left, duo.right.address());
            // In a third of the rounds before it stands, in another the peer has only just heard of it.
            if (i % 3 > 0) {
                duo.until("connected", endpoint::isConnected);
                duo.done(endpoint.sendActiveMessage(ID, null, DATA, 0, DATA.capacity()));
            }
            if (i % 3 == 2) {
                duo.until("received", () -> received[0] == wanted);
            }
            endpoint.close(i % 2 == 0 ? CloseMode.FORCE : CloseMode.FLUSH, SECOND);
            assertEquals(Status.CANCELED, endpoint.status());
        }
        duo.settle();
    }

    /** When nothing is mapped any more but what the one connection needs: a segment lingers for a while. */
    private static Held settled(final Duo duo) {
        duo.until("the peer's ends have gone", () -> duo.right.statistics().endpoints() == 1);
        await("unmapped").atMost(Duration.ofSeconds(60)).pollInSameThread().until(() -> {
            duo.settle();
            return Held.segments() <= MAPPINGS_OF_ONE;
        });
        return Held.now();
    }
}
