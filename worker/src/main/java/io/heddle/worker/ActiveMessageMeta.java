package io.heddle.worker;

/**
 * The worker's 64 bits of an active message's records. Static functions.
 *
 * <pre>
 *   bits  0..15  id
 *   bits 16..31  length of the header
 *   bits 32..62  length of the whole payload (ONLY, FIRST); offset of the fragment (MORE)
 *   bit  63      no reply wanted
 * </pre>
 */
final class ActiveMessageMeta {
    /** A whole message. */
    static final int TYPE_ONLY = 1;
    /** The first fragment, with the header. */
    static final int TYPE_FIRST = 2;
    /** A further fragment. */
    static final int TYPE_MORE = 3;

    static final int MAX_ID = 0xFFFF;
    static final int MAX_HEADER_BYTES = 1024;
    private static final long LENGTH_MASK = 0x7FFF_FFFFL;

    private ActiveMessageMeta() {
    }

    static long of(final int id, final int headerBytes, final int payloadBytes, final int flags) {
        return id | (long) headerBytes << 16 | (long) payloadBytes << 32 | (long) (flags & SendFlags.NO_REPLY) << 63;
    }

    static int id(final long meta) {
        return (int) meta & MAX_ID;
    }

    static int headerBytes(final long meta) {
        return (int) (meta >>> 16) & 0xFFFF;
    }

    static int payloadBytes(final long meta) {
        return (int) (meta >>> 32 & LENGTH_MASK);
    }

    static boolean isReplyWanted(final long meta) {
        return meta >= 0;
    }

    static int align8(final int value) {
        return value + 7 & -8;
    }

    /** Length of a record with so much payload and header. */
    static int recordBytes(final int payloadBytes, final int headerBytes) {
        return headerBytes == 0 ? payloadBytes : align8(payloadBytes) + headerBytes;
    }
}
