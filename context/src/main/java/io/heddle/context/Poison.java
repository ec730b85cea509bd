package io.heddle.context;

import io.heddle.context.internal.ThreadGuard;
import org.agrona.UnsafeApi;

/**
 * Debug builds overwrite an element that comes back, so that a read through a raw address after the release shows at
 * once. On wherever thread modes are checked. Only the first 4 KiB are overwritten: enough to be seen, and debug stays
 * within its bound on speed for large elements.
 */
final class Poison {
    static final boolean ENABLED = ThreadGuard.CHECKS;
    static final byte PATTERN = (byte) 0xD5;
    static final long MAX_BYTES = 4096;

    private Poison() {
    }

    static void fill(final long address, final long bytes) {
        UnsafeApi.setMemory(address, Math.min(bytes, MAX_BYTES), PATTERN);
    }
}
