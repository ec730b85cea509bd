package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.pair.Stamp;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.Connection;
import io.heddle.worker.ReceivedData;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every way by which a payload comes (none, in the slot, in the byte ring, in a descriptor, in several) with every way
 * of letting it go, at the sizes where one becomes the other. The stamp is part of the record: 24 bytes.
 */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class DescriptorPathsTest {
    private static final int SLOT = 48 - Stamp.BYTES;
    private static final int INLINE = 2048 - Stamp.BYTES;
    private static final int SEGMENT = 65_536 - Stamp.BYTES;
    private static final int[] SIZES = {0, 1, SLOT - 1, SLOT, SLOT + 1, 1000, INLINE - 1, INLINE, INLINE + 1, 5000,
        SEGMENT - 1, SEGMENT, SEGMENT + 1, 65_536, 200_000};

    /** What is done with a message. */
    enum LetGo {
        IN_CALLBACK, SAME_THREAD, OTHER_THREAD, AFTER_ENDPOINT_CLOSE, AFTER_PEER_CLOSE, AFTER_WORKER_CLOSE
    }

    private final List<ReceivedData> kept = new ArrayList<>();
    private final List<Integer> crcs = new ArrayList<>();
    private final List<DirectBuffer> views = new ArrayList<>();
    private Connection accepted;
    private int received;

    static Stream<Arguments> cells() {
        return Stream.of(ThreadMode.values()).flatMap(mode -> Stream.of(LetGo.values())
            .map(letGo -> Arguments.of(mode, letGo)));
    }

    @ParameterizedTest
    @MethodSource("cells")
    @StandsFor("M5")
    void shouldBalanceWhateverCameAndHoweverItIsLetGo(final ThreadMode mode, final LetGo letGo) throws Exception {
        try (Rig rig = Rig.open(mode)) {
            rig.receiver.onActiveMessage(Rig.ID, message -> take(message, letGo));
            for (final int size : SIZES) {
                rig.sendNow(size);
            }
            rig.until("received", () -> received == SIZES.length);
            for (final DirectBuffer view : views) {
                assertThrows(RuntimeException.class, () -> view.getByte(0), "read after the callback");
            }
            letGo(rig, letGo);
            rig.until("balanced", () -> rig.receiver.isClosed() || rig.receiver.statistics().poolInUse() == 0);
            assertEquals(0, rig.receiver.statistics().poolInUse());
            assertEquals(0, rig.receiver.statistics().poolRefused());
        }
    }

    private void take(final ActiveMessage message, final LetGo letGo) {
        Rig.assertRight(message);
        accepted = message.connection();
        if (letGo == LetGo.IN_CALLBACK) {
            if (message.lengthBytes() > 0) {
                views.add(message.data());
            }
            message.retain().release();
        } else {
            kept.add(message.retain());
            crcs.add(Stamp.crc(message.header()));
        }
        received++;
    }

    private void letGo(final Rig rig, final LetGo how) throws InterruptedException {
        switch (how) {
            case IN_CALLBACK -> assertTrue(kept.isEmpty());
            case SAME_THREAD -> release(false);
            case OTHER_THREAD -> {
                final Thread other = new Thread(() -> release(true), "other");
                other.start();
                other.join();
            }
            case AFTER_ENDPOINT_CLOSE -> {
                accepted.close(CloseMode.FORCE, Rig.LIMIT);
                release(false);
            }
            case AFTER_PEER_CLOSE -> {
                rig.sender.close(CloseMode.FORCE, Rig.LIMIT);
                rig.until("the peer's end is known", accepted::isFailed);
                release(false);
            }
            case AFTER_WORKER_CLOSE -> {
                assertEquals(SIZES.length, rig.receiver.close(CloseMode.FORCE, Rig.LIMIT).leaks().size());
                release(true);
            }
            default -> throw new IllegalArgumentException("how=" + how);
        }
    }

    private void release(final boolean isAsync) {
        for (int i = 0; i < kept.size(); i++) {
            assertEquals(crcs.get(i), Stamp.crcOf(kept.get(i)), "bytes of number=" + i);
            if (isAsync) {
                kept.get(i).releaseAsync();
            } else {
                kept.get(i).release();
            }
        }
    }
}
