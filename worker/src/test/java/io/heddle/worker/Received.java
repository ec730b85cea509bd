package io.heddle.worker;

/** A copy of a message as its handler saw it. The arrays belong to the test. */
record Received(int id, byte[] header, byte[] data, Connection from) {
    /** By the handler, within the callback. */
    static Received of(final ActiveMessage message) {
        final byte[] header = new byte[message.header().capacity()];
        message.header().getBytes(0, header);
        final byte[] data = new byte[(int) message.lengthBytes()];
        message.data().getBytes(0, data);
        return new Received(message.id(), header, data, message.connection());
    }

    /** The first int of the payload. */
    int number() {
        return data[0] & 0xFF | (data[1] & 0xFF) << 8 | (data[2] & 0xFF) << 16 | data[3] << 24;
    }
}
