package io.heddle.worker;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How a worker is reached: opaque bytes, or the same in hexadecimal, to be carried to a peer by any means. Immutable.
 */
public final class WorkerAddress {
    private static final int MAGIC = 0x48_64_6c_31; // "Hdl1"
    private static final int MAX_TRANSPORTS = 16;
    private static final int MAX_BYTES = 64 * 1024;

    private final byte[] bytes;
    private final Map<String, byte[]> byTransport;

    private WorkerAddress(final byte[] bytes, final Map<String, byte[]> byTransport) {
        this.bytes = bytes;
        this.byTransport = byTransport;
    }

    static WorkerAddress of(final Map<String, byte[]> byTransport) {
        int size = Integer.BYTES + 1;
        for (final Map.Entry<String, byte[]> entry : byTransport.entrySet()) {
            size += 1 + entry.getKey().getBytes(StandardCharsets.UTF_8).length + Short.BYTES + entry.getValue().length;
        }
        final ByteBuffer buffer = ByteBuffer.allocate(size).putInt(MAGIC).put((byte) byTransport.size());
        byTransport.forEach((transport, address) -> {
            final byte[] name = transport.getBytes(StandardCharsets.UTF_8);
            buffer.put((byte) name.length).put(name).putShort((short) address.length).put(address);
        });
        return new WorkerAddress(buffer.array(), Map.copyOf(byTransport));
    }

    /**
     * @throws HeddleException with INVALID_ADDR if these are not a worker's address.
     */
    public static WorkerAddress ofBytes(final byte[] address) {
        final Map<String, byte[]> found = new LinkedHashMap<>();
        try {
            final ByteBuffer buffer = ByteBuffer.wrap(address);
            if (address.length > MAX_BYTES || buffer.getInt() != MAGIC) {
                throw invalid("magic");
            }
            final int count = buffer.get();
            if (count < 0 || count > MAX_TRANSPORTS) {
                throw invalid("transports=" + count);
            }
            for (int i = 0; i < count; i++) {
                final String name = new String(take(buffer, buffer.get() & 0xFF), StandardCharsets.UTF_8);
                found.put(name, take(buffer, buffer.getShort() & 0xFFFF));
            }
            if (buffer.hasRemaining()) {
                throw invalid("trailingBytes=" + buffer.remaining());
            }
        } catch (final BufferUnderflowException ex) {
            throw invalid("lengthBytes=" + address.length);
        }
        return new WorkerAddress(address.clone(), Map.copyOf(found));
    }

    private static byte[] take(final ByteBuffer buffer, final int length) {
        final byte[] part = new byte[length];
        buffer.get(part);
        return part;
    }

    private static HeddleException invalid(final String field) {
        return new HeddleException(Status.INVALID_ADDR, "not a worker address: " + field);
    }

    /** As {@link #ofBytes}, from {@link #toHex()}. */
    public static WorkerAddress ofHex(final String hex) {
        try {
            return ofBytes(HexFormat.of().parseHex(hex.strip()));
        } catch (final IllegalArgumentException ex) {
            throw invalid("hexadecimal digits: " + ex.getMessage());
        }
    }

    /** The address of one transport, or null if the worker does not use it. */
    byte[] of(final String transport) {
        return byTransport.get(transport);
    }

    /** A copy of the bytes. */
    public byte[] toBytes() {
        return bytes.clone();
    }

    /** The bytes as hexadecimal digits. */
    public String toHex() {
        return HexFormat.of().formatHex(bytes);
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof WorkerAddress address && Arrays.equals(bytes, address.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "worker-address[lengthBytes=" + bytes.length + " transports=" + byTransport.keySet() + ']';
    }
}
