package io.heddle.shm;

import io.heddle.context.spi.TransportInterface;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Writes and reads the bodies of control messages; every read is checked against what is there. Confined. */
final class FrameBody {
    private static final int MAX_TEXT_BYTES = 1024;
    private static final int MAX_DATA_BYTES = TransportInterface.MAX_APPLICATION_DATA_BYTES;

    private FrameBody() {
    }

    /** A buffer for one message; the header is filled in by {@link #finished}. */
    static ByteBuffer begin(final byte opcode) {
        final ByteBuffer frame = ByteBuffer.allocate(FrameDescriptor.HEADER_BYTES + FrameDescriptor.MAX_BODY_BYTES)
            .order(ByteOrder.LITTLE_ENDIAN);
        frame.put(opcode).put((byte) FrameDescriptor.PROTOCOL_VERSION).putShort((short) 0);
        return frame;
    }

    /** Makes the message ready to be written. */
    static ByteBuffer finished(final ByteBuffer frame) {
        frame.putShort(FrameDescriptor.LENGTH_OFFSET, (short) (frame.position() - FrameDescriptor.HEADER_BYTES));
        return frame.flip();
    }

    /** Text is cut to what a message may hold. */
    static void putText(final ByteBuffer frame, final String text) {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        final int length = Math.min(bytes.length, Math.min(MAX_TEXT_BYTES, frame.remaining() - Short.BYTES));
        frame.putShort((short) length).put(bytes, 0, length);
    }

    /** At most {@link #MAX_DATA_BYTES}, which a message always has room for. */
    static void putData(final ByteBuffer frame, final byte[] data) {
        frame.putShort((short) data.length).put(data);
    }

    static byte[] takeData(final ByteBuffer body, final String field) throws ControlViolation {
        final int length = takeShort(body, field + ".length");
        if (length > MAX_DATA_BYTES || length > body.remaining()) {
            throw ControlViolation.range(field + ".length", length, 0, Math.min(MAX_DATA_BYTES, body.remaining()));
        }
        final byte[] data = new byte[length];
        body.get(data);
        return data;
    }

    static int takeShort(final ByteBuffer body, final String field) throws ControlViolation {
        need(body, Short.BYTES, field);
        return Short.toUnsignedInt(body.getShort());
    }

    static int takeInt(final ByteBuffer body, final String field) throws ControlViolation {
        need(body, Integer.BYTES, field);
        return body.getInt();
    }

    static long takeLong(final ByteBuffer body, final String field) throws ControlViolation {
        need(body, Long.BYTES, field);
        return body.getLong();
    }

    static long takeRange(final ByteBuffer body, final String field, final long least, final long most)
        throws ControlViolation {
        final long value = takeLong(body, field);
        if (value < least || value > most) {
            throw ControlViolation.range(field, value, least, most);
        }
        return value;
    }

    static String takeText(final ByteBuffer body, final String field) throws ControlViolation {
        final int length = takeShort(body, field + ".length");
        if (length > MAX_TEXT_BYTES || length > body.remaining()) {
            throw ControlViolation.range(field + ".length", length, 0, Math.min(MAX_TEXT_BYTES, body.remaining()));
        }
        final byte[] bytes = new byte[length];
        body.get(bytes);
        final StringBuilder text = new StringBuilder(new String(bytes, StandardCharsets.UTF_8));
        for (int i = 0; i < text.length(); i++) {
            if (Character.isISOControl(text.charAt(i))) {
                text.setCharAt(i, '?');
            }
        }
        return text.toString();
    }

    static void end(final ByteBuffer body) throws ControlViolation {
        if (body.hasRemaining()) {
            throw new ControlViolation("bodyLength", "has bytes after the last field, count=" + body.remaining());
        }
    }

    private static void need(final ByteBuffer body, final int bytes, final String field) throws ControlViolation {
        if (body.remaining() < bytes) {
            throw new ControlViolation(field, "is missing, remainingBytes=" + body.remaining());
        }
    }
}
