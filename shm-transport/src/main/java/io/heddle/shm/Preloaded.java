package io.heddle.shm;

import io.heddle.context.AccessRefusedException;
import io.heddle.context.ClosedException;
import io.heddle.context.HeddleException;
import io.heddle.context.NoSharedMemoryException;
import io.heddle.context.Status;
import io.heddle.context.VersionMismatchException;
import java.util.List;

/**
 * The classes that failures need, loaded while there are file descriptors to load them with. A class path of
 * directories opens a file for each class, and a caller that was refused a class once is refused it for good; so the
 * first want of descriptors would otherwise leave connects without an answer. Stateless.
 */
final class Preloaded {
    private static final List<Class<?>> CLASSES = List.of(
        Status.class, HeddleException.class, AccessRefusedException.class, ClosedException.class,
        NoSharedMemoryException.class, VersionMismatchException.class, ControlViolation.class, Refused.class,
            Hello.class,
        Welcome.class, Growth.class, FrameBody.class, FrameDescriptor.class, SegmentFile.class, SegmentHeader.class,
        MappedSegment.class, PeerIdentity.class, AcceptAttempt.class, ConnectAttempt.class, ControlSocket.class,
        ControlTimers.class, LateUnmapper.class, ShmInterface.class, LaneSlot.class, LaneLink.class,
            ShmConnection.class, ShmLane.class, PeerPulse.class, LeftoverSweep.class);

    private Preloaded() {
    }

    /** Initialises them all, and those declared in them; nothing the second time. */
    static void load() {
        for (final Class<?> type : CLASSES) {
            initialize(type);
            for (final Class<?> inner : type.getDeclaredClasses()) {
                initialize(inner);
            }
        }
    }

    private static void initialize(final Class<?> type) {
        try {
            Class.forName(type.getName(), true, Preloaded.class.getClassLoader());
        } catch (final ClassNotFoundException ex) {
            throw new IllegalStateException("class=" + type.getName() + " was there a moment ago", ex);
        }
    }
}
