package io.heddle.shm;

import io.heddle.context.Status;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One end of a connection's socket: cuts bytes into messages, sends messages whole. Confined to the control thread, but
 * for {@link #signal()}.
 *
 * <p>A wake byte is written by the thread that wants it. It must not fall into a message that went out in part, so
 * writes are under a lock that a signaller only tries: who fails leaves its wish in {@link #wakeWanted} to the holder,
 * who looks again after letting go.
 */
final class ControlSocket implements ControlThread.Ready {
    private static final int MAX_QUEUED = 256;

    private final ControlThread control;
    private final SocketChannel channel;
    private final ArrayDeque<ByteBuffer> out = new ArrayDeque<>();
    private final ReentrantLock writeLock = new ReentrantLock();
    private final ByteBuffer wakeByte = ByteBuffer.allocateDirect(1).put(0, FrameDescriptor.WAKE);
    private volatile boolean wakeWanted;
    private volatile boolean unwritable;
    /** Under {@link #writeLock}: the first message of {@link #out} has gone out in part. */
    private boolean midFrame;
    private byte[] partial;
    private SelectionKey key;
    private Listener listener;
    private boolean heard;
    /** Whether bytes have been read that come after the message at hand. */
    private boolean moreFollows;
    private boolean closeWhenSent;
    private boolean closed;

    /** Who reads the messages. Called by the control thread. */
    interface Listener {
        /** One whole message. */
        void onFrame(byte opcode, int version, ByteBuffer body) throws ControlViolation;

        /** One or more wake bytes. */
        void onWake();

        /**
         * The peer's end of the socket is gone, or it broke the rules, or this context closes: told once, this end is
         * closed already.
         */
        void onEnd(Status status, String reason);
    }

    ControlSocket(final ControlThread control, final SocketChannel channel, final Listener listener)
        throws IOException {
        this.control = control;
        this.channel = channel;
        this.listener = listener;
        this.key = control.register(channel, SelectionKey.OP_READ, this);
    }

    /** Who hears of the following messages. */
    void listener(final Listener next) {
        listener = next;
    }

    boolean isClosed() {
        return closed;
    }

    /** Whether anything has come since the last call. */
    boolean takeHeard() {
        final boolean taken = heard;
        heard = false;
        return taken;
    }

    /**
     * Whether the peer has left, asked while it waits for an answer and so has no reason to say anything: then there is
     * more to read, its farewell or the end. That is taken away here, so the socket is of no more use but for an
     * answer.
     */
    boolean hasPeerLeft() {
        if (closed || unwritable || moreFollows) {
            return true;
        }
        try {
            return channel.read(ByteBuffer.allocate(1)) != 0;
        } catch (final IOException ex) {
            return true; // reset
        }
    }

    /** Sends a message, now or when there is room. */
    void send(final ByteBuffer frame) {
        if (closed || unwritable) {
            return;
        }
        if (out.size() >= MAX_QUEUED) {
            violated(new ControlViolation("control.socket", "is not read by the peer, queuedMessages=" + out.size()));
            return;
        }
        out.add(frame);
        flush();
    }

    /** Wakes the peer's worker. Any thread; never blocks, never throws. */
    void signal() {
        wakeWanted = true; // volatile; pairs with the look of the lock's holder after its unlock, here and in flush()
        while (wakeWanted && !unwritable && writeLock.tryLock()) {
            try {
                if (midFrame) {
                    return; // flush() ends with the wake
                }
                writeWake();
            } finally {
                writeLock.unlock();
            }
        }
    }

    /** Closes when the queued messages are out, or soon. */
    void closeWhenSent() {
        closeWhenSent = true;
        if (out.isEmpty() || unwritable) {
            close();
        } else {
            control.schedule(control.timings().lingerNs(), this::close);
        }
    }

    /** Closes now. Idempotent; tells nobody. */
    void close() {
        if (closed) {
            return;
        }
        closed = true;
        unwritable = true;
        out.clear();
        partial = null;
        try {
            channel.close();
        } catch (final IOException ex) {
            control.reports().error(ex);
        }
    }

    /** Closes because of what the peer sent. */
    void violated(final ControlViolation violation) {
        if (!closed) {
            close();
            control.reports().violation(violation);
            listener.onEnd(Status.PROTOCOL_VIOLATION, violation.getMessage());
        }
    }

    @Override
    public void onReady(final SelectionKey ready) {
        if (!closed && ready.isWritable()) {
            flush();
        }
        if (!closed && ready.isReadable()) {
            read();
        }
    }

    @Override
    public void onFailure(final Throwable error) {
        control.reports().error(error);
        if (!closed) {
            close();
            listener.onEnd(Status.IO_ERROR, "control socket failed: cause=" + error);
        }
    }

    @Override
    public void onShutdown() {
        if (!closed) {
            send(FrameBody.finished(FrameBody.begin(FrameDescriptor.FAREWELL)));
            close();
            listener.onEnd(Status.CANCELED, "the context was closed");
        }
    }

    private void read() {
        final ByteBuffer buffer = control.readBuffer().clear();
        if (partial != null) {
            buffer.put(partial);
            partial = null;
        }
        int count;
        try {
            count = channel.read(buffer);
        } catch (final IOException ex) {
            count = -1; // reset: the peer's end went with bytes unread; what it had sent before came first
        }
        if (count < 0) {
            close();
            listener.onEnd(Status.CONNECTION_RESET, null);
            return;
        }
        heard = true;
        buffer.flip();
        try {
            split(buffer);
        } catch (final ControlViolation violation) {
            violated(violation);
        }
    }

    private void split(final ByteBuffer buffer) throws ControlViolation {
        boolean woken = false;
        while (buffer.hasRemaining() && !closed) {
            final int start = buffer.position();
            final byte opcode = buffer.get(start + FrameDescriptor.OPCODE_OFFSET);
            if (opcode == FrameDescriptor.WAKE) {
                buffer.position(start + 1);
                woken = true;
            } else if (!splitFrame(buffer, start, opcode)) {
                break;
            }
        }
        if (closed) {
            return;
        }
        if (buffer.hasRemaining()) {
            partial = new byte[buffer.remaining()];
            buffer.get(partial);
        }
        if (woken) {
            listener.onWake();
        }
    }

    private boolean splitFrame(final ByteBuffer buffer, final int start, final byte opcode) throws ControlViolation {
        if (opcode < FrameDescriptor.HELLO || opcode > FrameDescriptor.LAST) {
            throw ControlViolation.range("opcode", opcode, FrameDescriptor.HELLO, FrameDescriptor.LAST);
        }
        if (buffer.remaining() < FrameDescriptor.HEADER_BYTES) {
            return false;
        }
        final int version = Byte.toUnsignedInt(buffer.get(start + FrameDescriptor.VERSION_OFFSET));
        final int length = Short.toUnsignedInt(buffer.getShort(start + FrameDescriptor.LENGTH_OFFSET));
        if (version != FrameDescriptor.PROTOCOL_VERSION && opcode != FrameDescriptor.HELLO &&
            opcode != FrameDescriptor.REFUSED) {
            throw ControlViolation.range("version", version, FrameDescriptor.PROTOCOL_VERSION,
                FrameDescriptor.PROTOCOL_VERSION);
        }
        if (length > FrameDescriptor.MAX_BODY_BYTES) {
            throw ControlViolation.range("bodyLength", length, 0, FrameDescriptor.MAX_BODY_BYTES);
        }
        if (buffer.remaining() < FrameDescriptor.HEADER_BYTES + length) {
            return false;
        }
        final int body = start + FrameDescriptor.HEADER_BYTES;
        buffer.position(body + length);
        moreFollows = buffer.hasRemaining();
        listener.onFrame(opcode, version, buffer.duplicate().order(buffer.order()).position(body).limit(body + length));
        return true;
    }

    private void flush() {
        writeLock.lock();
        try {
            writeQueued();
            if (!midFrame && wakeWanted) {
                writeWake();
            }
        } finally {
            writeLock.unlock();
        }
        if (wakeWanted) {
            signal();
        }
        if (closeWhenSent && out.isEmpty()) {
            close();
        } else if (!closed && key.isValid()) {
            final int ops = out.isEmpty() ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE;
            if (ops != key.interestOps()) {
                key.interestOps(ops);
            }
        }
    }

    private void writeQueued() {
        try {
            while (!out.isEmpty()) {
                final ByteBuffer frame = out.peek();
                channel.write(frame);
                midFrame = frame.hasRemaining() && frame.position() > 0;
                if (frame.hasRemaining()) {
                    return;
                }
                out.remove();
            }
        } catch (final IOException ex) {
            // The peer's end is gone. That is told when what it sent before has been read.
            unwritable = true;
            out.clear();
        }
    }

    private void writeWake() {
        wakeWanted = false;
        wakeByte.position(0);
        try {
            channel.write(wakeByte);
        } catch (final IOException ex) {
            unwritable = true; // as above
        }
    }
}
