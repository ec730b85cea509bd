package io.heddle.tests.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.TestSeed;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.ReceivedData;
import io.heddle.worker.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Rings of every size that the configuration allows, odd ones sampled: random messages in both directions at once, each
 * carrying its number and the CRC of its bytes, arrive in order and right.
 */
@ExtendWith(HygieneExtension.class)
@Timeout(120)
class GeometryTest {
    private static final int ID = 12;
    private static final int HEADER_BYTES = 16;
    private static final int MESSAGES = 250;
    private static final int KIB = 1024;

    /** Slots, ring bytes and inline limit that fit together; every combination with scale=full, else some of them. */
    static Stream<Arguments> geometries() {
        final boolean isFull = "full".equals(System.getProperty("tests.scale"));
        final List<Arguments> all = new ArrayList<>();
        for (final int slots : new int[] {2, 4, 64, 4096}) {
            for (final int ringBytes : new int[] {4 * KIB, 32 * KIB, KIB * KIB}) {
                for (final int inlineMaxBytes : new int[] {64, 1000, 4 * KIB}) {
                    if (inlineMaxBytes <= ringBytes / 4) {
                        all.add(Arguments.of(slots, ringBytes, inlineMaxBytes,
                            ThreadMode.values()[all.size() % ThreadMode.values().length]));
                    }
                }
            }
        }
        return isFull ? all.stream() : all.stream().filter(each -> all.indexOf(each) % 3 == 0
            || (int) each.get()[0] == 2);
    }

    /** One direction: what was sent and what has arrived. */
    private static final class Stretch {
        private final Random random;
        private final Random keeping;
        private final List<Request> requests = new ArrayList<>();
        private final List<ReceivedData> kept = new ArrayList<>();
        private final List<Long> keptCrcs = new ArrayList<>();
        private int sent;
        private int received;

        Stretch(final TestSeed seed, final long stream) {
            random = seed.random(stream);
            keeping = seed.random(stream + 1);
        }

        void sendOne(final Endpoint endpoint) {
            final int most = List.of(8, 100, 3000, 70_000, 200_000).get(random.nextInt(5));
            final int bytes = random.nextInt(most);
            final byte[] data = new byte[bytes];
            random.nextBytes(data);
            final UnsafeBuffer header = new UnsafeBuffer(new byte[HEADER_BYTES]);
            header.putLong(0, sent++);
            final CRC32C sum = new CRC32C();
            sum.update(data);
            header.putLong(8, sum.getValue());
            requests.add(endpoint.sendActiveMessage(ID, header, new UnsafeBuffer(data), 0, bytes));
        }

        void receive(final ActiveMessage message) {
            assertEquals(received++, message.header().getLong(0), "order");
            final long crc = message.header().getLong(8);
            if (keeping.nextInt(4) == 0) {
                kept.add(message.retain());
                keptCrcs.add(crc);
            } else {
                assertEquals(crc, Payload.crc(message.data()));
            }
        }

        void release() {
            for (int i = 0; i < kept.size(); i++) {
                assertEquals(keptCrcs.get(i), Payload.crc(kept.get(i)));
                kept.get(i).close();
            }
            kept.clear();
            keptCrcs.clear();
        }
    }

    @ParameterizedTest(name = "slots={0} ringBytes={1} inlineMax={2} {3}")
    @MethodSource("geometries")
    void shouldCarryRandomMessagesBothWays(final int slots, final int ringBytes, final int inlineMaxBytes,
        final ThreadMode mode, final TestSeed seed) {
        final ContextConfig odd =
            new ContextConfig().ringSlots(slots).ringBytes(ringBytes).inlineMaxBytes(inlineMaxBytes);
        carry(mode, odd, odd, seed);
    }

    @ParameterizedTest
    @MethodSource("mixed")
    void shouldCarryRandomMessagesBetweenSidesOfDifferentGeometry(final ContextConfig left,
        final ContextConfig right, final ThreadMode mode, final TestSeed seed) {
        carry(mode, left, right, seed);
    }

    static Stream<Arguments> mixed() {
        final ContextConfig smallest = new ContextConfig().ringSlots(2).ringBytes(4 * KIB).inlineMaxBytes(64);
        final ContextConfig largest = new ContextConfig().ringSlots(4096).ringBytes(KIB * KIB).inlineMaxBytes(4 * KIB);
        return Stream.of(ThreadMode.values()).flatMap(mode -> Stream.of(
            Arguments.of(smallest, new ContextConfig(), mode),
            Arguments.of(new ContextConfig(), largest, mode),
            Arguments.of(new ContextConfig().inlineMaxBytes(4 * KIB).ringBytes(16 * KIB),
                new ContextConfig().inlineMaxBytes(64), mode)));
    }

    private static void carry(final ThreadMode mode, final ContextConfig left, final ContextConfig right,
        final TestSeed seed) {
        try (Duo duo = Duo.of(mode, left, right)) {
            final Endpoint back = duo.connect(duo.right, duo.left);
            final Stretch there = new Stretch(seed, 10);
            final Stretch here = new Stretch(seed, 20);
            duo.right.onActiveMessage(ID, there::receive);
            duo.left.onActiveMessage(ID, here::receive);
            for (int i = 0; i < MESSAGES; i++) {
                there.sendOne(duo.there);
                here.sendOne(back);
                if (i % 20 == 19) {
                    duo.progress();
                    there.release();
                    here.release();
                }
            }
            duo.until("messages", () -> {
                there.release();
                here.release();
                return there.received == MESSAGES && here.received == MESSAGES;
            });
            duo.until("told", () -> duo.left.statistics().pendingEndpoints() == 0);
            there.release();
            here.release();
            for (final Stretch stretch : List.of(there, here)) {
                stretch.requests.forEach(request -> assertEquals(Status.OK, request.status()));
            }
            assertEquals(0, duo.left.statistics().callbacksFailed() + duo.right.statistics().callbacksFailed());
            assertEquals(0, duo.left.statistics().payloadsChanged() + duo.right.statistics().payloadsChanged());
        }
    }
}
