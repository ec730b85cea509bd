package io.heddle.tests.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.ThreadMode;
import io.heddle.endpoints.ConnectionRequest;
import io.heddle.endpoints.Endpoint;
import io.heddle.endpoints.Listener;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestScale;
import io.heddle.tests.base.TestSeed;
import io.heddle.tests.pair.PairJvm;
import io.heddle.worker.ProgressThread;
import io.heddle.worker.Worker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What killed processes leave in the runtime directory, and that nobody has to clean up after them. */
@Timeout(120)
class LeftoversTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final long RECOVERY_NS = 1_000_000_000L;
    /** Of dead owners, for whoever asks what happened. */
    private static final int KEPT_COUNTERS = 2;
    @TempDir(factory = SharedMemoryTemp.class)
    Path directory;

    private Set<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("heddle"))) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private long count(final String suffix) throws IOException {
        return names().stream().filter(name -> name.endsWith(suffix)).count();
    }

    /** Whether the directory holds those files and no others but a few counters of the dead. */
    private boolean holdsOnly(final Set<String> own) throws IOException {
        final Set<String> others = names();
        final boolean isComplete = others.containsAll(own);
        others.removeAll(own);
        return isComplete && others.size() <= KEPT_COUNTERS
            && others.stream().allMatch(name -> name.endsWith(".counters"));
    }

    @Test
    @StandsFor("S2")
    @Tag("scaled")
    @Timeout(3000)
    void shouldHoldOnlyTheLivingsFilesHoweverManyAreKilled() throws Exception {
        final Random random = TestSeed.ofThisJvm().random();
        try (PairJvm idle = PairJvm.start(directory)) {
            final String idleAddress = idle.tell("open i MULTI");
            final Set<String> idleFiles = names();
            for (int round = 0; round < TestScale.count(2, 300); round++) {
                try (PairJvm left = PairJvm.start(directory); PairJvm right = PairJvm.start(directory)) {
                    final String address = right.tell("open r MULTI");
                    left.tell("open l MULTI");
                    assertEquals(3, count(".lock"));
                    assertEquals(3, count(".sock"));
                    assertTrue(count(".counters") <= 3 + KEPT_COUNTERS);
                    left.tell("connect l e " + address);
                    left.tell("sending l e 100000000 0 1");
                    LockSupport.parkNanos(random.nextInt(20_000_000)); // so that the kill comes at any time
                    left.kill();
                    right.kill();
                }
            }
            assertTrue(names().containsAll(idleFiles), "the idle one's files are there");
            try (PairJvm next = PairJvm.start(directory)) {
                next.tell("open n MULTI");
                final Set<String> nextFiles = names().stream().filter(name -> !name.endsWith(".counters"))
                    .collect(Collectors.toSet());
                assertEquals(4, nextFiles.size(), nextFiles::toString);
                assertTrue(count(".counters") <= 2 + KEPT_COUNTERS);
                next.tell("connect n e " + idleAddress);
                next.tell("send n e 100 0 1");
                await("the idle one works").atMost(LIMIT).until(() -> idle.number("i", "received") == 100);
            }
            idle.assertNoProblem("i");
        }
    }

    /** The sending or the receiving process is killed in mid-stream, and another takes its place. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @StandsFor({"S2", "P5"})
    @Tag("scaled")
    @Timeout(3000)
    void shouldReportAKillLeaveNothingAndWorkWithTheNext(final boolean isSenderKilled) throws Exception {
        final Random random = TestSeed.ofThisJvm().random();
        try (PairJvm survivor = PairJvm.start(directory)) {
            final String address = survivor.tell("open s MULTI");
            final Set<String> own = names();
            for (int round = 0; round < TestScale.count(2, 100); round++) {
                final String name = Character.toString(0x100 + round); // every sender has a number of its own
                final long killedNs;
                try (PairJvm victim = PairJvm.start(directory)) {
                    final String victimAddress = victim.tell("open " + name + " MULTI");
                    final PairJvm sender = isSenderKilled ? victim : survivor;
                    final String by = isSenderKilled ? name : "s";
                    sender.tell("connect " + by + " e" + round + ' ' + (isSenderKilled ? address : victimAddress));
                    sender.tell("sending " + by + " e" + round + " 100000000 0 1");
                    final PairJvm receiver = isSenderKilled ? survivor : victim;
                    final String at = isSenderKilled ? "s" : name;
                    final long before = isSenderKilled ? survivor.number("s", "received") : 0;
                    await("in mid-stream").atMost(LIMIT).until(() -> receiver.number(at, "received") > before + 50);
                    LockSupport.parkNanos(random.nextInt(20_000_000));
                    killedNs = System.nanoTime();
                    victim.kill();
                }
                final String told = survivor.event();
                assertTrue(told.contains(" status=CONNECTION_RESET "), told);
                Survivor.report("round " + round + " isSenderKilled=" + isSenderKilled + " kill-to-report",
                    System.nanoTime() - killedNs, RECOVERY_NS);
                await("only its own files").atMost(LIMIT).until(() -> holdsOnly(own));
                await("balance").atMost(LIMIT).until(() -> survivor.number("s", "in_use") == 0);
                survivor.assertNoProblem("s");
                assertEquals(round + 1, survivor.number("s", "errors"), "told once");
            }
        }
    }

    /** Where it is killed, and what the one line in the log must name. */
    @ParameterizedTest
    @CsvSource({"owner.lock.created,.tmp", "owner.lock.locked,.tmp", "owner.lock.named,.lock",
        "counters.half-header,.lock", "counters.before-ready,.lock", "shm.listen.bound,.sock",
        "name.claim.created,.tmp", "name.claim.locked,name-prices.lock", "name.claim.before-advertise,name-prices.addr",
        "name.claim.advertised,name-prices.addr", "shm.connect.connected,.sock", "shm.create.opened,.seg",
        "shm.create.sized,.seg", "shm.create.half-header,.seg", "shm.create.before-ready,.seg",
        "shm.create.before-name,.seg", "shm.connect.greeted,.sock", "shm.connect.welcomed,.sock",
        "shm.accept.greeted,.sock", "shm.accept.mapped,.sock", "shm.accept.before-unlink,.sock",
        "shm.accept.unlinked,.sock", "shm.accept.welcomed,.sock"})
    @StandsFor({"S3", "6.9/sockaddr.wireup_fail"})
    @Tag("debug-only")
    void shouldRecoverByItselfFromAKillBetweenAnyTwoStepsOfCreation(final String point, final String left)
        throws Exception {
        try (InfoLog log = InfoLog.attach()) {
            recoverFromAKillAt(point);
            assertEquals(1, log.lines().size(), log.lines()::toString);
            final String line = log.lines().get(0);
            assertTrue(line.matches("INFO removed what dead processes left: directory=" + directory.resolve("heddle")
                + " files=[1-9] bytes=[0-9]+ names=.*" + Pattern.quote(left) + ".*"), line);
        }
    }

    private void recoverFromAKillAt(final String point) throws Exception {
        final ContextConfig config = new ContextConfig().directory(directory.resolve("heddle"));
        try (Context context = Context.create(config);
            Worker host = Worker.create(context, ThreadMode.MULTI, "host");
            ProgressThread progress = ProgressThread.start(host);
            Listener listener = Listener.create(host, CreationChild.HOST, ConnectionRequest::accept)) {
            final Set<String> own = names();
            try (PairJvm doomed = PairJvm.start(directory, CreationChild.class, "-XX:TieredStopAtLevel=1",
                "-Dheddle.failpoints=" + point + ":kill")) {
                if (point.startsWith("shm.accept.")) {
                    assertEquals("complete", doomed.event());
                    Endpoint.create(host, CreationChild.OWN).onError((endpoint, status, reason) -> { });
                }
                doomed.awaitKilled();
            }
            final long killedNs = System.nanoTime();
            try (Context next = Context.create(config);
                Worker worker = Worker.create(next, ThreadMode.MULTI, "next");
                ProgressThread running = ProgressThread.start(worker);
                Listener again = Listener.create(worker, CreationChild.OWN, ConnectionRequest::accept)) {
                final Endpoint there = Endpoint.create(host, again.name());
                final Endpoint back = Endpoint.create(worker, listener.name());
                await("connected both ways").atMost(LIMIT).pollInterval(Duration.ofMillis(1))
                    .until(() -> there.isConnected() && back.isConnected());
                Survivor.report("recovered from a kill at " + point, System.nanoTime() - killedNs, RECOVERY_NS);
                assertTrue(running.thread().isAlive() && progress.thread().isAlive());
            }
            await("only its own files").atMost(LIMIT).until(() -> holdsOnly(own));
        }
    }
}
