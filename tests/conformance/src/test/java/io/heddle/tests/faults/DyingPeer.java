package io.heddle.tests.faults;

import io.heddle.context.CloseMode;
import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.Endpoint;
import io.heddle.tests.pair.PairChild;
import io.heddle.tests.pair.Stamp;
import io.heddle.worker.Claim;
import io.heddle.worker.Request;
import io.heddle.worker.Worker;
import io.heddle.worker.WorkerAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A JVM that a test kills: clients, each a worker with one endpoint, on one thread that progresses only within
 * commands. Speaks as {@link PairChild}; ends with its parent.
 *
 * <pre>
 *   open COUNT             workers that others may connect to    -> the first one's address
 *   connect HEX            an endpoint of each                   -> once connected
 *   send CLIENT COUNT BYTES   stamped messages, handed over; the client is the sender
 *   claim CLIENT BYTES     claims, writes, and does not commit
 *   begin CLIENT BYTES     a message that is not finished        -> whether it is done
 *   progress               for ever, and sends as fast as it can -> never
 *   serve                  progresses for ever                   -> never
 *   close CLIENT           its worker, in order
 * </pre>
 */
public final class DyingPeer {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int[] SIZES = {8, 1000, 5000, 70_000};

    private final Context context;
    private final List<Worker> workers = new ArrayList<>();
    private final List<Endpoint> endpoints = new ArrayList<>();
    private final List<Claim> claims = new ArrayList<>();
    private final List<Request> begun = new ArrayList<>();
    private final long[] sequences = new long[64];

    private DyingPeer(final Context context) {
        this.context = context;
    }

    public static void main(final String[] arguments) throws IOException {
        final DyingPeer peer = new DyingPeer(Context.create(new ContextConfig().directory(Path.of(arguments[0]))
            .ringSlots(4).ringBytes(8192)));
        final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PairChild.say("ok ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            try {
                PairChild.say("ok " + peer.obey(line.split(" "), in));
            } catch (final Exception | Error ex) {
                ex.printStackTrace();
                PairChild.say("failed " + String.valueOf(ex).replace('\n', ' '));
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private String obey(final String[] words, final BufferedReader in) throws IOException {
        return switch (words[0]) {
            case "open" -> open(Integer.parseInt(words[1]));
            case "connect" -> connect(WorkerAddress.ofHex(words[1]));
            case "send" -> send(Integer.parseInt(words[1]), Integer.parseInt(words[2]), Integer.parseInt(words[3]));
            case "claim" -> claim(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
            case "begin" -> begin(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
            case "progress" -> progress(in);
            case "serve" -> serve(in);
            case "close" -> workers.get(Integer.parseInt(words[1])).close(CloseMode.FLUSH, LIMIT).toString();
            default -> throw new IllegalArgumentException("command=" + words[0]);
        };
    }

    private String open(final int count) {
        for (int i = 0; i < count; i++) {
            final Worker worker = Worker.create(context, ThreadMode.SINGLE, "dying-" + i);
            worker.onActiveMessage(Survivor.ID, message -> { });
            workers.add(worker);
        }
        return workers.get(0).address().toHex();
    }

    private String connect(final WorkerAddress address) {
        for (final Worker worker : workers) {
            endpoints.add(Endpoint.create(worker, address));
        }
        until(() -> endpoints.stream().allMatch(Endpoint::isConnected));
        return "connected=" + endpoints.size();
    }

    private Request post(final int client, final int bytes) {
        final long sequence = sequences[client]++;
        final byte[] payload = Stamp.payload(sequence * 31 + client, bytes);
        return endpoints.get(client).sendActiveMessage(Survivor.ID, Stamp.of(client, sequence, payload, bytes),
            new UnsafeBuffer(payload), 0, bytes);
    }

    private String send(final int client, final int count, final int bytes) {
        for (int i = 0; i < count; i++) {
            final Request request = post(client, bytes);
            until(request::isDone);
            if (request.status() != Status.OK) {
                throw new IllegalStateException("client=" + client + " status=" + request.status());
            }
        }
        return "sent=" + sequences[client];
    }

    private String claim(final int client, final int bytes) {
        final Claim claim = new Claim();
        until(() -> endpoints.get(client).tryClaim(Survivor.ID, bytes, claim) == Status.OK);
        for (int i = 0; i < bytes; i++) {
            claim.putByte(i, (byte) -1);
        }
        claims.add(claim);
        return "claimed=" + claims.size();
    }

    private String begin(final int client, final int bytes) {
        begun.add(post(client, bytes));
        return "done=" + begun.get(begun.size() - 1).isDone();
    }

    private String progress(final BufferedReader in) throws IOException {
        for (int i = 0; !in.ready(); i++) {
            final Request request = post(0, SIZES[i % SIZES.length]);
            until(request::isDone);
        }
        return "told to stop";
    }

    private String serve(final BufferedReader in) throws IOException {
        while (!in.ready()) {
            step();
        }
        return "told to stop";
    }

    private void step() {
        for (int i = 0; i < workers.size(); i++) {
            if (!workers.get(i).isClosed()) {
                workers.get(i).progress();
            }
        }
        Thread.yield();
    }

    private void until(final BooleanSupplier condition) {
        final long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            step();
            if (System.nanoTime() - start > LIMIT.toNanos()) {
                throw new IllegalStateException(workers.get(0).describe());
            }
        }
    }
}
