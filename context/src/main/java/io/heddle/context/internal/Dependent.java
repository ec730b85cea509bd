package io.heddle.context.internal;

import io.heddle.context.CloseMode;
import io.heddle.context.CloseReport;
import java.time.Duration;

/** What lives within a context and is closed with it: a worker. */
public interface Dependent {
    /** Why the calling thread cannot close it, and the cure; null if it can. Any thread. */
    String refusal();

    /** Closes it, by whichever thread may. Any thread that is not refused; not inside a callback. */
    CloseReport close(CloseMode mode, Duration deadline);
}
