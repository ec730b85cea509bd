package io.heddle.tests.loop;

/**
 * The geometry of a steered transport: small on purpose, so that short messages already meet fragmentation and want of
 * room. Immutable.
 *
 * @param ringRecords      records a direction can hold that were not retired.
 * @param credits          descriptors a receiver lends to each peer at most.
 * @param poolElements     descriptors a lane's pool may hold; at least {@code credits}. What is over stands in for kept
 *                         ones.
 * @param inlineBytes      records over this many bytes travel in a descriptor if one is lent; the capability {@code
 *                         maxInlineBytes}.
 * @param maxInlineBytes   records over this many bytes travel in a descriptor or not at all; {@code
 *                         Lane.maxInlineBytes()}.
 * @param maxFragmentBytes the largest record.
 * @param keepsInPlace     whether a collected descriptor is shown to the worker, which may then keep it.
 */
public record SteeredSettings(int ringRecords, int credits, int poolElements, int inlineBytes, int maxInlineBytes,
                              int maxFragmentBytes, boolean keepsInPlace) {
    /** The least that the SPI asks of {@code Lane.maxInlineBytes()}: a header of 1 KiB and a word. */
    public static final int LEAST_MAX_INLINE_BYTES = 1024 + 8;
    /**
     * 16 records, 4 of 8 descriptors lent, inline up to 256 bytes, or 1032 for want of credit, fragments of 4096, kept
     * in place.
     */
    public static final SteeredSettings DEFAULT =
        new SteeredSettings(16, 4, 8, 256, LEAST_MAX_INLINE_BYTES, 4096, true);

    /** Checks the values against one another. */
    public SteeredSettings {
        require(ringRecords > 0, "ringRecords=" + ringRecords + " must be > 0");
        require(credits >= 0, "credits=" + credits + " must be >= 0");
        require(poolElements >= credits, "poolElements=" + poolElements + " must be >= credits=" + credits);
        require(inlineBytes >= 0, "inlineBytes=" + inlineBytes + " must be >= 0");
        require(inlineBytes <= maxInlineBytes,
            "inlineBytes=" + inlineBytes + " must be <= maxInlineBytes=" + maxInlineBytes);
        require(maxInlineBytes <= maxFragmentBytes,
            "maxInlineBytes=" + maxInlineBytes + " must be <= maxFragmentBytes=" + maxFragmentBytes);
    }

    /** These settings with another depth of ring. */
    public SteeredSettings withRingRecords(final int records) {
        return new SteeredSettings(records, credits, poolElements, inlineBytes, maxInlineBytes,
            maxFragmentBytes, keepsInPlace);
    }

    /** These settings with other numbers of descriptors. */
    public SteeredSettings withCredits(final int lent, final int inPool) {
        return new SteeredSettings(ringRecords, lent, inPool, inlineBytes, maxInlineBytes,
            maxFragmentBytes, keepsInPlace);
    }

    /** These settings with other limits of size. */
    public SteeredSettings withSizes(final int inline, final int maxInline, final int maxFragment) {
        return new SteeredSettings(ringRecords, credits, poolElements, inline, maxInline, maxFragment, keepsInPlace);
    }

    /** These settings, keeping in place or not. */
    public SteeredSettings withKeepsInPlace(final boolean keeps) {
        return new SteeredSettings(ringRecords, credits, poolElements, inlineBytes, maxInlineBytes,
            maxFragmentBytes, keeps);
    }

    private static void require(final boolean holds, final String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
