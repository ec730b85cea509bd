package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.DescriptorStateException;
import io.heddle.context.ThreadMode;
import io.heddle.tests.pair.Stamp;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.Connection;
import io.heddle.worker.ReceivedData;
import io.heddle.worker.Worker;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.function.Executable;

/**
 * What one worker received, of every way by which a payload comes (none, in the slot, in the byte ring, in a
 * descriptor, in several), and one way of letting it go. Confined to the worker's owner.
 */
final class TakenMessages {
    private static final int SLOT = 48 - Stamp.BYTES;
    private static final int INLINE = 2048 - Stamp.BYTES;
    private static final int SEGMENT = 65_536 - Stamp.BYTES;
    /** What is put together from several pieces lies in memory of at least this size, and twice that. */
    private static final int LONG = 128 * 1024;
    /** Where one way becomes the other; the stamp is part of the record. */
    static final int[] SIZES = {0, 1, SLOT - 1, SLOT, SLOT + 1, 1000, INLINE - 1, INLINE, INLINE + 1, 5000,
        SEGMENT - 1, SEGMENT, SEGMENT + 1, 65_536, LONG - 1, LONG, LONG + 1, 200_000};

    /** What is done with the messages, and when. */
    enum LetGo {
        CONSUMED, RETAINED_IN_CALLBACK, SAME_THREAD, OTHER_THREAD, AFTER_ENDPOINT_CLOSE, AFTER_WORKER_CLOSE;

        boolean isKeeping() {
            return this != CONSUMED && this != RETAINED_IN_CALLBACK;
        }
    }

    private final Worker receiver;
    private final LetGo how;
    private final List<ReceivedData> kept = new ArrayList<>();
    private final List<Integer> crcs = new ArrayList<>();
    private final List<DirectBuffer> views = new ArrayList<>();
    private ActiveMessage message;
    private Connection connection;
    private int count;

    /** Registers with the worker. */
    TakenMessages(final Worker receiver, final LetGo how) {
        this.receiver = receiver;
        this.how = how;
        receiver.onActiveMessage(Rig.ID, this::take);
    }

    int count() {
        return count;
    }

    /** Where they came from. */
    Connection connection() {
        return connection;
    }

    private void take(final ActiveMessage current) {
        Rig.assertRight(current);
        message = current;
        connection = current.connection();
        views.add(current.data());
        views.add(current.header());
        if (how == LetGo.RETAINED_IN_CALLBACK) {
            current.retain().release();
        } else if (how.isKeeping()) {
            kept.add(current.retain());
            crcs.add(Stamp.crc(current.header()));
        }
        count++;
    }

    /** Neither the message nor its views can be used now that its handler has returned. */
    void assertUnusable() {
        for (final DirectBuffer view : views) {
            assertStale(() -> view.getByte(0));
            assertStale(() -> view.getBytes(0, new byte[view.capacity()]));
        }
        assertStale(message::data);
        assertStale(message::header);
        assertStale(message::retain);
        assertStale(() -> message.retainInto(new ReceivedData()));
        assertStale(() -> message.copyTo(new UnsafeBuffer(new byte[1]), 0));
        assertStale(message::postpone);
    }

    private static void assertStale(final Executable use) {
        assertEquals(DescriptorStateException.Kind.STALE_HANDLE,
            assertThrows(DescriptorStateException.class, use).kind());
    }

    /** Has let go of everything, having checked its bytes. */
    void letGo() throws InterruptedException {
        switch (how) {
            case CONSUMED, RETAINED_IN_CALLBACK -> assertTrue(kept.isEmpty());
            case SAME_THREAD -> releaseAll(true);
            case OTHER_THREAD -> onOtherThread();
            case AFTER_ENDPOINT_CLOSE -> {
                connection.close(CloseMode.FORCE, Rig.LIMIT);
                releaseAll(true);
            }
            case AFTER_WORKER_CLOSE -> {
                assertEquals(kept.size(), receiver.close(CloseMode.FORCE, Rig.LIMIT).leaks().size());
                releaseAll(true);
            }
            default -> throw new IllegalArgumentException("how=" + how);
        }
    }

    private void onOtherThread() throws InterruptedException {
        final List<Throwable> problems = new ArrayList<>();
        final Thread other = new Thread(() -> {
            try {
                releaseAll(receiver.threadMode() != ThreadMode.SINGLE);
            } catch (final RuntimeException | Error ex) {
                problems.add(ex);
            }
        }, "other");
        other.start();
        other.join();
        assertEquals(List.of(), problems);
    }

    /** @param isDirect every other one by a use of the worker, since this thread may; else none. */
    private void releaseAll(final boolean isDirect) {
        for (int i = 0; i < kept.size(); i++) {
            final ReceivedData each = kept.get(i);
            assertEquals(crcs.get(i), Stamp.crcOf(each), "bytes of number=" + i);
            if (isDirect && i % 2 == 0) {
                each.release();
            } else {
                each.releaseAsync();
            }
            assertStale(() -> each.getByte(0));
        }
    }
}
