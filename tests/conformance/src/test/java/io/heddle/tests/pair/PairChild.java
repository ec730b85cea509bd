package io.heddle.tests.pair;

import io.heddle.context.CloseMode;
import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.ThreadMode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * One JVM of a pair: takes a command per line from stdin, answers each with one line {@code @ok …} or {@code @failed
 * …}, and tells events as lines {@code @event …}. Ends when stdin does, so it cannot outlive its parent.
 *
 * <pre>
 *   open NAME MODE key=value…               a context and a worker with a thread of its own  -> address
 *   connect NAME ENDPOINT HEX               an endpoint                                      -> once connected
 *   linked NAME ENDPOINT HEX FILE           as connect; the segment keeps that second name
 *   send NAME ENDPOINT COUNT SIZE SENDERS   that many stamped messages of each sender; size 0 varies
 *                                                                                            -> once handed over
 *   sending NAME ENDPOINT COUNT SIZE SENDERS   as send, answered at once
 *   flood NAME ENDPOINT COUNT SIZE          queues that many; at the limit waits to be told  -> at once
 *   queue NAME ENDPOINT COUNT SIZE          queues that many, whatever becomes of them   -> at once
 *   still NAME on|off                       whether the worker is left alone but for commands
 *   flush NAME ENDPOINT                     flushes                                          -> status and time
 *   end NAME ENDPOINT FLUSH|FORCE           closes the endpoint                              -> report and time
 *   hold NAME postpone|retain               takes nothing any more, or keeps everything
 *   drain NAME                              the end of hold: what was kept goes, what was postponed is taken
 *   keep NAME EVERY                         keeps every so-manieth message; 0 none
 *   release NAME                            lets everything kept go, having checked its bytes
 *   state NAME                              counts, as key=value
 *   describe NAME                           the worker in one line
 *   close NAME                              closes worker and context                        -> what the close reports
 *   fill MS                                 puts so much on the heap that a full collection takes that long
 *   collect                                 collects all garbage                             -> how long that took
 * </pre>
 */
public final class PairChild {
    private static final Object OUT = new Object();
    private static final PairCollections COLLECTIONS = new PairCollections();

    private PairChild() {
    }

    public static void main(final String[] arguments) throws IOException {
        final Path directory = Path.of(arguments[0]);
        final Map<String, PairWorker> workers = new HashMap<>();
        final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        say("ok ready pid=" + ProcessHandle.current().pid());
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            try {
                say("ok " + obey(line.split(" "), directory, workers));
            } catch (final Exception | Error ex) {
                ex.printStackTrace();
                say("failed " + String.valueOf(ex).replace('\n', ' '));
            }
        }
        // The parent has gone or is done with us; nothing of ours needs more than the next context's sweep.
        Runtime.getRuntime().halt(0);
    }

    private static String obey(final String[] words, final Path directory, final Map<String, PairWorker> workers)
        throws Exception {
        return switch (words[0]) {
            case "fill" -> COLLECTIONS.fill(Long.parseLong(words[1]));
            case "collect" -> COLLECTIONS.collect();
            case "open" -> open(words, directory, workers);
            case "close" -> workers.remove(words[1]).close();
            case "linked" -> workers.get(words[1]).linked(words[2], words[3], directory, Path.of(words[4]));
            default -> obey(words, workers.get(words[1]));
        };
    }

    private static String open(final String[] words, final Path directory, final Map<String, PairWorker> workers)
        throws Exception {
        final ContextConfig config = new ContextConfig().directory(directory);
        for (int i = 3; i < words.length; i++) {
            set(config, words[i]);
        }
        final Context context = Context.create(config);
        workers.put(words[1], new PairWorker(context, ThreadMode.valueOf(words[2]), words[1]));
        return workers.get(words[1]).address();
    }

    private static String obey(final String[] words, final PairWorker worker) throws Exception {
        return switch (words[0]) {
            case "connect" -> worker.connect(words[2], words[3]);
            case "send" -> worker.send(words[2], Integer.parseInt(words[3]), Integer.parseInt(words[4]),
                Integer.parseInt(words[5]), true);
            case "sending" -> worker.send(words[2], Integer.parseInt(words[3]), Integer.parseInt(words[4]),
                Integer.parseInt(words[5]), false);
            case "flood" -> worker.flood(words[2], Integer.parseInt(words[3]), Integer.parseInt(words[4]));
            case "queue" -> worker.queue(words[2], Integer.parseInt(words[3]), Integer.parseInt(words[4]));
            case "still" -> worker.still("on".equals(words[2]));
            case "flush" -> worker.flush(words[2]);
            case "end" -> worker.end(words[2], CloseMode.valueOf(words[3]));
            case "hold" -> worker.hold(words[2]);
            case "drain" -> worker.drain();
            case "keep" -> worker.keep(Integer.parseInt(words[2]));
            case "release" -> worker.release();
            case "state" -> worker.state();
            case "describe" -> worker.describe();
            default -> throw new IllegalArgumentException("command=" + words[0]);
        };
    }

    private static void set(final ContextConfig config, final String setting) {
        final String value = setting.substring(setting.indexOf('=') + 1);
        switch (setting.substring(0, setting.indexOf('='))) {
            case "slots" -> config.ringSlots(Integer.parseInt(value));
            case "ring" -> config.ringBytes(Integer.parseInt(value));
            case "peer_timeout_ms" -> config.peerTimeout(Duration.ofMillis(Long.parseLong(value)));
            case "pool" -> config.poolLimitBytes(Long.parseLong(value));
            case "message" -> config.messageMaxBytes(Long.parseLong(value));
            case "pending" -> config.sendPendingMax(Integer.parseInt(value));
            case "inline" -> config.inlineMaxBytes(Integer.parseInt(value));
            default -> throw new IllegalArgumentException("setting=" + setting);
        }
    }

    /** One line to the parent. Any thread. */
    public static void say(final String text) {
        synchronized (OUT) {
            System.out.println("@" + text);
            System.out.flush();
        }
    }
}
