package io.heddle.worker;

import io.heddle.context.ClosedException;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.Executor;
import org.agrona.CloseHelper;

/**
 * A worker's wake-ups for an application's own selector: the read end of a pipe, made when it is first asked for, that
 * holds a byte from a wake-up to the next arming. Until it is made a wake-up costs one more volatile read.
 *
 * <p>Thread safe. The byte is written by the transport's thread, since who wakes may hold the worker's lock, and is not
 * to make a system call. It is taken out by who arms, under the guard. Neither end blocks, so an interrupt of either
 * thread does not close the pipe.
 */
final class WakeChannel {
    private final String workerName;
    private final Executor writer;
    private final Runnable write = this::write;
    private final ByteBuffer scratch = ByteBuffer.allocate(1); // guarded by this
    private Pipe pipe; // guarded by this
    private boolean isReadable; // guarded by this
    private boolean closed; // guarded by this
    private volatile boolean made;
    /** Rung since it was last silenced: a byte that is written late does not fall into the next arming. */
    private volatile boolean rung;

    /** @param writer runs what it is given soon, in order, on the transport's thread. */
    WakeChannel(final String workerName, final Executor writer) {
        this.workerName = workerName;
        this.writer = writer;
    }

    /** The one channel; a new one only if the application has closed it. */
    synchronized SelectableChannel channel() {
        if (closed) {
            throw new ClosedException("worker " + workerName, "selectableChannel");
        }
        if (pipe == null || !pipe.source().isOpen()) {
            closePipe();
            open();
        }
        return pipe.source();
    }

    /** Whether the application has asked for it. */
    boolean isMade() {
        return made;
    }

    private void open() {
        Pipe opened = null;
        try {
            opened = Pipe.open();
            opened.source().configureBlocking(false);
            opened.sink().configureBlocking(false);
            pipe = opened;
            isReadable = false;
            made = true; // volatile; partner: ring()
        } catch (final IOException ex) {
            if (opened != null) {
                CloseHelper.quietCloseAll(opened.source(), opened.sink());
            }
            throw new HeddleException(Status.IO_ERROR, "cannot open a pipe; are file descriptors left (ulimit -n)?"
                + " worker=" + workerName, ex);
        }
    }

    /** Makes the channel readable soon. Any thread; never blocks. */
    void ring() {
        if (made) {
            rung = true; // volatile; partner: write(), which is executed later
            writer.execute(write);
        }
    }

    private synchronized void write() {
        if (!closed && rung && !isReadable) {
            try {
                isReadable = pipe.sink().write(scratch.clear()) > 0;
            } catch (final IOException ex) {
                isReadable = false; // the application has closed its end: nobody is to be told
            }
        }
    }

    /** Makes the channel unreadable, before the worker is armed. */
    void silence() {
        if (rung) { // false only if nothing was rung since the last time: the pipe is empty
            drain();
        }
    }

    private synchronized void drain() {
        rung = false;
        if (isReadable && !closed) {
            isReadable = false;
            try {
                pipe.source().read(scratch.clear());
            } catch (final ClosedChannelException ex) {
                return; // by the application, which asks for a new one if it wants one
            } catch (final IOException ex) {
                throw new HeddleException(Status.IO_ERROR, "cannot read the pipe: worker=" + workerName, ex);
            }
        }
    }

    /** Closes both ends. Idempotent. */
    synchronized void close() {
        closed = true;
        closePipe();
    }

    private void closePipe() {
        if (pipe != null) {
            CloseHelper.quietCloseAll(pipe.source(), pipe.sink());
        }
    }
}
