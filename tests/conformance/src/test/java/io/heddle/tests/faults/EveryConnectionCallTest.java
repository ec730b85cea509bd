package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.context.CloseMode;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.ExpectedLog;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.base.TestScale;
import io.heddle.tests.base.TestSeed;
import io.heddle.worker.BufferVector;
import io.heddle.worker.Claim;
import io.heddle.worker.Connection;
import io.heddle.worker.ProgressThread;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.agrona.CloseHelper;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Every public call of one connection, each overload by itself, from eight threads at once, in MULTI. */
@ExtendWith(HygieneExtension.class)
@Timeout(300)
@ExpectedLog("no such segment") // of connections that are closed while they connect
class EveryConnectionCallTest {
    /** By name and number of parameters. */
    private final Map<String, RandomCallers.Call> table = new TreeMap<>();
    private final Queue<Throwable> problems = new ConcurrentLinkedQueue<>();
    private final UnsafeBuffer data = new UnsafeBuffer(new byte[20_000]);

    @Test
    @StandsFor("T3")
    @Tag("scaled")
    void shouldSurviveEveryCallOfAConnection(final TestSeed seed) throws Exception {
        final long lengthNs = Duration.ofMillis(TestScale.count(700, 20_000)).toNanos();
        try (Rig rig = Rig.open(ThreadMode.MULTI)) {
            rig.receiver.onError((worker, connection, status, error) -> problems.add(error));
            rig.receiver.onActiveMessage(Rig.ID, message -> { });
            final Connection connection = rig.sender.connect(rig.receiver.address());
            rig.until("connected", connection::isConnected);
            fill(connection, rig);
            assertEquals(publicCalls(), table.keySet());
            final ProgressThread receiving = ProgressThread.start(rig.receiver);
            final ProgressThread sending = ProgressThread.start(rig.sender);
            try {
                RandomCallers.run(seed, lengthNs, table.values(), this::call);
            } finally {
                CloseHelper.closeAll(sending, receiving);
            }
            connection.close(CloseMode.FORCE, Rig.LIMIT);
            rig.assertBalance();
            assertEquals(List.of(), List.copyOf(problems), seed::toString);
        }
    }

    private void call(final RandomCallers.Call deed, final Random random) {
        try {
            deed.run(random);
        } catch (final HeddleException ex) {
            return; // documented: busy, closed, or in another state
        } catch (final Throwable ex) {
            problems.add(ex);
        }
    }

    private static Set<String> publicCalls() {
        return Arrays.stream(Connection.class.getDeclaredMethods())
            .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
            .map(EveryConnectionCallTest::key).collect(Collectors.toSet());
    }

    private static String key(final Method method) {
        return method.getName() + "/" + method.getParameterCount();
    }

    private void fill(final Connection connection, final Rig rig) {
        table.put("send/8", random -> connection.send(Rig.ID, 0, null, data, 0, random.nextInt(9000), null, null));
        table.put("send/6", random -> connection.send(Rig.ID, 0, null,
            new BufferVector().add(data, 0, random.nextInt(9000)), null, null));
        table.put("trySend/6", random -> connection.trySend(Rig.ID, 0, null, data, 0, random.nextInt(9000)));
        table.put("tryClaim/4", random -> {
            final Claim claim = new Claim();
            if (connection.tryClaim(Rig.ID, 0, 64, claim) == Status.OK) {
                claim.commit();
            }
        });
        table.put("flush/0", random -> connection.flush());
        table.put("resume/0", random -> connection.resume());
        table.put("onWritable/1", random -> connection.onWritable(() -> { }));
        table.put("close/2", random -> rig.sender.connect(rig.receiver.address()).close(CloseMode.FORCE, Rig.LIMIT));
        table.put("onError/1", random -> connection.onError(null));
        table.put("userData/1", random -> connection.userData(random));
        table.put("wrapper/1", random -> connection.wrapper(null));
        table.put("userData/0", random -> connection.userData());
        table.put("wrapper/0", random -> connection.wrapper());
        table.put("maxClaimBytes/0", random -> connection.maxClaimBytes());
        table.put("isWritable/0", random -> connection.isWritable());
        table.put("isConnected/0", random -> connection.isConnected());
        table.put("isClosed/0", random -> connection.isClosed());
        table.put("isFailed/0", random -> connection.isFailed());
        table.put("status/0", random -> connection.status());
        table.put("failure/0", random -> connection.failure());
        table.put("worker/0", random -> connection.worker());
        table.put("peer/0", random -> connection.peer());
        table.put("describe/0", random -> connection.describe());
        table.put("toString/0", random -> connection.toString());
    }
}
