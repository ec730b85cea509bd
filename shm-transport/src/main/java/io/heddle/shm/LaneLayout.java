package io.heddle.shm;

/**
 * Where everything lies within one direction of a segment. Constants, each computed from the one before. Little endian
 * throughout.
 *
 * <pre>
 *  direction                                                             written by
 *  +------------------------------------------------------------------+
 *  | 0     head            data slots retired, a count        u64     |  reader
 *  | 128   control head    control slots handled, a count     u64     |  reader
 *  | 256   wait state      polling, may sleep, armed          u64     |  reader
 *  | 384   (unused)                                                   |
 *  | 512   credits         classes x creditSlots x u64                |  reader
 *  |       control ring    controlSlots x 64 bytes                    |  writer
 *  |       data slots      slots x 64 bytes                           |  writer
 *  |       byte ring       ringBytes                                  |  writer
 *  +------------------------------------------------------------------+
 *
 *  slot (data and control)
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                       length of the record                    |   0
 *  +---------------+---------------+-------------------------------+
 *  |     type      |     kind      |              lap              |   4
 *  +---------------+---------------+-------------------------------+
 *  |                             meta                              |   8
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *  |  kind SLOT: 48 bytes of payload; RING: offset in the byte     |  16
 *  |  ring; DESCRIPTOR: number of the descriptor                   |
 *  +---------------------------------------------------------------+
 *
 *  credit word: {number of the descriptor: 32, unused: 16, lap: 16}
 * </pre>
 *
 * <p>A slot's first word is published with one release store, last; the reader's acquire load of it is the partner. The
 * lap says whether the word is of this turn of the ring: the writer clears nothing and the reader writes nothing but
 * its head. Slots hold only words that the writer wrote as words, so payload can never pass for a header; payload over
 * 48 bytes lies in the byte ring, whose room follows from the slots that were retired. A slot fills one cache line, so
 * the two sides never contend for a line that holds two records.
 */
final class LaneLayout {
    static final int LAYOUT_VERSION = 1;

    static final int HEAD_OFFSET = 0;
    static final int CONTROL_HEAD_OFFSET = HEAD_OFFSET + 128;
    static final int WAIT_STATE_OFFSET = CONTROL_HEAD_OFFSET + 128;
    static final int CREDITS_OFFSET = WAIT_STATE_OFFSET + 256;

    static final int SLOT_BYTES = 64;
    static final int SLOT_SHIFT = 6;
    static final int SLOT_META_OFFSET = 8;
    static final int SLOT_PAYLOAD_OFFSET = 16;
    static final int SLOT_PAYLOAD_BYTES = SLOT_BYTES - SLOT_PAYLOAD_OFFSET;

    static final int KIND_SLOT = 1;
    static final int KIND_RING = 2;
    static final int KIND_DESCRIPTOR = 3;

    /** Control record: the writer has nothing to write into; meta is the class wanted. */
    static final int CONTROL_WANT = 1;
    /** Control record: the writer writes no more; meta is its final tail. */
    static final int CONTROL_FIN = 2;
    /** Control record: no descriptor of the class, which is meta, will be lent; go round by the byte ring. */
    static final int CONTROL_REFUSED = 3;

    /** Descriptor classes: 1 KiB to 64 KiB, powers of two. */
    static final int LEAST_CLASS_SHIFT = 10;
    static final int CLASSES = 7;
    static final int MAX_DESCRIPTOR_BYTES = 1 << (LEAST_CLASS_SHIFT + CLASSES - 1);

    private static final int LAP_SHIFT = 48;
    private static final int KIND_SHIFT = 40;
    private static final int TYPE_SHIFT = 32;
    private static final int BYTE_MASK = 0xFF;
    private static final int LAP_MASK = 0xFFFF;

    private LaneLayout() {
    }

    static long controlOffset(final Geometry g) {
        return CREDITS_OFFSET + (long) CLASSES * g.creditSlots() * Long.BYTES;
    }

    static long slotsOffset(final Geometry g) {
        return controlOffset(g) + (long) g.controlSlots() * SLOT_BYTES;
    }

    static long ringOffset(final Geometry g) {
        return slotsOffset(g) + (long) g.slots() * SLOT_BYTES;
    }

    /** The largest record put into the byte ring: an eighth of it, so that several are always on their way. */
    static int maxRingRecordBytes(final Geometry g) {
        return Math.max(g.ringBytes() / 8, 2048);
    }

