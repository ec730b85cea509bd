package io.heddle.shm;

import java.nio.ByteBuffer;

/**
 * An acceptor's yes. Immutable.
 *
 * @param workerId   who answers.
 * @param pid        its process as it says.
 * @param workerName for people.
 */
record Welcome(long workerId, long pid, String workerName) {

    ByteBuffer encode() {
        final ByteBuffer frame = FrameBody.begin(FrameDescriptor.WELCOME);
        frame.putLong(workerId).putLong(pid);
        FrameBody.putText(frame, workerName);
        return FrameBody.finished(frame);
    }

    static Welcome decode(final ByteBuffer body) throws ControlViolation {
        final Welcome welcome = new Welcome(
            FrameBody.takeLong(body, "welcome.workerId"),
            FrameBody.takeRange(body, "welcome.pid", 1, Integer.MAX_VALUE),
            FrameBody.takeText(body, "welcome.workerName"));
        FrameBody.end(body);
        return welcome;
    }
}
