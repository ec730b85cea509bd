package io.heddle.shm;

import java.util.concurrent.TimeUnit;

/**
 * How long the control side waits for what. Immutable.
 *
 * @param handshakeNs   from the wish to connect to the peer's answer, and from an accepted socket to its first message.
 * @param lingerNs      from the wish to unmap to the unmapping: a thread may be inside a read that it began before the
 *                      last release.
 * @param closeLingerNs the same once the context closes. Its workers are closed then and no lane is read any more, so
 *                      only a read under way counts; a context's close takes that much longer when it unmaps something
 *                      young.
 * @param acceptPauseNs rest after an accept that failed, mostly for want of file descriptors.
 */
record ControlTimings(long handshakeNs, long lingerNs, long closeLingerNs, long acceptPauseNs) {
    static final ControlTimings DEFAULT = new ControlTimings(
        TimeUnit.SECONDS.toNanos(5), TimeUnit.SECONDS.toNanos(2), TimeUnit.MILLISECONDS.toNanos(100),
        TimeUnit.MILLISECONDS.toNanos(100));
}
