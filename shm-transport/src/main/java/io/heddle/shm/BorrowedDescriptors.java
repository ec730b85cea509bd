package io.heddle.shm;

import java.util.Arrays;
import org.agrona.UnsafeApi;

/**
 * The peer's receive descriptors that this side may write into: which are mapped, and which credits are in hand.
 *
 * <p>Single reader of the peer's credit words: the worker, under its guard; {@link #hasCredit} also without, by the
 * holder of the dispatcher token.
 */
final class BorrowedDescriptors {
    private static final int MAX_IDS = 1 << 20;
    private static final byte UNUSED = -1;

    private final long creditsAddress;
    private final int creditSlots;
    private final int creditShift;
    private final long[] creditNext = new long[LaneLayout.CLASSES];
    /** Credits in hand per class, the newest on top: its memory is the likeliest to be in cache. */
    private final int[][] inHand;
    private final int[] count = new int[LaneLayout.CLASSES];
    private final int[] mapped = new int[LaneLayout.CLASSES];
    private long[] addressById = new long[0];
    private byte[] classById = new byte[0];
    private String violation;

    BorrowedDescriptors(final long direction, final Geometry g) {
        creditsAddress = direction + LaneLayout.CREDITS_OFFSET;
        creditSlots = g.creditSlots();
        creditShift = Integer.numberOfTrailingZeros(creditSlots);
        inHand = new int[LaneLayout.CLASSES][2 * creditSlots];
    }

    /**
     * The peer's chunk is mapped here: its descriptors may be used once a credit names them. False if the numbers are
     * impossible.
     */
    boolean add(final int firstId, final int descriptors, final int sizeClass, final long address) {
        if (firstId < 0 || descriptors <= 0 || firstId > MAX_IDS - descriptors) {
            return false;
        }
        final int known = addressById.length;
        for (int id = firstId; id < Math.min(known, firstId + descriptors); id++) {
            if (classById[id] != UNUSED) {
                return false;
            }
        }
        if (firstId + descriptors > known) {
            addressById = Arrays.copyOf(addressById, firstId + descriptors);
            classById = Arrays.copyOf(classById, firstId + descriptors);
            // Numbers of a chunk that could not be made stay unused, maybe until the next.
            Arrays.fill(classById, known, firstId + descriptors, UNUSED);
        }
        for (int i = 0; i < descriptors; i++) {
            addressById[firstId + i] = address + ((long) i << LaneLayout.LEAST_CLASS_SHIFT + sizeClass);
            classById[firstId + i] = (byte) sizeClass;
        }
        mapped[sizeClass] += descriptors;
        return true;
    }

    /** How many of the class are mapped. */
    int mapped(final int sizeClass) {
        return mapped[sizeClass];
    }

    /** Takes a descriptor of the class; its number, or -1 if no credit is in hand. */
    int take(final int sizeClass) {
        if (count[sizeClass] == 0) {
            drain(sizeClass);
            if (count[sizeClass] == 0) {
                return -1;
            }
        }
        return inHand[sizeClass][--count[sizeClass]];
    }

    /** Takes a descriptor back that was taken and not used. */
    void putBack(final int id) {
        final int sizeClass = classById[id];
        inHand[sizeClass][count[sizeClass]++] = id;
    }

    long address(final int id) {
        return addressById[id];
    }

    private void drain(final int sizeClass) {
        final int[] hand = inHand[sizeClass];
        while (count[sizeClass] < creditSlots) {
            final long position = creditNext[sizeClass];
            // Partner: the owner's release store in LentDescriptors.
            final long word = UnsafeApi.getLongAcquire(null, creditAddress(sizeClass, position));
            if (LaneLayout.lapOf(word) != LaneLayout.lap(position, creditShift)) {
                return;
            }
            final int id = (int) word;
            if (id < 0 || id >= MAX_IDS) {
                violation = "credit=" + id + " must be >= 0 and < " + MAX_IDS;
                return;
            }
            if (!isMapped(id)) {
                // Mapped by the transport's thread and not yet taken over by this worker: the event is in the inbox.
                return;
            }
            if (classById[id] != sizeClass) {
                violation = "credit=" + id + " is of class " + classById[id] + " expected=" + sizeClass;
                return;
            }
            hand[count[sizeClass]++] = id;
            creditNext[sizeClass] = position + 1;
        }
    }

    /** A look without the guard: whether a credit of the class has come that was not taken in yet. */
    boolean hasCredit(final int sizeClass) {
        final long position = creditNext[sizeClass];
        // Opaque: only a hint, confirmed by drain.
        final long word = UnsafeApi.getLongOpaque(null, creditAddress(sizeClass, position));
        if (count[sizeClass] > 0) {
            return true;
        }
        // One that names what is not mapped cannot be taken yet.
        final int id = (int) word;
        return LaneLayout.lapOf(word) == LaneLayout.lap(position, creditShift)
            && (id < 0 || id >= MAX_IDS || isMapped(id));
    }

    private boolean isMapped(final int id) {
        return id < addressById.length && classById[id] != UNUSED;
    }

    private long creditAddress(final int sizeClass, final long position) {
        return creditsAddress + ((long) sizeClass * creditSlots + (position & creditSlots - 1)) * Long.BYTES;
    }

    String violation() {
        return violation;
    }
}
