package io.heddle.context;

import org.agrona.BitUtil;
import org.agrona.concurrent.status.CountersReader;

/**
 * Layout of a counter file, in the host's byte order, which is little endian wherever Heddle runs. Agrona's layout for
 * metadata and values follows the header; the magic is stored last with release semantics, so a reader that finds it
 * finds the rest.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                  Magic (64 bits, written last)                |
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *  |                         Layout version                        |
 *  +---------------------------------------------------------------+
 *  |                            Capacity                           |
 *  +---------------------------------------------------------------+
 *  |                         Pid (64 bits)                         |
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *  |       Process start in clock ticks since boot (64 bits)       |
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *  |                           Context id                          |
 *  +---------------------------------------------------------------+
 *  |                            Padding                            |
 *  +---------------------------------------------------------------+
 *  |         Created, milliseconds since 1970 (64 bits)            |
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *  |                  Padding to 128 bytes                          ...
 *  +---------------------------------------------------------------+
 *  |                  Metadata of Capacity counters                ...
 *  +---------------------------------------------------------------+
 *  |                  Values of Capacity counters                  ...
 *  +---------------------------------------------------------------+
 * </pre>
 */
final class CountersFileDescriptor {
    /** "HDLCNTR1" read as a little endian number. */
    static final long MAGIC = 0x31_52_54_4E_43_4C_44_48L;
    static final int LAYOUT_VERSION = 1;

    static final int MAGIC_OFFSET = 0;
    static final int VERSION_OFFSET = MAGIC_OFFSET + BitUtil.SIZE_OF_LONG;
    static final int CAPACITY_OFFSET = VERSION_OFFSET + BitUtil.SIZE_OF_INT;
    static final int PID_OFFSET = CAPACITY_OFFSET + BitUtil.SIZE_OF_INT;
    static final int START_TICKS_OFFSET = PID_OFFSET + BitUtil.SIZE_OF_LONG;
    static final int CONTEXT_ID_OFFSET = START_TICKS_OFFSET + BitUtil.SIZE_OF_LONG;
    static final int CREATED_MS_OFFSET = BitUtil.align(CONTEXT_ID_OFFSET + BitUtil.SIZE_OF_INT, BitUtil.SIZE_OF_LONG);
    static final int METADATA_OFFSET = BitUtil.align(CREATED_MS_OFFSET + BitUtil.SIZE_OF_LONG, 128);

    /** The most that {@link #CAPACITY_OFFSET} may say. */
    static final int CAPACITY_MAX = 1 << 16;

    private CountersFileDescriptor() {
    }

    static int metadataLengthBytes(final int capacity) {
        return capacity * CountersReader.METADATA_LENGTH;
    }

    static int valuesLengthBytes(final int capacity) {
        return capacity * CountersReader.COUNTER_LENGTH;
    }

    static int valuesOffset(final int capacity) {
        return METADATA_OFFSET + metadataLengthBytes(capacity);
    }

    static int fileLengthBytes(final int capacity) {
        return valuesOffset(capacity) + valuesLengthBytes(capacity);
    }
}
