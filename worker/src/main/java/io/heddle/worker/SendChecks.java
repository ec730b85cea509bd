package io.heddle.worker;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import org.agrona.DirectBuffer;

/** The arguments of sends and claims. */
final class SendChecks {
    private SendChecks() {
    }

    /** @throws HeddleException with INVALID_PARAM naming what is out of its range. */
    static void check(final int id, final int flags, final int headerBytes, final DirectBuffer data, final int offset,
        final int bytes) {
        if ((id & ~ActiveMessageMeta.MAX_ID) != 0 || (flags & ~SendFlags.ALL) != 0
            || headerBytes > ActiveMessageMeta.MAX_HEADER_BYTES
            || (offset | bytes) < 0 || bytes > 0 && (data == null || bytes > data.capacity() - offset)) {
            throw invalid(id, flags, headerBytes, data, offset, bytes);
        }
    }

    private static HeddleException invalid(final int id, final int flags, final int headerBytes,
        final DirectBuffer data, final int offset, final int bytes) {
        final String text;
        if ((id & ~ActiveMessageMeta.MAX_ID) != 0) {
            text = "id=" + id + " must be >= 0 and <= " + ActiveMessageMeta.MAX_ID;
        } else if ((flags & ~SendFlags.ALL) != 0) {
            text = "flags=" + flags + " contains unknown bits";
        } else if (headerBytes > ActiveMessageMeta.MAX_HEADER_BYTES) {
            text = "headerBytes=" + headerBytes + " must be <= maxHeaderBytes=" + ActiveMessageMeta.MAX_HEADER_BYTES;
        } else {
            text = "offset=" + offset + " lengthBytes=" + bytes + " must lie within the buffer: capacityBytes="
                + (data == null ? "none (null)" : Integer.toString(data.capacity()));
        }
        return new HeddleException(Status.INVALID_PARAM, text);
    }

    /** As {@link #check}. @param maxBytes the longest claim. */
    static void checkClaim(final int id, final int flags, final int bytes, final int maxBytes) {
        if ((id & ~ActiveMessageMeta.MAX_ID) != 0 || bytes < 0 || bytes > maxBytes || (flags & ~SendFlags.ALL) != 0) {
            throw new HeddleException(Status.INVALID_PARAM, "id=" + id + " flags=" + flags + " lengthBytes=" + bytes
                + " must be within maxId=" + ActiveMessageMeta.MAX_ID + " maxClaimBytes=" + maxBytes);
        }
    }
}
