package io.heddle.endpoints;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.worker.Connection;
import io.heddle.worker.ReceivedData;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A handler keeps a message and postpones it: what it kept stays, and the message comes again. */
@Timeout(30)
final class PostponedAndKeptTest {
    private static final int BYTES = 4096;

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldDeliverAgainWhatWasKeptAndPostponed(final ThreadMode mode) throws IOException {
        final List<ReceivedData> kept = new ArrayList<>();
        final List<Long> delivered = new ArrayList<>();
        final AtomicReference<Connection> from = new AtomicReference<>();
        try (Duo duo = new Duo(mode, new ContextConfig())) {
            duo.far.onActiveMessage(1, message -> {
                from.set(message.connection());
                kept.add(message.retain());
                if (kept.size() == 1) {
                    message.postpone();
                } else {
                    delivered.add(message.data().getLong(0));
                }
            });
            final UnsafeBuffer data = new UnsafeBuffer(new byte[BYTES]);
            data.putLong(0, 11);
            duo.endpoint.sendActiveMessage(1, null, data, 0, BYTES);
            duo.until(() -> kept.size() == 1);
            data.putLong(0, 12);
            duo.until(() -> duo.endpoint.trySendActiveMessage(1, null, data, 0, BYTES) == Status.OK);
            from.get().resume();
            duo.until(() -> delivered.size() == 2);
            assertEquals(List.of(11L, 12L), delivered);
            assertEquals(11L, kept.get(0).getLong(0));
            kept.forEach(ReceivedData::close);
            duo.until(() -> duo.far.statistics().poolInUse() == 0);
            assertEquals(0, duo.far.statistics().callbacksFailed());
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldReportNothingKeptWhenClosedWhilePostponed(final ThreadMode mode) throws IOException {
        final AtomicReference<ReceivedData> kept = new AtomicReference<>();
        try (Duo duo = new Duo(mode, new ContextConfig())) {
            duo.far.onActiveMessage(1, message -> {
                kept.set(message.retain());
                message.postpone();
            });
            duo.endpoint.sendActiveMessage(1, null, new UnsafeBuffer(new byte[BYTES]), 0, BYTES);
            duo.until(() -> kept.get() != null);
            kept.get().close();
            duo.until(() -> duo.far.progress() == 0);
            duo.far.close();
            assertTrue(duo.far.isClosed());
            assertEquals(0, duo.far.statistics().poolInUse());
        }
    }
}
