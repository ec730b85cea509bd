package io.heddle.shm;

import io.heddle.context.AccessRefusedException;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.attribute.UserPrincipal;
import jdk.net.ExtendedSocketOptions;

/** Who is at the other end of a socket, as the kernel says. Stateless. */
final class PeerIdentity {
    private PeerIdentity() {
    }

    /**
     * The peer's user.
     *
     * @throws AccessRefusedException if it is not {@code user}.
     */
    static UserPrincipal require(final SocketChannel channel, final UserPrincipal user) throws IOException {
        final UserPrincipal peer = channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
        require(peer, user);
        return peer;
    }

    static void require(final UserPrincipal peer, final UserPrincipal user) {
        if (!peer.equals(user)) {
            throw new AccessRefusedException(
                "peerUser=" + peer.getName() + " must be user=" + user.getName() +
                    "; processes of different users do not share memory");
        }
    }

    /** One line for people. */
    static String describe(final long pid, final String workerName, final UserPrincipal user) {
        return "pid=" + pid + " worker=" + workerName + " user=" + user.getName();
    }
}
