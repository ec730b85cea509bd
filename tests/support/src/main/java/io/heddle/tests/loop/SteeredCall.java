package io.heddle.tests.loop;

/** The calls of the SPI, as {@link Steering} counts them, and what the SPI says about the guard for each. Immutable. */
public enum SteeredCall {
    /** {@code TransportInterface.connect}, both. */
    CONNECT(Rule.GUARDED),
    /** {@code TransportInterface.listen}. */
    LISTEN(Rule.NEVER_GUARDED),
    /** {@code TransportInterface.unlisten}. */
    UNLISTEN(Rule.NEVER_GUARDED),
    /** {@code TransportInterface.hasEvents}. */
    HAS_EVENTS(Rule.LOOK),
    /** {@code TransportInterface.step}. */
    STEP(Rule.GUARDED),
    /** {@code TransportInterface.waitState}. */
    WAIT_STATE(Rule.GUARDED),
    /** {@code TransportInterface.close}. */
    CLOSE(Rule.GUARDED),
    /** {@code Lane.hasReceived}. */
    HAS_RECEIVED(Rule.LOOK),
    /** {@code Lane.hasRoom}. */
    HAS_ROOM(Rule.LOOK),
    /** {@code Lane.control}. */
    CONTROL(Rule.GUARDED),
    /** {@code Lane.collect}. */
    COLLECT(Rule.GUARDED),
    /** {@code Lane.retire}. */
    RETIRE(Rule.GUARDED),
    /** {@code Lane.rewind}. */
    REWIND(Rule.GUARDED),
    /** {@code Lane.recycle}. */
    RECYCLE(Rule.GUARDED),
    /** {@code Lane.keepsInPlace}. */
    KEEPS_IN_PLACE(Rule.GUARDED),
    /** {@code Lane.send}. */
    SEND(Rule.GUARDED),
    /** {@code Lane.reserve}. */
    RESERVE(Rule.GUARDED),
    /** {@code Lane.publish}. */
    PUBLISH(Rule.GUARDED),
    /** {@code Lane.abandon}. */
    ABANDON(Rule.GUARDED),
    /** {@code Lane.unretired}. */
    UNRETIRED(Rule.GUARDED),
    /** {@code Lane.signalNeeded}. */
    SIGNAL_NEEDED(Rule.GUARDED),
    /** {@code Lane.signalNeededForRoom}. */
    SIGNAL_NEEDED_FOR_ROOM(Rule.GUARDED),
    /** {@code Lane.signal}. */
    SIGNAL(Rule.NEVER_GUARDED),
    /** {@code Lane.finish}. */
    FINISH(Rule.GUARDED),
    /** {@code Lane.dispose}. */
    DISPOSE(Rule.GUARDED);

    /** What a call asks of the guard. */
    enum Rule {
        /** Held by the caller. */
        GUARDED,
        /** Not needed. */
        LOOK,
        /** Must not be held. */
        NEVER_GUARDED
    }

    private final Rule rule;

    SteeredCall(final Rule rule) {
        this.rule = rule;
    }

    /** Whether this is one of the dispatcher's read-only looks, which need no guard. */
    public boolean isLook() {
        return rule == Rule.LOOK;
    }

    Rule rule() {
        return rule;
    }
}
