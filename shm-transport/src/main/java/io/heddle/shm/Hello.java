package io.heddle.shm;

import io.heddle.context.VersionMismatchException;
import io.heddle.context.internal.ListenerName;
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
 * @param listener     the name that the connector asks for, or empty if it has the interface's address.
 * @param data         from the connector's application to the listener's.
 */
record Hello(long interfaceId, long workerId, long pid, long segmentBytes, String segmentName, String workerName,
             String listener, byte[] data) {
    private static final byte[] NO_DATA = {};

    /** To an interface by its address. */
    Hello(final long interfaceId, final long workerId, final long pid, final long segmentBytes,
        final String segmentName, final String workerName) {
        this(interfaceId, workerId, pid, segmentBytes, segmentName, workerName, "", NO_DATA);
    }

    ByteBuffer encode() {
        final ByteBuffer frame = FrameBody.begin(FrameDescriptor.HELLO);
        frame.putInt(FrameDescriptor.MAGIC).putShort((short) LaneLayout.LAYOUT_VERSION);
        frame.putLong(interfaceId).putLong(workerId).putLong(pid).putLong(segmentBytes);
        FrameBody.putText(frame, segmentName);
        FrameBody.putText(frame, workerName);
        FrameBody.putText(frame, listener);
        FrameBody.putData(frame, data);
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
            FrameBody.takeText(body, "hello.workerName"),
            FrameBody.takeText(body, "hello.listener"),
            FrameBody.takeData(body, "hello.data"));
        FrameBody.end(body);
        if (!SegmentFile.isName(hello.segmentName)) {
            throw new ControlViolation("hello.segmentName", "value=" + hello.segmentName + " is not a segment's name");
        }
        if (!hello.listener.isEmpty() && !ListenerName.isValid(hello.listener)) {
            throw new ControlViolation("hello.listener", "is not a listener's name, lengthBytes=" +
                hello.listener.length());
        }
        if (hello.listener.isEmpty() && hello.data.length > 0) {
            throw new ControlViolation("hello.data", "without a listener, lengthBytes=" + hello.data.length);
        }
        return hello;
    }

    /** What one side speaks, in words. */
    static String versions(final int protocolVersion, final int layoutVersion) {
        return "protocol=" + protocolVersion + " layout=" + layoutVersion;
    }
}
