package io.heddle.shm;

import io.heddle.context.Status;
import java.nio.ByteBuffer;

/**
 * A no, for a machine and for people. Its layout never changes. Immutable.
 *
 * @param status the outcome that the refused side reports.
 * @param text   why.
 */
record Refused(Status status, String text) {

    ByteBuffer encode() {
        final ByteBuffer frame = FrameBody.begin(FrameDescriptor.REFUSED);
        frame.putInt(status.code());
        FrameBody.putText(frame, text);
        return FrameBody.finished(frame);
    }

    /** A code that is not known here, or that is no error, is read as {@link Status#REJECTED}. */
    static Refused decode(final ByteBuffer body) throws ControlViolation {
        final int code = FrameBody.takeInt(body, "refused.status");
        return new Refused(error(code), FrameBody.takeText(body, "refused.text"));
    }

    private static Status error(final int code) {
        for (final Status status : Status.values()) {
            if (status.code() == code && status.isError()) {
                return status;
            }
        }
        return Status.REJECTED;
    }
}
