package io.heddle.shm;

/** Where a connect leads. Immutable. */
interface ConnectTarget {
    /** Who has the peer's address is taken without being asked. */
    record Address(ShmAddress address) implements ConnectTarget {
    }

    /**
     * Whoever listens by a name.
     *
     * @param data   for the listener's application.
     * @param waitNs how long a listener of that name may be awaited.
     */
    record Name(String name, byte[] data, long waitNs) implements ConnectTarget {
    }
}
