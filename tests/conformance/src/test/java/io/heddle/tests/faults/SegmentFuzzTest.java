package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.context.CloseMode;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.shm.HostileHand;
import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.TestScale;
import io.heddle.tests.base.TestSeed;
import io.heddle.tests.pair.Stamp;
import io.heddle.worker.Connection;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random words all over a segment under traffic: the JVM lives, and the lane beside it loses nothing. */
@ExtendWith(HygieneExtension.class)
@Timeout(120)
class SegmentFuzzTest {
    private static final int[] SIZES = {0, 8, 40, 200, 2000, 5000, 70_000, 200_000};

    private final List<Throwable> thrown = new ArrayList<>();
    private Connection goodSide;
    private int goodReceived;
    private int goodSent;

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @Tag("scaled")
    @ExpectedLog(value = ".", optional = true)
    void shouldLoseNothingBesideALaneOfRandomWords(final ThreadMode mode, final TestSeed seed) {
        final Random random = seed.random(mode.ordinal());
        final long endNs = System.nanoTime() + Duration.ofMillis(TestScale.count(700, 60_000)).toNanos();
        final Path directory = HygieneExtension.runtimeDirectory();
        int lanes = 0;
        try (Rig rig = Rig.open(mode)) {
            rig.receiver.onActiveMessage(Rig.ID, message -> {
                if (goodSide == null) {
                    goodSide = message.connection();
                }
                if (message.connection() == goodSide) {
                    Rig.assertRight(message);
                    assertEquals(goodReceived, Stamp.sequence(message.header()));
                    goodReceived++;
                }
            });
            rig.receiver.onError((worker, connection, status, error) -> complain(connection, status, error));
            rig.sender.onError((worker, connection, status, error) -> complain(connection, status, error));
            sendGood(rig, 8);
            rig.until("the good lane works", () -> goodReceived == 1);
            while (lanes < 2 || System.nanoTime() < endNs) {
                lanes++;
                fuzz(rig, directory, random);
            }
            rig.until("nothing was lost", () -> goodReceived == goodSent);
            assertEquals(List.of(), thrown, seed::toString);
            assertEquals(Status.OK, rig.endpoint.status());
            rig.assertBalance();
        }
    }

    private void fuzz(final Rig rig, final Path directory, final Random random) {
        final Set<String> before = HostileHand.segments(directory);
        final Endpoint bad = Endpoint.create(rig.sender, rig.receiver.address());
        rig.until("connected", bad::isConnected);
        final HostileHand hand = HostileHand.onNewSegment(directory, before);
        final long body = HostileHand.bodyOffset();
        for (int round = 0; round < 60 && bad.status() == Status.OK; round++) {
            final byte[] payload = Stamp.payload(round, SIZES[random.nextInt(SIZES.length)]);
            bad.sendActiveMessage(Rig.ID, Stamp.of(2, round, payload, payload.length),
                new org.agrona.concurrent.UnsafeBuffer(payload), 0, payload.length);
            for (int i = random.nextInt(40); i >= 0; i--) {
                final long offset = random.nextInt(3) == 0 ? body + 8L * random.nextInt(100)
                    : body + 8 * (long) random.nextInt((int) (hand.bytes() - body) / 8);
                hand.word(offset, word(random));
            }
            sendGood(rig, SIZES[random.nextInt(6)]);
            rig.progress();
        }
        bad.close(CloseMode.FORCE, Rig.LIMIT);
        rig.until("good ones delivered", () -> goodReceived == goodSent);
    }

    /** Words that nearly make sense more often than pure noise. */
    private static long word(final Random random) {
        return switch (random.nextInt(5)) {
            case 0 -> random.nextLong();
            case 1 -> random.nextInt(8);
            case 2 -> (long) random.nextInt(4) << 48 | (long) random.nextInt(5) << 40 | (long) random.nextInt(5) << 32
                | random.nextInt(3000);
            case 3 -> -1;
            default -> 1L << random.nextInt(64);
        };
    }

    private void sendGood(final Rig rig, final int bytes) {
        rig.send(bytes);
        goodSent++;
    }

    /** A garbled message may be refused aloud; the good lane and the worker itself may not. */
    private void complain(final Connection connection, final Status status, final Throwable error) {
        if (connection == null || connection == goodSide
            || !(error instanceof io.heddle.context.HeddleException) && !(error instanceof IndexOutOfBoundsException)) {
            thrown.add(new AssertionError(connection + " " + status, error));
        }
    }
}