    /** The turn of a ring of {@code 1 << shift} entries in which position {@code sequence} lies; 1 for the first. */
    static int lap(final long sequence, final int shift) {
        return (int) ((sequence >>> shift) + 1) & LAP_MASK;
    }

    static long word(final int lap, final int kind, final int type, final int length) {
        return (long) lap << LAP_SHIFT | (long) kind << KIND_SHIFT | (long) type << TYPE_SHIFT | length & 0xFFFF_FFFFL;
    }

    static int lapOf(final long word) {
        return (int) (word >>> LAP_SHIFT);
    }

    static int kindOf(final long word) {
        return (int) (word >>> KIND_SHIFT) & BYTE_MASK;
    }

    static int typeOf(final long word) {
        return (int) (word >>> TYPE_SHIFT) & BYTE_MASK;
    }

    static int lengthOf(final long word) {
        return (int) word;
    }

    static long creditWord(final int lap, final int descriptor) {
        return (long) lap << LAP_SHIFT | descriptor & 0xFFFF_FFFFL;
    }

    /** Index of the least class that holds {@code bytes}, which are at most {@link #MAX_DESCRIPTOR_BYTES}. */
    static int classOf(final int bytes) {
        return Math.max(Integer.SIZE - Integer.numberOfLeadingZeros(bytes - 1), LEAST_CLASS_SHIFT) - LEAST_CLASS_SHIFT;
    }

    static int classBytes(final int index) {
        return 1 << (LEAST_CLASS_SHIFT + index);
    }

    /** Every offset of a segment of this geometry, a line each, from the constants above. */
    static String describe(final Geometry g) {
        return """
            layout_version=%d byte_order=little_endian segment_bytes=%d
            header offset=0 bytes=%d magic=%d version=%d byte_order=%d total_bytes=%d slots=%d ring_bytes=%d \
            control_slots=%d credit_slots=%d ready=%d
            direction_0 offset=%d bytes=%d writer=creator
            direction_1 offset=%d bytes=%d writer=acceptor
            direction.head offset=%d written_by=reader
            direction.control_head offset=%d written_by=reader
            direction.wait_state offset=%d written_by=reader
            direction.credits offset=%d classes=%d credit_slots=%d bytes_each=8 written_by=reader
            direction.control_ring offset=%d slots=%d slot_bytes=%d written_by=writer
            direction.data_slots offset=%d slots=%d slot_bytes=%d payload_offset=%d payload_bytes=%d written_by=writer
            direction.byte_ring offset=%d bytes=%d max_record_bytes=%d written_by=writer
            slot.word length=0..31 type=32..39 kind=40..47 lap=48..63
            slot.meta offset=%d
            kinds slot=%d ring=%d descriptor=%d control_want=%d control_fin=%d control_refused=%d
            descriptor_classes least_bytes=%d most_bytes=%d
            """.formatted(LAYOUT_VERSION, g.segmentBytes(), SegmentHeader.HEADER_BYTES, SegmentHeader.MAGIC_OFFSET,
            SegmentHeader.VERSION_OFFSET, SegmentHeader.BYTE_ORDER_OFFSET, SegmentHeader.TOTAL_BYTES_OFFSET,
            SegmentHeader.SLOTS_OFFSET, SegmentHeader.RING_BYTES_OFFSET, SegmentHeader.CONTROL_SLOTS_OFFSET,
            SegmentHeader.CREDIT_SLOTS_OFFSET, SegmentHeader.READY_OFFSET,
            SegmentHeader.HEADER_BYTES, g.directionBytes(), SegmentHeader.HEADER_BYTES + g.directionBytes(),
            g.directionBytes(), HEAD_OFFSET, CONTROL_HEAD_OFFSET, WAIT_STATE_OFFSET, CREDITS_OFFSET, CLASSES,
            g.creditSlots(), controlOffset(g), g.controlSlots(), SLOT_BYTES, slotsOffset(g), g.slots(), SLOT_BYTES,
            SLOT_PAYLOAD_OFFSET, SLOT_PAYLOAD_BYTES, ringOffset(g), g.ringBytes(), maxRingRecordBytes(g),
            SLOT_META_OFFSET, KIND_SLOT, KIND_RING, KIND_DESCRIPTOR, CONTROL_WANT, CONTROL_FIN, CONTROL_REFUSED,
            classBytes(0), MAX_DESCRIPTOR_BYTES);
    }
}
