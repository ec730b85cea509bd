package io.heddle.tools;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import io.heddle.context.Context;
import io.heddle.endpoints.Endpoint;
import io.heddle.worker.Request;
import io.heddle.worker.Worker;
import io.heddle.worker.WorkerAddress;
import io.heddle.worker.WorkerStatistics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The producer's JVM: one thread that reads the file and sends it, a window of messages under way. */
@Command(name = "demo-producer", hidden = true)
final class DemoProducer implements Callable<Integer> {
    /** The word that carries the result. */
    static final String RESULT = "result";
    /** What the parent says when the consumer has all: the endpoint may be closed. */
    static final String FINISH = "finish";
    /** The id of the announcement: chunks to come, and bytes in a full one. */
    static final int ANNOUNCE = 1;
    /** The id of a chunk. */
    static final int CHUNK = 2;

    private static final int WINDOW = 16;
    private static final int READ_BYTES = 1 << 20;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    @Mixin
    private DemoOptions options;

    private final PeerWatch watch = new PeerWatch();
    private final ByteBuffer[] messages = new ByteBuffer[WINDOW];
    private final UnsafeBuffer[] views = new UnsafeBuffer[WINDOW];
    private final Request[] requests = new Request[WINDOW];
    private long sequence;
    private long offset;

    @Override
    public Integer call() throws IOException {
        final ChildChannel parent = ChildChannel.open();
        final WorkerAddress consumer = WorkerAddress.ofHex(parent.hear());
        for (int i = 0; i < WINDOW; i++) {
            messages[i] = ByteBuffer.allocateDirect(ChunkHeader.LENGTH + options.chunkBytes());
            views[i] = new UnsafeBuffer(messages[i]);
        }
        final ResultLine result = new ResultLine();
        try (Context context = Context.create();
             Worker worker = Worker.create(context, options.mode, "demo-producer")) {
            final Endpoint endpoint = Endpoint.create(worker, consumer);
            endpoint.onError(watch);
            announce(worker, endpoint);
            for (int i = 0; i < options.repeat; i++) {
                stream(worker, endpoint);
            }
            for (final Request request : requests) {
                complete(worker, request);
            }
            complete(worker, endpoint.flush());
            checksum(result);
            parent.hear();
            endpoint.close(CloseMode.FLUSH, CLOSE_TIMEOUT);
            close(worker, result);
        }
        parent.tell(RESULT, result.toString());
        return ExitCode.RIGHT;
    }

    private void announce(final Worker worker, final Endpoint endpoint) {
        final UnsafeBuffer message = new UnsafeBuffer(ByteBuffer.allocateDirect(2 * Long.BYTES));
        final long perFile = (options.fileBytes() + options.chunkBytes() - 1) / options.chunkBytes();
        message.putLong(0, perFile * options.repeat);
        message.putLong(Long.BYTES, options.chunkBytes());
        complete(worker, endpoint.sendActiveMessage(ANNOUNCE, null, message, 0, message.capacity()));
    }

    private void stream(final Worker worker, final Endpoint endpoint) throws IOException {
        try (FileChannel file = FileChannel.open(options.file)) {
            while (true) {
                final int slot = (int) (sequence % WINDOW);
                complete(worker, requests[slot]);
                final ByteBuffer message = messages[slot];
                message.clear().position(ChunkHeader.LENGTH);
                while (message.hasRemaining() && file.read(message) >= 0) {
                    // Until the chunk is full, or the file ends.
                }
                final int length = message.position() - ChunkHeader.LENGTH;
                if (length == 0) {
                    return;
                }
                ChunkHeader.write(message, sequence, offset, length);
                requests[slot] = endpoint.sendActiveMessage(CHUNK, null, views[slot], 0, ChunkHeader.LENGTH + length);
                sequence++;
                offset += length;
            }
        }
    }

    /** Progresses until a request has ended; its buffer may be written again then. Null has ended. */
    private void complete(final Worker worker, final Request request) {
        if (request == null) {
            return;
        }
        while (!request.isDone()) {
            if (worker.progress() == 0) {
                watch.check();
                Thread.onSpinWait();
            }
        }
        if (request.status().isError()) {
            watch.check();
            throw new ToolException("sending failed: status=" + request.status());
        }
    }

    /** From a read of its own, so that a byte that was read wrongly for the stream shows. */
    private void checksum(final ResultLine result) throws IOException {
        result.put("file_crc", fileCrc(options.file)).put("file_bytes", options.fileBytes());
    }

    /** The CRC32C of a file's bytes. */
    static long fileCrc(final Path path) throws IOException {
        final CRC32C crc = new CRC32C();
        final ByteBuffer buffer = ByteBuffer.allocateDirect(READ_BYTES);
        try (FileChannel file = FileChannel.open(path)) {
            while (file.read(buffer.clear()) >= 0) {
                crc.update(buffer.flip());
            }
        }
        return crc.getValue();
    }

    private static void close(final Worker worker, final ResultLine result) {
        final WorkerStatistics last = worker.statistics();
        final CloseReport report = worker.close(CloseMode.FLUSH, CLOSE_TIMEOUT);
        DemoConsumer.addAudit(result, last, report);
    }
}
