package io.heddle.tools;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * Java heap bytes that all threads of this JVM allocate between two calls. Neither call allocates while it counts:
 * the threads are listed before the first reading, and threads that came later are listed after the last. A thread
 * that has ended between the calls is not seen. Confined.
 */
final class AllocationMeter {
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private long[] ids = new long[0];
    private long[] before = new long[0];
    private long[] after = new long[0];

    void begin() {
        ids = threads.getAllThreadIds();
        before = new long[ids.length];
        after = new long[ids.length];
        read(before);
    }

    /** Bytes since {@link #begin()}. */
    long end() {
        read(after);
        long bytes = 0;
        for (int i = 0; i < ids.length; i++) {
            bytes += before[i] < 0 || after[i] < 0 ? 0 : after[i] - before[i];
        }
        for (final long id : threads.getAllThreadIds()) {
            bytes += wasThere(id) ? 0 : Math.max(0, threads.getThreadAllocatedBytes(id));
        }
        return bytes;
    }

    private void read(final long[] into) {
        for (int i = 0; i < ids.length; i++) {
            into[i] = threads.getThreadAllocatedBytes(ids[i]);
        }
    }

    private boolean wasThere(final long id) {
        for (final long known : ids) {
            if (known == id) {
                return true;
            }
        }
        return false;
    }
}
