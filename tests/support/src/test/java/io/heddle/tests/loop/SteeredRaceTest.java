package io.heddle.tests.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.MemoryPool;
import io.heddle.context.Status;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Both sides on threads of their own while the connection ends. */
@Timeout(60)
final class SteeredRaceTest {
    private static final int ROUNDS = 50;
    private static final int LARGE = SteeredSettings.LEAST_MAX_INLINE_BYTES + 1;

    private final SteeredTransport transport = new SteeredTransport(SteeredSettings.DEFAULT);

    @Test
    void shouldDrainExactlyWhatWasAcceptedBeforeThePeerWasKilled() throws Exception {
        final ExecutorService executor = Executors.newSingleThreadExecutor();
        try {
            for (int round = 0; round < ROUNDS; round++) {
                try (LanePair pair = LanePair.connect(transport, transport).awaitOpen()) {
                    final Future<Integer> accepted = executor.submit(() -> sendUntilTheEnd(pair.left()));
                    int received = 0;
                    boolean killed = false;
                    while (!pair.right().isDrained()) {
                        pair.right().step();
                        received += receiveOrYield(pair.right());
                        if (!killed && received > round) {
                            killed = true;
                            ((SteeredLane) pair.right().lane()).steering().killPeer();
                        }
                    }
                    assertEquals(accepted.get(), received);
                }
            }
        } finally {
            executor.shutdown();
        }
    }

    @Test
    void shouldGetEveryElementBackWhenTheReaderGoesWhileThePeerWrites() throws Exception {
        final ExecutorService executor = Executors.newSingleThreadExecutor();
        try {
            for (int round = 0; round < ROUNDS; round++) {
                try (LanePair pair = LanePair.connect(transport, transport).awaitOpen()) {
                    final MemoryPool pool = ((SteeredLane) pair.right().lane()).pool();
                    final Future<Integer> accepted = executor.submit(() -> writeUntilTheEnd(pair.left()));
                    int received = 0;
                    while (received <= round) {
                        received += receiveOrYield(pair.right());
                    }
                    pair.right().close();
                    assertTrue(accepted.get() >= received);
                    assertEquals(0, pool.inUse());
                    assertTrue(pair.right().leaks().isEmpty());
                }
            }
        } finally {
            executor.shutdown();
        }
    }

    private static int receiveOrYield(final LaneSide side) {
        final int received = side.receive().size();
        if (received == 0) {
            Thread.yield();
        }
        return received;
    }

    private static int sendUntilTheEnd(final LaneSide side) {
        final UnsafeBuffer data = new UnsafeBuffer(new byte[LARGE]);
        int accepted = 0;
        for (;;) {
            final int length = (accepted & 1) == 0 ? 8 : LARGE;
            final Status status = side.lane().send(1, accepted, data, 0, length, null, 0);
            if (status == Status.OK) {
                accepted++;
            } else if (status == Status.NO_RESOURCE) {
                Thread.yield();
            } else {
                return accepted;
            }
        }
    }

    private static int writeUntilTheEnd(final LaneSide side) {
        int accepted = 0;
        for (;;) {
            Status status = side.lane().reserve(LARGE);
            if (status == Status.OK) {
                new UnsafeBuffer(side.lane().reservedAddress(), LARGE).setMemory(0, LARGE, (byte) accepted);
                status = side.lane().publish(1, accepted, LARGE);
            }
            if (status == Status.OK) {
                accepted++;
            } else if (status == Status.NO_RESOURCE) {
                Thread.yield();
            } else {
                return accepted;
            }
        }
    }
}
