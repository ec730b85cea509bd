package io.heddle.tools;

/**
 * The CRC32C of two byte sequences put together, from the CRC of each and the length of the second, without the
 * bytes: appending {@code n} zero bytes to a message multiplies its remainder by {@code x^(8n)} modulo the
 * polynomial, and remainders add by exclusive or. Immutable, no state.
 */
final class Crc32cCombiner {
    /** Castagnoli's polynomial, bit-reflected: bit 31 is the coefficient of x^0. */
    private static final int POLYNOMIAL = 0x82F63B78;
    private static final int ONE = 0x80000000;
    private static final int X_TO_THE_8 = 0x00800000;

    private Crc32cCombiner() {
    }

    /**
     * The CRC of {@code A} followed by {@code B}; the arguments are the values that {@link java.util.zip.CRC32C}
     * gives.
     */
    static int combine(final int crcOfA, final int crcOfB, final long lengthOfB) {
        return multiply(crcOfA, power(lengthOfB)) ^ crcOfB;
    }

    /** The CRC of {@code times} copies one after another; of none it is 0. */
    static int repeat(final int crc, final long length, final long times) {
        int all = 0;
        for (long i = 0; i < times; i++) {
            all = combine(all, crc, length);
        }
        return all;
    }

    /** x^(8 * bytes) modulo the polynomial, by repeated squaring. */
    private static int power(final long bytes) {
        int result = ONE;
        int square = X_TO_THE_8;
        for (long left = bytes; left != 0; left >>>= 1) {
            if ((left & 1) != 0) {
                result = multiply(result, square);
            }
            square = multiply(square, square);
        }
        return result;
    }

    /** The product of two polynomials modulo the polynomial. */
    private static int multiply(final int a, final int b) {
        int product = 0;
        int shifted = b;
        for (int bit = 31; bit >= 0; bit--) {
            if ((a >>> bit & 1) != 0) {
                product ^= shifted;
            }
            shifted = (shifted & 1) != 0 ? shifted >>> 1 ^ POLYNOMIAL : shifted >>> 1;
        }
        return product;
    }
}
