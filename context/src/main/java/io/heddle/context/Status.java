package io.heddle.context;

/**
 * The outcome of an operation, with UCX's names and codes so that a port can compare them one by one.
 *
 * <p>On the data path outcomes are these values, never exceptions. Immutable.
 */
public enum Status {
    /** Done. */
    OK(0),
    /** Begun and not finished. */
    IN_PROGRESS(1),
    /** Nothing has arrived that matches. */
    NO_MESSAGE(-1),
    /** The peer has given no room for now: ring space or a descriptor; try again after progress. */
    NO_RESOURCE(-2),
    /** The system refused an input or output operation. */
    IO_ERROR(-3),
    /** Memory could not be had, shared or private. */
    NO_MEMORY(-4),
    /** An argument is out of its range. */
    INVALID_PARAM(-5),
    /** No transport reaches the address. */
    UNREACHABLE(-6),
    /** The bytes given as an address are none. */
    INVALID_ADDR(-7),
    /** Not built in this version. */
    NOT_IMPLEMENTED(-8),
    /** The message was longer than the room given for it. */
    MESSAGE_TRUNCATED(-9),
    /** Nothing moved. */
    NO_PROGRESS(-10),
    /** A buffer given by the caller is too small. */
    BUFFER_TOO_SMALL(-11),
    /** No such element. */
    NO_ELEM(-12),
    /** Something is pending, so the call may not be made now; progress first. */
    BUSY(-15),
    /** Given up at the caller's wish. */
    CANCELED(-16),
    /** A shared-memory segment could not be made or mapped. */
    SHMEM_SEGMENT(-17),
    /** The name is taken. */
    ALREADY_EXISTS(-18),
    /** An offset lies outside its object. */
    OUT_OF_RANGE(-19),
    /** The deadline passed. */
    TIMED_OUT(-20),
    /** A limit set by configuration was reached. */
    EXCEEDS_LIMIT(-21),
    /** The transport in use cannot do this. */
    UNSUPPORTED(-22),
    /** The peer said no. */
    REJECTED(-23),
    /** The endpoint is not connected, or no longer. */
    NOT_CONNECTED(-24),
    /** The peer closed the connection or died. */
    CONNECTION_RESET(-25),
    /** The peer broke the layout's rules: an impossible value was read from shared memory. */
    PROTOCOL_VIOLATION(-26),
    /** The peer's process stood still for longer than {@code heddle.peer.timeout}. */
    ENDPOINT_TIMEOUT(-80);

    private final int code;

    Status(final int code) {
        this.code = code;
    }

    /** UCX's number for this outcome; {@link #PROTOCOL_VIOLATION} is Heddle's own. */
    public int code() {
        return code;
    }

    /** Whether this ends an operation without success: neither {@link #OK} nor {@link #IN_PROGRESS}. */
    public boolean isError() {
        return code < 0;
    }
}
