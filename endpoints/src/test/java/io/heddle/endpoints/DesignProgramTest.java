package io.heddle.endpoints;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.StandsFor;
import io.heddle.worker.CompletionHandler;
import io.heddle.worker.ProgressThread;
import io.heddle.worker.ReceivedData;
import io.heddle.worker.Request;
import io.heddle.worker.Worker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program of the design page, as it stands there, but for the directory. */
@Timeout(60)
class DesignProgramTest {
    @TempDir
    private Path temp;

    private final CountDownLatch used = new CountDownLatch(2);

    @Test
    @StandsFor("6.9/wireup.loopback")
    void shouldRunAsWritten() throws InterruptedException {
        final ExecutorService executor = Executors.newSingleThreadExecutor();
        final UnsafeBuffer header = new UnsafeBuffer("head".getBytes(StandardCharsets.UTF_8));
        final UnsafeBuffer data = new UnsafeBuffer("..price".getBytes(StandardCharsets.UTF_8));
        final int offset = 2;
        final int lengthBytes = 5;
        final CompletionHandler onDone = (request, status) -> assertEquals(Status.OK, status);
        final ContextConfig config = new ContextConfig().directory(temp.resolve("h"));
        try (Context context = Context.create(config);
             Worker worker = Worker.create(context, ThreadMode.MULTI)) {
            worker.onActiveMessage(7, message -> {
                final Endpoint back = Endpoint.replyTo(message);
                final ReceivedData kept = message.retain();
                executor.execute(() -> { try (kept) { use(kept, back); } });
            });
            try (ProgressThread progress = ProgressThread.start(worker);
                 Listener listener = Listener.create(worker, "prices", ConnectionRequest::accept);
                 Endpoint endpoint = Endpoint.create(worker, "prices")) {
                final Request sent = endpoint.sendActiveMessage(7, header, data, offset, lengthBytes, onDone);
                assertEquals(Status.OK, sent.await(Duration.ofSeconds(30)));
                final Status now = endpoint.trySendActiveMessage(7, header, data, offset, lengthBytes);
                assertEquals(Status.OK, now);
                final CloseReport cut = endpoint.close(CloseMode.FLUSH, Duration.ofSeconds(30));
                assertTrue(cut.isClean(), cut::toString);
                assertTrue(used.await(30, TimeUnit.SECONDS));
                assertEquals("prices", listener.name());
                assertTrue(progress.thread().isAlive());
            }
        } finally {
            executor.shutdown();
        }
    }

    private void use(final ReceivedData kept, final Endpoint back) {
        if ("price".equals(kept.data().getStringWithoutLengthUtf8(0, 5)) && back != null) {
            used.countDown();
        }
    }
}
