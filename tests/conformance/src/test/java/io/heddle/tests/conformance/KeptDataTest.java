package io.heddle.tests.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.DescriptorStateException;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.worker.ReceivedData;
import io.heddle.worker.Worker;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Payload kept beyond its handler: unharmed by later traffic, aligned, right-sized, given back. */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class KeptDataTest {
    private static final int ID = 4;
    private static final int INLINE = 40;
    private static final int IN_RING = 1500;
    private static final int SINGLE = 30_000;
    private static final int MULTI = 200_000;

    /** Keeps what comes, or lets it pass. */
    private static final class Keeper {
        private final List<ReceivedData> kept = new ArrayList<>();
        private boolean isKeeping = true;
        private int passed;

        Keeper(final Worker worker) {
            worker.onActiveMessage(ID, message -> {
                if (isKeeping) {
                    kept.add(message.retain());
                } else {
                    passed++;
                }
            });
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.6/rx_persistent_data", "6.6/eager_data_release.short", "6.10/p2p_am.am_short_keep_data"})
    void shouldKeepInlineDataUntilReleased(final ThreadMode mode) {
        keepThroughTraffic(mode, 1, INLINE, IN_RING);
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.6/send_process_am_release", "6.6/eager_data_release.single", "6.10/p2p_am.am_bcopy_keep_data"})
    void shouldKeepADescriptorUntilReleased(final ThreadMode mode) {
        keepThroughTraffic(mode, 5000, SINGLE, 65_536);
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.6/eager_data_release.multi", "6.6/multi_recv_data_late"})
    void shouldKeepAMessageOfSeveralFragmentsUntilReleased(final ThreadMode mode) {
        keepThroughTraffic(mode, 65_537, MULTI);
    }

    private static void keepThroughTraffic(final ThreadMode mode, final int... sizes) {
        try (Duo duo = Duo.of(mode)) {
            final Keeper keeper = new Keeper(duo.right);
            for (int i = 0; i < 3 * sizes.length; i++) {
                duo.send(duo.there, ID, null, Payload.heap(sizes[i % sizes.length], i));
            }
            duo.until("kept", () -> keeper.kept.size() == 3 * sizes.length);
            keeper.isKeeping = false;
            duo.until("counted", () -> duo.right.statistics().poolInUse() == 3 * sizes.length);
            for (int i = 0; i < 300; i++) {
                duo.send(duo.there, ID, null, Payload.heap(sizes[i % sizes.length], -1));
            }
            duo.until("traffic", () -> keeper.passed == 300);

            for (int i = 0; i < keeper.kept.size(); i++) {
                final ReceivedData kept = keeper.kept.get(i);
                Payload.check(kept, sizes[i % sizes.length], i);
                letGo(kept, i);
            }
            duo.until("all came back", () -> duo.right.statistics().poolInUse() == 0);
            assertEquals(0, duo.right.statistics().poolRefused());
        }
    }

    /** In every way there is. */
    private static void letGo(final ReceivedData kept, final int way) {
        switch (way % 3) {
            case 0 -> kept.release();
            case 1 -> kept.releaseAsync();
            default -> kept.close();
        }
        assertFalse(kept.isHeld());
        assertThrows(DescriptorStateException.class, () -> kept.getByte(0));
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldKeepDataUntilTheLastOfSeveralHoldersLetsGo(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Keeper keeper = new Keeper(duo.right);
            for (final int bytes : new int[] {INLINE, SINGLE, MULTI}) {
                duo.send(duo.there, ID, null, Payload.heap(bytes, bytes));
                duo.until("kept", () -> keeper.kept.size() == 1);
                final ReceivedData first = keeper.kept.remove(0);
                final ReceivedData second = first.retain();
                first.release();
                Payload.check(second, bytes, bytes);
                assertThrows(DescriptorStateException.class, first::retain);
                assertThrows(DescriptorStateException.class, first::release);
                second.release();
                duo.until("came back", () -> duo.right.statistics().poolInUse() == 0);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldKeepDataReadableAfterWorkerAndContextAreClosed(final ThreadMode mode) {
        final List<ReceivedData> kept;
        final int[] sizes = {INLINE, SINGLE, MULTI};
        try (Duo duo = Duo.of(mode)) {
            final Keeper keeper = new Keeper(duo.right);
            for (final int bytes : sizes) {
                duo.send(duo.there, ID, null, Payload.heap(bytes, bytes));
            }
            duo.until("kept", () -> keeper.kept.size() == sizes.length);
            kept = keeper.kept;
            duo.expectLeaks(sizes.length);
        }
        for (int i = 0; i < sizes.length; i++) {
            Payload.check(kept.get(i), sizes[i], sizes[i]);
            kept.get(i).close();
            kept.get(i).close();
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.6/rx_am_mpools")
    void shouldKeepEachMessageInTheSizeClassThatFitsIt(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Keeper keeper = new Keeper(duo.right);
            for (int i = 0; i < 1000; i++) {
                duo.send(duo.there, ID, null, Payload.heap(8, i));
            }
            duo.until("kept", () -> keeper.kept.size() == 1000);
            assertEquals(8000, duo.right.statistics().bytesCopied());
            final long memoryBytes = duo.right.statistics().poolMemoryBytes();
            assertTrue(memoryBytes <= 256 * 1024, "poolMemoryBytes=" + memoryBytes);

            for (int power = 12; power <= 16; power++) {
                duo.send(duo.there, ID, null, Payload.heap((1 << power) / 2 + 1, power));
                duo.send(duo.there, ID, null, Payload.heap(1 << power, power));
            }
            duo.until("kept", () -> keeper.kept.size() == 1010);
            assertEquals(8000, duo.right.statistics().bytesCopied(), "kept where they were");
            keeper.kept.forEach(ReceivedData::close);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor({"6.6/align.basic", "6.6/align.multi", "6.10/p2p_am.alignment"})
    void shouldAlignDataAsPromised(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final List<Long> inHandler = new ArrayList<>();
            final List<ReceivedData> kept = new ArrayList<>();
            duo.right.onActiveMessage(ID, message -> {
                final DirectBuffer data = message.data();
                inHandler.add(data.addressOffset());
                kept.add(message.retain());
            });
            final int[] sizes = {1, 8, 47, 48, 49, 1001, 2048, 2049, 5000, 65_535, 65_536, 65_537, MULTI};
            for (int i = 0; i < 3 * sizes.length; i++) {
                duo.send(duo.there, ID, Payload.heap(1 + i, 0), Payload.heap(sizes[i % sizes.length], i));
            }
            duo.until("messages", () -> kept.size() == 3 * sizes.length);
            for (int i = 0; i < kept.size(); i++) {
                final int bytes = sizes[i % sizes.length];
                assertEquals(0, inHandler.get(i) % (bytes > 2048 ? 64 : 8), "in the handler, lengthBytes=" + bytes);
                assertEquals(0, kept.get(i).memoryAddress() % 64, "kept, lengthBytes=" + bytes);
                Payload.check(kept.get(i), bytes, i);
                kept.get(i).close();
            }
        }
    }
}
