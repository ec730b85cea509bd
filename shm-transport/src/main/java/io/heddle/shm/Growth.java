package io.heddle.shm;

import java.nio.ByteBuffer;

/**
 * A further segment of lent elements, as it is announced and answered. Immutable.
 *
 * @param firstId      number of its first element.
 * @param count        how many elements.
 * @param elementBytes size of each.
 * @param segmentBytes mapped size.
 * @param segmentName  its file's name.
 */
record Growth(int firstId, int count, long elementBytes, long segmentBytes, String segmentName) {
    private static final int MAX_COUNT = 1 << 20;

    /** Whether one segment can hold it. */
    static boolean isPossible(final int firstId, final int count, final long elementBytes) {
        return firstId >= 0 && count > 0 && count <= MAX_COUNT && firstId <= Integer.MAX_VALUE - count &&
            elementBytes > 0 &&
            elementBytes <= SegmentFile.MAX_BYTES / count;
    }

    ByteBuffer encode() {
        final ByteBuffer frame = FrameBody.begin(FrameDescriptor.GROW);
        frame.putLong(firstId).putLong(count).putLong(elementBytes).putLong(segmentBytes);
        FrameBody.putText(frame, segmentName);
        return FrameBody.finished(frame);
    }

    static Growth decode(final ByteBuffer body) throws ControlViolation {
        final int firstId = (int) FrameBody.takeRange(body, "grow.firstId", 0, Integer.MAX_VALUE);
        final int count = (int) FrameBody.takeRange(body, "grow.count", 1, MAX_COUNT);
        final long elementBytes = FrameBody.takeRange(body, "grow.elementBytes", 1, SegmentFile.MAX_BYTES / count);
        if (!isPossible(firstId, count, elementBytes)) {
            throw ControlViolation.range("grow.firstId", firstId, 0, Integer.MAX_VALUE - count);
        }
        final Growth growth = new Growth(
            firstId, count, elementBytes,
            FrameBody.takeRange(body, "grow.segmentBytes", count * elementBytes, SegmentFile.MAX_BYTES),
            FrameBody.takeText(body, "grow.segmentName"));
        FrameBody.end(body);
        if (!SegmentFile.isName(growth.segmentName)) {
            throw new ControlViolation("grow.segmentName", "value=" + growth.segmentName + " is not a segment's name");
        }
        return growth;
    }

    ByteBuffer encodeAck() {
        final ByteBuffer frame = FrameBody.begin(FrameDescriptor.GROW_ACK);
        frame.putLong(firstId);
        return FrameBody.finished(frame);
    }

    ByteBuffer encodeNak(final String text) {
        final ByteBuffer frame = FrameBody.begin(FrameDescriptor.GROW_NAK);
        frame.putLong(firstId);
        FrameBody.putText(frame, text);
        return FrameBody.finished(frame);
    }

    static ByteBuffer encodeFailed(final long elementBytes) {
        final ByteBuffer frame = FrameBody.begin(FrameDescriptor.GROW_FAILED);
        frame.putLong(elementBytes);
        return FrameBody.finished(frame);
    }
}
