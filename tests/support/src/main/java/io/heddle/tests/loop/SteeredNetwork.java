package io.heddle.tests.loop;

import io.heddle.context.HeddleException;
import io.heddle.context.Status;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/** Where the interfaces of this JVM find one another. Thread safe. */
final class SteeredNetwork {
    /** Bytes of an address: the JVM's number and the interface's. */
    static final int ADDRESS_BYTES = 2 * Long.BYTES;

    private static final long JVM_ID = ThreadLocalRandom.current().nextLong();
    private static final AtomicLong NEXT_ID = new AtomicLong(1);
    private static final AtomicLong SEQUENCE = new AtomicLong();
    private static final Map<Long, SteeredInterface> INTERFACES = new ConcurrentHashMap<>();

    private static final Map<String, SteeredInterface> LISTENERS = new ConcurrentHashMap<>();

    private SteeredNetwork() {
    }

    static long nextInterfaceId() {
        return NEXT_ID.getAndIncrement();
    }

    /** One number per published record, over all wires: the order of publication. */
    static long nextSequence() {
        return SEQUENCE.getAndIncrement();
    }

    static void add(final long id, final SteeredInterface side) {
        INTERFACES.put(id, side);
    }

    static void remove(final long id, final SteeredInterface side) {
        INTERFACES.remove(id);
        LISTENERS.values().removeIf(listening -> listening == side);
    }

    /** @throws HeddleException if the name is taken. */
    static void listen(final String name, final SteeredInterface side) {
        if (LISTENERS.putIfAbsent(name, side) != null) {
            throw new HeddleException(Status.ALREADY_EXISTS, "listener name is taken: name=" + name + " holderPid=" +
                ProcessHandle.current().pid());
        }
    }

    static void unlisten(final String name, final SteeredInterface side) {
        LISTENERS.remove(name, side);
    }

    /** Who listens by this name, or null. */
    static SteeredInterface listenerOf(final String name) {
        return LISTENERS.get(name);
    }

    static byte[] addressOf(final long id) {
        return ByteBuffer.allocate(ADDRESS_BYTES).putLong(JVM_ID).putLong(id).array();
    }

    /** Why this cannot be an address of an interface here, or null. */
    static String unreachableReason(final byte[] address) {
        if (address.length != ADDRESS_BYTES) {
            return "address_bytes=" + address.length + " must be " + ADDRESS_BYTES;
        }
        return ByteBuffer.wrap(address).getLong() == JVM_ID ? null : "the address is of another process";
    }

    /** The interface at this address, or null. */
    static SteeredInterface find(final byte[] address) {
        return unreachableReason(address) == null ? INTERFACES.get(ByteBuffer.wrap(address).getLong(Long.BYTES)) : null;
    }
}
