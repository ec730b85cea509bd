package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.ContextConfig;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestScale;
import io.heddle.tests.base.TestSeed;
import io.heddle.tests.pair.Stamp;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.Connection;
import io.heddle.worker.ReceivedData;
import io.heddle.worker.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** How much memory is held for messages that the application holds: shared, and private of both workers. */
@ExtendWith(HygieneExtension.class)
@Timeout(300)
class PinnedMemoryTest {
    private static final int SMALL = 8;
    private static final int MOST_BYTES_PER_SMALL_ONE = 192;
    /** As {@code describe()} shows it; what is out is lent or kept, the rest of the capacity lies idle. */
    private static final Pattern LENT_POOL = Pattern.compile("pool[0-9]+k=lent:([0-9]+),out:([0-9]+),");

    /** How a message is kept. */
    enum Keeping {
        RETAIN, RETAIN_INTO, SECOND_HANDLE;

        ReceivedData keep(final ActiveMessage message) {
            if (this == RETAIN_INTO) {
                final ReceivedData mine = new ReceivedData();
                message.retainInto(mine);
                return mine;
            }
            final ReceivedData kept = message.retain();
            if (this == RETAIN) {
                return kept;
            }
            final ReceivedData second = kept.retain();
            kept.release();
            return second;
        }
    }

    /** How a small message comes: in its slot, in the byte ring, or, as its header is long, in a descriptor. */
    enum Way {
        SLOT(Stamp.BYTES), RING(500), SMALLEST_DESCRIPTOR(500), DESCRIPTOR(1024);

        private final int headerBytes;

        Way(final int headerBytes) {
            this.headerBytes = headerBytes;
        }

        ContextConfig config() {
            return this == SLOT || this == RING ? new ContextConfig() : new ContextConfig().inlineMaxBytes(64);
        }
    }

    /** Sizes of 8 B to 64 KiB: any, as often of each order of magnitude, and the worst there are. */
    enum Mixture {
        ANY(1), POWERS_OF_TWO(2), JUST_OVER_A_CLASS(2);

        /** In parts of what is held; what is lent beyond it counts as well. */
        private final int mostWaste;

        Mixture(final int mostWaste) {
            this.mostWaste = mostWaste;
        }

        int size(final Random random, final int number) {
            final int power = SMALL << number % 14;
            return switch (this) {
                case ANY -> (int) (SMALL * Math.pow(1 << 13, random.nextDouble()));
                case POWERS_OF_TWO -> power;
                case JUST_OVER_A_CLASS -> Math.min(power + 1, 1 << 16);
            };
        }
    }

    private final List<ReceivedData> kept = new ArrayList<>();
    private final List<Integer> crcs = new ArrayList<>();
    private Connection postponedOn;
    private int received;

    static Stream<Arguments> small() {
        return Stream.of(ThreadMode.values()).flatMap(mode -> Stream.concat(
            Stream.of(Keeping.values()).map(keeping -> Arguments.of(mode, keeping, Way.SLOT)),
            Stream.of(Way.values()).skip(1).map(way -> Arguments.of(mode, Keeping.RETAIN, way))));
    }

    static Stream<Arguments> mixtures() {
        return Stream.of(ThreadMode.values()).flatMap(mode -> Stream.of(Mixture.values())
            .map(mixture -> Arguments.of(mode, mixture)));
    }

    @ParameterizedTest
    @MethodSource("small")
    @StandsFor("M3")
    @Tag("scaled")
    void shouldPinLittleForSmallMessagesThatAreKept(final ThreadMode mode, final Keeping keeping, final Way way) {
        final int count = TestScale.count(10_000, 100_000);
        try (Rig rig = Rig.open(mode, way.config())) {
            keepAll(rig, keeping);
            final long idle = rig.memoryBytes();
            long first = 0;
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < count; i++) {
                    final Request request = rig.send(rig.endpoint, way.headerBytes, SMALL);
                    rig.until("sent", request::isDone);
                }
                rig.until("all kept", () -> kept.size() == count);
                final long now = rig.memoryBytes() - idle;
                assertTrue(now <= (long) count * MOST_BYTES_PER_SMALL_ONE, () -> "bytes=" + now + rig.receiver
                    .describe());
                assertTrue(first == 0 || now == first, () -> "what was released serves again: now=" + now);
                first = now;
                releaseAll(rig);
            }
            TestScale.report("M3 mode=%s keeping=%s way=%s bytes_each=%d", mode, keeping, way, first / count);
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("M3")
    @Tag("scaled")
    void shouldPinNothingForMessagesThatArePostponed(final ThreadMode mode) {
        final int count = TestScale.count(10_000, 100_000);
        try (Rig rig = Rig.open(mode, new ContextConfig().sendPendingMax(count))) {
            rig.receiver.onActiveMessage(Rig.ID, message -> {
                message.postpone();
                postponedOn = message.connection();
            });
            final long idle = rig.memoryBytes();
            final List<Request> requests = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                requests.add(rig.send(SMALL));
            }
            rig.until("postponed", () -> postponedOn != null && rig.progress() == 0);
            assertEquals(idle, rig.memoryBytes());
            assertEquals(0, rig.receiver.statistics().poolInUse());

            rig.receiver.onActiveMessage(Rig.ID, message -> {
                Rig.assertRight(message);
                received++;
            });
            postponedOn.resume();
            rig.until("all received", () -> received == count);
            assertTrue(requests.stream().allMatch(Request::isDone));
            assertEquals(idle, rig.memoryBytes());
        }
    }

    @ParameterizedTest
    @MethodSource("mixtures")
    @StandsFor("M3")
    @Tag("scaled")
    void shouldWasteLessThanTwiceTheBytesOfAMixture(final ThreadMode mode, final Mixture mixture,
        final TestSeed seed) {
        final int count = TestScale.count(800, 10_000);
        final Random random = seed.random(mixture.ordinal());
        try (Rig rig = Rig.open(mode)) {
            keepAll(rig, Keeping.RETAIN);
            final long idle = rig.memoryBytes();
            long bytes = 0;
            for (int i = 0; i < count; i++) {
                final int size = mixture.size(random, i);
                bytes += size;
                rig.sendNow(size);
            }
            rig.until("all kept", () -> kept.size() == count);
            final long held = bytes;
            final long used = rig.memoryBytes() - idle;
            TestScale.report("M3 mode=%s mixture=%s held=%d used=%d", mode, mixture, held, used);
            assertTrue(used - held < mixture.mostWaste * held, () -> "held=" + held + " used=" + used);
            releaseAll(rig);
        }
    }

    private void keepAll(final Rig rig, final Keeping keeping) {
        rig.receiver.onActiveMessage(Rig.ID, message -> {
            kept.add(keeping.keep(message));
            crcs.add(Stamp.crc(message.header()));
        });
    }

    /** Then nothing is in use, and all memory is reported as lent or cached. */
    private void releaseAll(final Rig rig) {
        for (int i = 0; i < kept.size(); i++) {
            assertEquals(crcs.get(i), Stamp.crcOf(kept.get(i)), "bytes of number=" + i);
            kept.get(i).release();
        }
        kept.clear();
        crcs.clear();
        rig.assertBalance();
        assertEquals(rig.receiver.statistics().poolMemoryBytes(), rig.receiver.statistics().poolCachedBytes());
        final Matcher pool = LENT_POOL.matcher(rig.receiver.describe());
        while (pool.find()) {
            assertEquals(pool.group(1), pool.group(2), () -> "not all lent or idle: " + pool.group());
        }
    }
}
