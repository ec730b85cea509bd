package io.heddle.shm;

/**
 * Layout of the messages on a control socket: little endian, a wake is one byte, every other message is a header and a
 * body.
 * <pre>
 *   0        8        16                32
 *  +--------+--------+-----------------+---------------- ... -+
 *  | opcode | version|   body length   | body                 |
 *  +--------+--------+-----------------+---------------- ... -+
 * </pre>
 * The header, {@link #HELLO}'s first two fields and {@link #REFUSED}'s body never change between versions, so that two
 * versions can tell each other that they differ. Constants only.
 */
final class FrameDescriptor {
    /** Of the messages; the segment's layout has its own version. */
    static final int PROTOCOL_VERSION = 1;

    static final int HEADER_BYTES = 4;
    static final int OPCODE_OFFSET = 0;
    static final int VERSION_OFFSET = OPCODE_OFFSET + 1;
    static final int LENGTH_OFFSET = VERSION_OFFSET + 1;
    static final int MAX_BODY_BYTES = 4096;
    /** First field of {@link #HELLO}: ASCII "HEDL". */
    static final int MAGIC = 0x4C444548;

    /** The peer's worker shall look at its lanes. A byte by itself. */
    static final byte WAKE = 0x57;
    /** Connector to acceptor: magic, layout version, target interface, who calls, segment name, listener's name. */
    static final byte HELLO = 0x01;
    /** Acceptor to connector: the segment is mapped and its file gone. */
    static final byte WELCOME = 0x02;
    /** Either way, also when the connection stands: no, or no longer, with status and text; the sender closes. */
    static final byte REFUSED = 0x03;
    /** A further segment, lent by the sender. */
    static final byte GROW = 0x04;
    /** The further segment is mapped and its file gone. */
    static final byte GROW_ACK = 0x05;
    /** The further segment could not be mapped. */
    static final byte GROW_NAK = 0x06;
    /** The sender of this wanted to lend more and could not. */
    static final byte GROW_FAILED = 0x07;
    /** The end that follows is meant. */
    static final byte FAREWELL = 0x08;
    /** Is anybody there? Without body. */
    static final byte PING = 0x09;
    /** The control thread is. Without body. */
    static final byte PONG = 0x0A;
    /** The highest. */
    static final byte LAST = PONG;

    private FrameDescriptor() {
    }
}
