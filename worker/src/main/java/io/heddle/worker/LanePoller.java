package io.heddle.worker;

import io.heddle.context.internal.TokenHolder;
import io.heddle.context.spi.Lane;
import java.util.Arrays;

/**
 * Which lanes are looked at in which round: all of them while they are few, else those with recent traffic in every
 * round and the silent ones in turn, so that each is seen within {@link #ROUNDS_FOR_ALL} rounds however many there are.
 *
 * <p>Confined to the holder of the dispatcher token.
 */
final class LanePoller {
    /** A first message on a silent lane is seen within so many rounds. */
    static final int ROUNDS_FOR_ALL = 64;
    private static final int FEW = 4;
    private static final int LOOKS_IF_FEW = 4;
    private static final int QUIET_ROUNDS = 256;

    private Connection[] all = new Connection[0];
    private int allCount;
    private Connection[] active = new Connection[FEW];
    private int activeCount;
    private int cursor;
    private int silentPerRound;

    void add(final Connection connection) {
        if (allCount == all.length) {
            all = Arrays.copyOf(all, Math.max(FEW, allCount * 2));
        }
        connection.pollIndex = allCount;
        all[allCount++] = connection;
        recount();
        activate(connection);
    }

    void remove(final Connection connection) {
        final int index = connection.pollIndex;
        if (index >= 0) {
            final Connection last = all[--allCount];
            all[allCount] = null;
            if (last != connection) {
                all[index] = last;
                last.pollIndex = index;
            }
            connection.pollIndex = -1;
            deactivate(connection);
            recount();
        }
    }

    private void recount() {
        silentPerRound = allCount <= FEW ? 0 : Math.max(FEW, (allCount + ROUNDS_FOR_ALL - 1) / ROUNDS_FOR_ALL);
        for (int i = 0; i < allCount && silentPerRound == 0; i++) {
            activate(all[i]); // no lane gets its turn as a silent one any more
        }
    }

    void activate(final Connection connection) {
        connection.quietRounds = 0;
        if (connection.activeIndex < 0) {
            if (activeCount == active.length) {
                active = Arrays.copyOf(active, activeCount * 2);
            }
            connection.activeIndex = activeCount;
            active[activeCount++] = connection;
        }
    }

    private void deactivate(final Connection connection) {
        final int index = connection.activeIndex;
        if (index >= 0) {
            final Connection last = active[--activeCount];
            active[activeCount] = null;
            if (last != connection) {
                active[index] = last;
                last.activeIndex = index;
            }
            connection.activeIndex = -1;
        }
    }

    /** In a round that found work elsewhere: the silent lanes get their turn all the same. */
    @TokenHolder
    void rotate() {
        if (silentPerRound != 0) {
            lookAtSilent();
        }
    }

    /** A lane that has received something, of those that this round looks at; null if none has. */
    @TokenHolder
    Connection look() {
        // Taking the token costs more than a look: while the lanes are few, one taking serves several looks.
        for (int looks = silentPerRound == 0 ? LOOKS_IF_FEW : 1; looks > 0; looks--) {
            for (int i = 0; i < activeCount; i++) {
                final Connection connection = active[i];
                if (hasNews(connection)) {
                    return connection;
                }
            }
        }
        return silentPerRound == 0 ? null : lookAtSilent();
    }

    /** Whether this lane is looked at, and no other. */
    @TokenHolder
    boolean isOnly(final Connection connection) {
        return connection.activeIndex == 0 && activeCount == 1 && silentPerRound == 0;
    }

    @TokenHolder
    private Connection lookAtSilent() {
        Connection found = null;
        int next = cursor;
        for (int i = silentPerRound; i > 0; i--) {
            if (next >= allCount) {
                next = 0;
            }
            final Connection connection = all[next++];
            if (connection.activeIndex < 0 && hasNews(connection)) {
                activate(connection);
                found = connection;
            }
        }
        cursor = next;
        quieten();
        return found;
    }

    /** One active lane a round is asked how long it has been quiet. */
    private void quieten() {
        for (int i = 0; i < activeCount; i++) {
            if (++active[i].quietRounds > QUIET_ROUNDS) {
                deactivate(active[i]);
                return;
            }
        }
    }

    /** Whether any lane at all has received something; before a worker sleeps. */
    @TokenHolder
    boolean lookAtAll() {
        for (int i = 0; i < allCount; i++) {
            final Connection connection = all[i];
            if (hasNews(connection)) {
                activate(connection);
                return true;
            }
        }
        return false;
    }

    /** Of a paused lane, what is not a message: it never waits behind one. */
    @TokenHolder
    private static boolean hasNews(final Connection connection) {
        final Lane lane = connection.lane();
        return lane.hasReceived() && (!connection.isPaused() || lane.hasControl());
    }

    int activeCount() {
        return activeCount;
    }

    Connection active(final int index) {
        return active[index];
    }

    int size() {
        return allCount;
    }

    Connection get(final int index) {
        return all[index];
    }
}
