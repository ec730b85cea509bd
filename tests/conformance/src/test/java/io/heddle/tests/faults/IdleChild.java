package io.heddle.tests.faults;

import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.ProgressThread;
import io.heddle.worker.Worker;
import io.heddle.worker.WorkerAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One of two JVMs that have nothing to do most of the time: default settings, a MULTI worker, a progress thread. Takes
 * commands as {@code PairChild} does:
 * <pre>
 *   address            of its worker, as hex
 *   connect HEX        to the other one
 *   talk COUNT GAP_MS  sends so many messages, each after a random gap of up to so many milliseconds
 *   heard              how many it got, and how long after they were sent: median and 99th percentile, in ns
 *   forget             all it has heard
 * </pre>
 */
public final class IdleChild {
    private static final int ID = 1;

    private final Worker worker;
    private final ConcurrentLinkedQueue<Long> latenciesNs = new ConcurrentLinkedQueue<>();
    private Endpoint endpoint;

    private IdleChild(final Worker worker) {
        this.worker = worker;
        worker.onActiveMessage(ID, this::onMessage);
    }

    public static void main(final String[] arguments) throws IOException {
        try (Context context = Context.create(new ContextConfig().directory(Path.of(arguments[0])));
             Worker worker = Worker.create(context, ThreadMode.MULTI);
             ProgressThread progress = ProgressThread.start(worker)) {
            final IdleChild child = new IdleChild(worker);
            final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            System.out.println("@ok ready " + progress.thread().getName());
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                System.out.println("@ok " + child.obey(line.split(" ")));
            }
        }
    }

    private String obey(final String[] words) {
        switch (words[0]) {
            case "address":
                return worker.address().toHex();
            case "connect":
                endpoint = Endpoint.create(worker, WorkerAddress.ofHex(words[1]));
                return "connecting";
            case "talk":
                talk(Integer.parseInt(words[1]), TimeUnit.MILLISECONDS.toNanos(Integer.parseInt(words[2])));
                return "talked";
            case "heard":
                return heard();
            case "forget":
                latenciesNs.clear();
                return "forgotten";
            default:
                throw new IllegalArgumentException("command=" + words[0]);
        }
    }

    private void talk(final int count, final long mostGapNs) {
        final SplittableRandom random = new SplittableRandom();
        for (int i = 0; i < count; i++) {
            final long until = System.nanoTime() + random.nextLong(mostGapNs);
            while (until - System.nanoTime() > 0) {
                LockSupport.parkNanos(until - System.nanoTime());
            }
            final UnsafeBuffer data = new UnsafeBuffer(new byte[Long.BYTES]);
            data.putLong(0, System.nanoTime()); // the same clock in every process of the machine
            final Status status = endpoint.trySendActiveMessage(ID, null, data, 0, Long.BYTES);
            if (status != Status.OK) {
                throw new IllegalStateException("status=" + status);
            }
        }
    }

    private void onMessage(final ActiveMessage message) {
        latenciesNs.add(System.nanoTime() - message.data().getLong(0));
    }

    private String heard() {
        final long[] sorted = latenciesNs.stream().mapToLong(Long::longValue).sorted().toArray();
        return "count=" + sorted.length + (sorted.length == 0 ? "" : " p50_ns=" + sorted[sorted.length / 2]
            + " p99_ns=" + sorted[sorted.length * 99 / 100] + " max_ns=" + sorted[sorted.length - 1]);
    }
}
