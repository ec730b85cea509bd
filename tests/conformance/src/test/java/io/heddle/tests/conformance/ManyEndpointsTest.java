package io.heddle.tests.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;

import io.heddle.context.Context;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestSeed;
import io.heddle.worker.ReceivedData;
import io.heddle.worker.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A worker connected to itself, many endpoints on one worker, many workers, several contexts in one JVM. */
@ExtendWith(HygieneExtension.class)
@Timeout(120)
class ManyEndpointsTest {
    private static final int ID = 30;
    private static final int REPLY = 31;

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/wireup.loopback")
    void shouldConnectAWorkerToItself(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final Endpoint self = duo.connect(duo.left, duo.left);
            final List<Endpoint> backs = new ArrayList<>();
            duo.left.onActiveMessage(ID, message -> {
                backs.add(Endpoint.replyTo(message));
                final byte[] data = Payload.copyOf(message.data());
                backs.get(0).sendActiveMessage(REPLY, null, new UnsafeBuffer(data), 0, data.length);
            });
            final Inbox inbox = Inbox.on(duo.left, REPLY);
            final int[] sizes = {0, 48, 49, 2048, 2049, 65_536, 65_537, 1 << 20};
            for (final int bytes : sizes) {
                self.sendActiveMessage(ID, null, Payload.heap(bytes, bytes), 0, bytes);
            }
            duo.until("replies", () -> inbox.size() == sizes.length);
            assertNotSame(self, backs.get(0), "the two ends are two endpoints");
            for (int i = 0; i < sizes.length; i++) {
                Payload.check(inbox.get(i).dataBuffer(), sizes[i], sizes[i]);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldServeTwoHundredFiftySixEndpointsOnOneWorker(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode)) {
            final List<Endpoint> endpoints = new ArrayList<>(List.of(duo.there));
            while (endpoints.size() < 256) {
                endpoints.add(Endpoint.create(duo.left, duo.right.address()));
            }
            duo.until("all connected", () -> endpoints.stream().allMatch(Endpoint::isConnected));
            duo.right.onActiveMessage(ID, message -> {
                final byte[] data = Payload.copyOf(message.data());
                final UnsafeBuffer header = new UnsafeBuffer(Payload.copyOf(message.header()));
                Endpoint.replyTo(message).sendActiveMessage(REPLY, header, new UnsafeBuffer(data), 0, data.length);
            });
            final Inbox inbox = Inbox.on(duo.left, REPLY);
            for (int i = 0; i < 256; i++) {
                endpoints.get(i).sendActiveMessage(ID, number(i), Payload.heap(i, i), 0, i);
            }
            duo.until("replies", () -> inbox.size() == 256);
            duo.until("settled", () -> duo.right.statistics().endpoints() == 256);
            final boolean[] seen = new boolean[256];
            for (int i = 0; i < 256; i++) {
                final int number = inbox.get(i).headerBuffer().getInt(0);
                assertEquals(false, seen[number], "number=" + number);
                seen[number] = true;
                Payload.check(inbox.get(i).dataBuffer(), number, number);
            }
        }
    }

    private static UnsafeBuffer number(final int value) {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[Integer.BYTES]);
        buffer.putInt(0, value);
        return buffer;
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.9/wireup.multi_wireup")
    void shouldConnectManyWorkersOfSeveralContextsInOneJvm(final ThreadMode mode) {
        try (Duo duo = Duo.of(mode); Context third = Context.create()) {
            final List<Worker> workers = new ArrayList<>(List.of(duo.left, duo.right));
            for (int i = 0; i < 6; i++) {
                workers.add(duo.add(List.of(duo.leftContext, duo.rightContext, third).get(i % 3), "member-" + i));
            }
            final List<Inbox> inboxes = workers.stream().map(worker -> Inbox.on(worker, ID)).toList();
            for (int from = 0; from < workers.size(); from++) {
                for (int to = 0; to < workers.size(); to++) {
                    final Endpoint endpoint = Endpoint.create(workers.get(from), workers.get(to).address());
                    endpoint.sendActiveMessage(ID, number(from), Payload.heap(3000, 100 * from + to), 0, 3000);
                }
            }
            duo.until("a message from everybody to everybody",
                () -> inboxes.stream().allMatch(inbox -> inbox.size() == workers.size()));
            for (int to = 0; to < workers.size(); to++) {
                int senders = 0;
                for (int i = 0; i < workers.size(); i++) {
                    final int from = inboxes.get(to).get(i).headerBuffer().getInt(0);
                    senders |= 1 << from;
                    Payload.check(inboxes.get(to).get(i).dataBuffer(), 3000, 100 * from + to);
                }
                assertEquals((1 << workers.size()) - 1, senders);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    @StandsFor("6.10/many2one.am_bcopy")
    void shouldReceiveFromManySendersAndKeepSome(final ThreadMode mode, final TestSeed seed) {
        final int senders = 10;
        final int messages = 3000;
        final Random random = seed.random(mode.ordinal());
        try (Duo duo = Duo.of(mode)) {
            final int[] next = new int[senders];
            final int[] received = new int[1];
            final List<ReceivedData> kept = new ArrayList<>();
            final List<int[]> keptSeeds = new ArrayList<>();
            final Random keeping = seed.random(99);
            duo.right.onActiveMessage(ID, message -> {
                final int sender = message.header().getInt(0);
                final int bytes = (int) message.lengthBytes();
                final int payloadSeed = sender + senders * next[sender]++;
                if (keeping.nextInt(4) == 0) {
                    kept.add(message.retain());
                    keptSeeds.add(new int[] {bytes, payloadSeed});
                } else {
                    Payload.check(message.data(), bytes, payloadSeed);
                }
                received[0]++;
            });
            final List<Endpoint> endpoints = new ArrayList<>(List.of(duo.there));
            for (int i = 1; i < senders; i++) {
                final Worker worker = duo.add(i % 2 == 0 ? duo.leftContext : duo.rightContext, "sender-" + i);
                endpoints.add(duo.connect(worker, duo.right));
            }
            final int[] sent = new int[senders];
            for (int i = 0; i < messages; i++) {
                final int sender = random.nextInt(senders);
                final int bytes = random.nextInt(random.nextInt(10) == 0 ? 20_000 : 200);
                final UnsafeBuffer data = Payload.heap(bytes, sender + senders * sent[sender]);
                final UnsafeBuffer header = number(sender);
                duo.until("room", () -> endpoints.get(sender).trySendActiveMessage(ID, header, data, 0, bytes)
                    == Status.OK);
                sent[sender]++;
            }
            duo.until("messages", () -> received[0] == messages);
            assertEquals(0, duo.right.statistics().callbacksFailed());
            for (int i = 0; i < kept.size(); i++) {
                Payload.check(kept.get(i), keptSeeds.get(i)[0], keptSeeds.get(i)[1]);
                kept.get(i).close();
            }
            duo.until("all came back", () -> duo.right.statistics().poolInUse() == 0);
        }
    }
}
