package io.heddle.worker;

import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Lists of connections that are read without the guard: arrays in a volatile field, copied on change.
 *
 * <p>Compare-and-set, though the guard orders the changes: where thread modes are not checked, calls that overlap
 * against the rule lose no connection. Partner: those who read the lists without the guard.
 */
final class ConnectionLists {
    private ConnectionLists() {
    }

    /** @param list of the holder's field, an array of connections. */
    static void add(final VarHandle list, final Object holder, final Connection connection) {
        Connection[] now;
        do {
            now = (Connection[]) list.getVolatile(holder);
        } while (!list.compareAndSet(holder, now, with(now, connection)));
    }

    /** As {@link #add}. Nothing if it is not there. */
    static void remove(final VarHandle list, final Object holder, final Connection connection) {
        Connection[] now;
        Connection[] less;
        do {
            now = (Connection[]) list.getVolatile(holder);
            less = without(now, connection);
        } while (less != now && !list.compareAndSet(holder, now, less));
    }

    private static Connection[] with(final Connection[] array, final Connection connection) {
        final Connection[] more = Arrays.copyOf(array, array.length + 1);
        more[array.length] = connection;
        return more;
    }

    private static Connection[] without(final Connection[] array, final Connection connection) {
        for (int i = 0; i < array.length; i++) {
            if (array[i] == connection) {
                final Connection[] less = new Connection[array.length - 1];
                System.arraycopy(array, 0, less, 0, i);
                System.arraycopy(array, i + 1, less, i, less.length - i);
                return less;
            }
        }
        return array;
    }
}
