package io.heddle.shm;

import io.heddle.context.AccessRefusedException;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.internal.FailPoints;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;

/** The context's server socket. Confined to the control thread, but for its making. */
final class Acceptor implements ControlThread.Ready {
    private static final int BACKLOG = 4096;
    private static final int MAX_ACCEPTS_PER_ROUND = 64;

    private final ShmTransport transport;
    private final ControlThread control;
    private final Path path;
    private final ServerSocketChannel channel;

    /** @throws HeddleException if the socket cannot be made; the path is named. */
    Acceptor(final ShmTransport transport, final ControlThread control, final Path path) {
        this.transport = transport;
        this.control = control;
        this.path = path;
        ServerSocketChannel opened = null;
        try {
            opened = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            opened.bind(UnixDomainSocketAddress.of(path), BACKLOG);
            FailPoints.at("shm.listen.bound");
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            opened.configureBlocking(false);
            control.register(opened, SelectionKey.OP_ACCEPT, this);
            channel = opened;
        } catch (final IOException ex) {
            closeQuietly(opened);
            throw new HeddleException(Status.IO_ERROR, "cannot listen: path=" + path + " cause=" + ex.getMessage(), ex);
        }
    }

    @Override
    public void onReady(final SelectionKey key) {
        for (int i = 0; i < MAX_ACCEPTS_PER_ROUND; i++) {
            final SocketChannel accepted;
            try {
                accepted = channel.accept();
            } catch (final IOException ex) {
                pause(key, ex);
                return;
            }
            if (accepted == null) {
                return;
            }
            welcome(accepted);
        }
    }

    /** The socket stays ready as long as the cause lasts, so look away for a while. */
    private void pause(final SelectionKey key, final IOException cause) {
        if (key.isValid()) {
            key.interestOps(0);
            control.schedule(control.timings().acceptPauseNs(), () -> {
                if (key.isValid()) {
                    key.interestOps(SelectionKey.OP_ACCEPT);
                }
            });
        }
        control.reports().error(new HeddleException(
            Status.IO_ERROR,
            "cannot accept: path=" + path + " cause=" + cause.getMessage() +
                "; are file descriptors left (ulimit -n)?", cause));
    }

    private void welcome(final SocketChannel accepted) {
        try {
            accepted.configureBlocking(false);
            final UserPrincipal user = PeerIdentity.require(accepted, transport.user());
            new AcceptAttempt(transport, user).begin(accepted);
        } catch (final AccessRefusedException ex) {
            control.reports().refusal(ex.getMessage(), ex);
            turnAway(accepted, new Refused(ex.status(), ex.getMessage()));
        } catch (final IOException ex) {
            control.reports().error(ex);
            closeQuietly(accepted);
        }
    }

    /** A fresh socket has room for one message. */
    private void turnAway(final SocketChannel accepted, final Refused refused) {
        try (accepted) {
            accepted.write(refused.encode());
        } catch (final IOException ex) {
            control.reports().error(ex);
        }
    }

    @Override
    public void onFailure(final Throwable error) {
        control.reports().error(error);
    }

    @Override
    public void onShutdown() {
        SegmentFile.unlink(path);
        closeQuietly(channel);
    }

    private void closeQuietly(final Channel closed) {
        if (closed != null) {
            try {
                closed.close();
            } catch (final IOException ex) {
                control.reports().error(ex);
            }
        }
    }
}
