package io.heddle.shm;

import io.heddle.context.VersionMismatchException;
import java.nio.ByteBuffer;

/**
 * The first message of a connector. Immutable.
 *
 * @param interfaceId  the interface that is called.
 * @param workerId     who calls.
 * @param pid          the caller's process as it says; another PID namespace has another number.
 * @param segmentBytes mapped size of the segment.
 * @param segmentName  its file's name in the directory of the socket.
 * @param workerName   for people.
 */
record Hello(long interfaceId, long workerId, long pid, long segmentBytes, String segmentName, String workerName) {

    ByteBuffer encode() {
        final ByteBuffer frame = FrameBody.begin(FrameDescriptor.HELLO);
        frame.putInt(FrameDescriptor.MAGIC).putShort((short) LaneLayout.LAYOUT_VERSION);
        frame.putLong(interfaceId).putLong(workerId).putLong(pid).putLong(segmentBytes);
        FrameBody.putText(frame, segmentName);
        FrameBody.putText(frame, workerName);
        return FrameBody.finished(frame);
    }

    /**
     * @throws VersionMismatchException if protocol or layout differ; nothing after the two is looked at then.
     */
    static Hello decode(final int protocolVersion, final ByteBuffer body) throws ControlViolation {
        final int magic = FrameBody.takeInt(body, "hello.magic");
        if (magic != FrameDescriptor.MAGIC) {
            throw new ControlViolation("hello.magic", "value=0x" + Integer.toHexString(magic));
        }
        final int layoutVersion = FrameBody.takeShort(body, "hello.layoutVersion");
        if (protocolVersion != FrameDescriptor.PROTOCOL_VERSION || layoutVersion != LaneLayout.LAYOUT_VERSION) {
            throw new VersionMismatchException(
                protocolVersion == FrameDescriptor.PROTOCOL_VERSION ? "layoutVersion" : "protocolVersion",
                versions(FrameDescriptor.PROTOCOL_VERSION, LaneLayout.LAYOUT_VERSION),
                versions(protocolVersion, layoutVersion));
        }
        final Hello hello = new Hello(
            FrameBody.takeLong(body, "hello.interfaceId"),
            FrameBody.takeLong(body, "hello.workerId"),
            FrameBody.takeRange(body, "hello.pid", 1, Integer.MAX_VALUE),
            FrameBody.takeRange(body, "hello.segmentBytes", SegmentFile.PAGE_BYTES, SegmentFile.MAX_BYTES),
            FrameBody.takeText(body, "hello.segmentName"),
            FrameBody.takeText(body, "hello.workerName"));
        FrameBody.end(body);
        if (!SegmentFile.isName(hello.segmentName)) {
            throw new ControlViolation("hello.segmentName", "value=" + hello.segmentName + " is not a segment's name");
        }
        return hello;
    }

    /** What one side speaks, in words. */
    static String versions(final int protocolVersion, final int layoutVersion) {
        return "protocol=" + protocolVersion + " layout=" + layoutVersion;
    }
}
