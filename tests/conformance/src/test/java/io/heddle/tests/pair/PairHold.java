package io.heddle.tests.pair;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.worker.ActiveMessage;
import io.heddle.worker.Connection;
import io.heddle.worker.ReceivedData;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;

/**
 * A receiver that takes nothing, or keeps everything it can and then takes nothing. Confined to its worker's thread,
 * but for the count.
 */
final class PairHold {
    private final Queue<ReceivedData> kept = new ArrayDeque<>();
    private final Set<Connection> postponed = new LinkedHashSet<>();
    private boolean isPostponing;
    private boolean isRetaining;
    private volatile long count;

    String begin(final String how) {
        isPostponing = "postpone".equals(how);
        isRetaining = "retain".equals(how);
        return how;
    }

    /** Whether the message is received; else it was postponed. */
    boolean takes(final ActiveMessage message) {
        if (isRetaining) {
            try {
                kept.add(message.retain());
                count = kept.size();
                return true;
            } catch (final HeddleException ex) {
                if (ex.status() != Status.NO_MEMORY) {
                    throw ex;
                }
            }
        }
        if (isPostponing || isRetaining) {
            postponed.add(message.connection());
            message.postpone();
            return false;
        }
        return true;
    }

    String end() {
        isPostponing = false;
        isRetaining = false;
        final int released = kept.size();
        kept.forEach(ReceivedData::release);
        kept.clear();
        count = 0;
        postponed.forEach(Connection::resume);
        postponed.clear();
        return "released=" + released;
    }

    long count() {
        return count;
    }
}
