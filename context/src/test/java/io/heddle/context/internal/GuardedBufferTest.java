package io.heddle.context.internal;

import io.heddle.context.DescriptorStateException;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The view against Agrona's own buffer over every method of the interface, and what is the view's alone. */
@Timeout(60)
class GuardedBufferTest {
    /** More than the largest message of the tests; around the viewed range lie bytes that nobody may read. */
    private static final int MARGIN = 64;
    private static final int LENGTH = 200;
    private static final Set<String> NOT_READS = Set.of("wrap", "capacity", "checkLimit", "byteArray",
        "wrapAdjustment");

    private final ByteBuffer memory = BufferUtil.allocateDirectAligned(LENGTH + 2 * MARGIN, 64);
    private final long address = BufferUtil.address(memory) + MARGIN;
    private final UnsafeBuffer reference = new UnsafeBuffer(address, LENGTH);
    private final View view = new View();

    /** A view as the application gets it. */
    private static final class View extends GuardedBuffer {
        ByteBuffer onDemand;

        void open(final long at, final int length) {
            point(at, length);
        }

        void shut() {
            revoke();
        }

        boolean shutOnce() {
            return revokeOnce();
        }

        @Override
        protected ByteBuffer byteBufferOn(final long nativeAddress, final int lengthBytes) {
            return onDemand;
        }
    }

    @Test
    void shouldReadAsAgronaDoesOverAllMethods() throws Exception {
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        view.open(address, LENGTH);
        final int rounds = 500 * Integer.getInteger("tests.scale", 1);
        for (int round = 0; round < rounds; round++) {
            fill(random);
            for (final Method method : reads()) {
                final Object[] args = arguments(method, random);
                final Object[] argsOfReference = copy(args);
                final Object expected = call(reference, method, argsOfReference);
                final Object actual = call(view, method, args);
                final String what = method + " " + Arrays.toString(args) + " round=" + round + " seed=" + seed;
                final boolean text = method.getName().startsWith("getString");
                if ((int) args[0] < 0 || text && expected instanceof Integer count && count < 0) {
                    // Stricter than Agrona, which takes a negative length for "nothing to append", and does not look
                    // at the index of a length that it need not read.
                    assertInstanceOf(IndexOutOfBoundsException.class, actual, what);
                } else if (expected instanceof Exception failure) {
                    assertEquals(failure.getClass(), actual.getClass(), what + " expected=" + expected + " actual=" +
                        actual);
                } else {
                    assertEquals(expected, actual, what);
                    for (int i = 0; i < args.length; i++) {
                        assertEquals(text(argsOfReference[i]), text(args[i]), what);
                    }
                }
            }
        }
    }

    @Test
    void shouldRefuseEveryReadOnceRevoked() throws Exception {
        view.open(address, LENGTH);
        view.shut();
        assertTrue(view.isRevoked());
        for (final Method method : reads()) {
            final Object[] args = arguments(method, new Random(1));
            for (int i = 0; i < args.length; i++) {
                args[i] = args[i] instanceof Integer ? Integer.valueOf(0) : args[i];
            }
            final Object outcome = call(view, method, args);
            assertInstanceOf(DescriptorStateException.class, outcome, method.toString());
            assertTrue(((Exception)outcome).getMessage().contains("was released"), outcome.toString());
        }
        assertThrows(DescriptorStateException.class, view::addressOffset);
        assertThrows(DescriptorStateException.class, view::byteBuffer);
        assertThrows(DescriptorStateException.class, view::hashCode);
        assertEquals(LENGTH, view.capacity());
        assertEquals("View{length=200 released}", view.toString());
    }

    @Test
    void shouldRefuseBeforeItIsPointedAnywhere() {
        assertThrows(DescriptorStateException.class, () -> view.getByte(0));
        assertThrows(IllegalArgumentException.class, () -> view.open(0, 10));
        assertThrows(IllegalArgumentException.class, () -> view.open(address, -1));
    }

    @Test
    void shouldRefuseRangesThatWrapAround() {
        view.open(address, LENGTH);
        for (final int index : new int[] {Integer.MIN_VALUE, -1, LENGTH, Integer.MAX_VALUE - 7, Integer.MAX_VALUE}) {
            assertThrows(IndexOutOfBoundsException.class, () -> view.getLong(index));
            assertThrows(IndexOutOfBoundsException.class, () -> view.getByte(index));
            assertThrows(IndexOutOfBoundsException.class, () -> view.getBytes(index, new byte[1]));
            assertThrows(IndexOutOfBoundsException.class, () -> view.getStringAscii(index));
            assertThrows(IndexOutOfBoundsException.class, () -> view.getStringUtf8(index, 1));
        }
        assertThrows(IndexOutOfBoundsException.class, () -> view.getBytes(1, new byte[8], 0, Integer.MAX_VALUE));
        assertThrows(IndexOutOfBoundsException.class, () -> view.getBytes(1, new byte[8], 0, -1));
        assertThrows(IndexOutOfBoundsException.class, () -> view.getBytes(0, new byte[8], 1, 8));
        assertThrows(IndexOutOfBoundsException.class, () -> view.getBytes(0, new UnsafeBuffer(new byte[8]), 1, 8));
        assertThrows(IndexOutOfBoundsException.class, () -> view.getBytes(0, ByteBuffer.allocate(8), 9));
        assertThrows(IndexOutOfBoundsException.class, () -> view.getBytes(0, ByteBuffer.allocate(8), -1, 4));
    }

    @Test
    void shouldNotFollowALengthPrefixOutOfItsRange() {
        view.open(address, LENGTH);
        for (final int prefix : new int[] {LENGTH - 3, LENGTH, Integer.MAX_VALUE, -1, Integer.MIN_VALUE}) {
            reference.putInt(0, prefix);
            assertThrows(IndexOutOfBoundsException.class, () -> view.getStringAscii(0));
            assertThrows(IndexOutOfBoundsException.class, () -> view.getStringAscii(0, new StringBuilder()));
            assertThrows(IndexOutOfBoundsException.class, () -> view.getStringUtf8(0));
        }
    }

    @Test
    void shouldReadNothingOfAnEmptyRange() {
        view.open(address, 0);
        view.getBytes(0, new byte[0]);
        view.boundsCheck(0, 0);
        assertEquals("", view.getStringWithoutLengthUtf8(0, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> view.getByte(0));
        assertEquals(new UnsafeBuffer(new byte[0]).hashCode(), view.hashCode());
    }

    @Test
    void shouldLetOneOfTwoRevocationsWin() {
        view.open(address, LENGTH);
        assertTrue(view.shutOnce());
        assertFalse(view.shutOnce());
        assertTrue(view.isRevoked());
    }

    @Test
    void shouldReadAnewWhenPointedAnew() {
        reference.putLong(0, 11);
        reference.putLong(8, 12);
        view.open(address, 8);
        assertEquals(11, view.getLong(0));
        view.shut();
        view.open(address + 8, 16);
        assertEquals(12, view.getLong(0));
        assertEquals(16, view.capacity());
    }

    @Test
    void shouldNotBePointedElsewhereByTheApplication() {
        view.open(address, LENGTH);
        assertThrows(UnsupportedOperationException.class, () -> view.wrap(new byte[1]));
        assertThrows(UnsupportedOperationException.class, () -> view.wrap(new byte[1], 0, 1));
        assertThrows(UnsupportedOperationException.class, () -> view.wrap(memory));
        assertThrows(UnsupportedOperationException.class, () -> view.wrap(memory, 0, 1));
        assertThrows(UnsupportedOperationException.class, () -> view.wrap(reference));
        assertThrows(UnsupportedOperationException.class, () -> view.wrap(reference, 0, 1));
        assertThrows(UnsupportedOperationException.class, () -> view.wrap(address, 1));
        assertEquals(reference.wrapAdjustment(), view.wrapAdjustment());
    }

    @Test
    void shouldGiveItselfToAgronasOwnBuffers() {
        fill(new Random(5));
        view.open(address, LENGTH);
        final UnsafeBuffer copy = new UnsafeBuffer(new byte[LENGTH]);
        copy.putBytes(0, view, 0, LENGTH);
        assertEquals(0, copy.compareTo(view));
        final ExpandableArrayBuffer grows = new ExpandableArrayBuffer(8);
        view.getBytes(0, grows, 100, LENGTH);
        assertEquals(view.getLong(LENGTH - 8), grows.getLong(100 + LENGTH - 8));
        view.shut();
        assertThrows(DescriptorStateException.class, () -> copy.putBytes(0, view, 0, LENGTH));
        assertThrows(DescriptorStateException.class, () -> grows.putBytes(0, view, 0, LENGTH));
        assertThrows(DescriptorStateException.class, () -> view.getBytes(0, copy, 0, LENGTH));
    }

    @Test
    void shouldBeEqualByContent() {
        fill(new Random(6));
        view.open(address, 16);
        reference.getBytes(0, reference, 100, 16);
        final View other = new View();
        other.open(address + 100, 16);
        assertEquals(view, other);
        assertEquals(view.hashCode(), other.hashCode());
        assertEquals(new UnsafeBuffer(address, 16).hashCode(), view.hashCode());
        assertEquals(0, view.compareTo(other));
        reference.putByte(100, (byte) (reference.getByte(100) + 1));
        assertNotEquals(view, other);
        other.shut();
        assertNotEquals(view, other);
        assertNotEquals(other, view);
        assertEquals(other, other);
    }

    @Test
    void shouldGiveTheByteBufferOfItsSubclass() {
        view.open(address, LENGTH);
        assertNull(view.byteBuffer());
        view.onDemand = memory;
        assertSame(memory, view.byteBuffer());
        assertNull(view.byteArray());
        assertEquals(address, view.addressOffset());
    }

    @Test
    void shouldCheckLimits() {
        view.open(address, LENGTH);
        view.checkLimit(0);
        view.checkLimit(LENGTH);
        assertThrows(IndexOutOfBoundsException.class, () -> view.checkLimit(LENGTH + 1));
        assertThrows(IndexOutOfBoundsException.class, () -> view.checkLimit(-1));
        assertThrows(IndexOutOfBoundsException.class, () -> view.boundsCheck(1, LENGTH));
    }

    @Test
    void shouldStaySmall() throws Exception {
        final long end = Math.max(
            UnsafeApi.objectFieldOffset(GuardedBuffer.class.getDeclaredField("address")) + Long.BYTES,
            UnsafeApi.objectFieldOffset(GuardedBuffer.class.getDeclaredField("length")) + Integer.BYTES);
        assertTrue(end <= 24, "bytes=" + end);
        final long fields = Arrays.stream(GuardedBuffer.class.getDeclaredFields())
            .filter(field -> !Modifier.isStatic(field.getModifiers())).count();
        assertEquals(2, fields);
    }

    /** Digits, text, short length prefixes and noise, so that every method has something to read now and then. */
    private void fill(final Random random) {
        final byte[] bytes = new byte[LENGTH];
        random.nextBytes(bytes);
        switch (random.nextInt(4)) {
            case 0 -> {
                for (int i = 0; i < LENGTH; i++) {
                    bytes[i] = (byte) ('0' + random.nextInt(10));
                }
                bytes[random.nextInt(LENGTH)] = '-';
            }
            case 1 -> System.arraycopy("häddle ☂ ".repeat(30).getBytes(StandardCharsets.UTF_8), 0, bytes, 0, LENGTH);
            case 2 -> {
                for (int i = 0; i < LENGTH; i++) {
                    bytes[i] = (byte) (i % 4 == 0 ? random.nextInt(60) : 0);
                }
            }
            default -> { }
        }
        reference.putBytes(0, bytes);
    }

    private static List<Method> reads() {
        final List<Method> reads = new ArrayList<>();
        for (final Method method : DirectBuffer.class.getMethods()) {
            if (!Modifier.isStatic(method.getModifiers()) && !NOT_READS.contains(method.getName()) &&
                !Set.of("addressOffset", "byteBuffer", "compareTo").contains(method.getName())) {
                reads.add(method);
            }
        }
        reads.sort(Comparator.comparing(Method::toString));
        assertEquals(35, reads.size(), "has Agrona's interface changed?");
        return reads;
    }

    private static Object[] arguments(final Method method, final Random random) {
        final Object[] args = new Object[method.getParameterCount()];
        for (int i = 0; i < args.length; i++) {
            final Class<?> type = method.getParameterTypes()[i];
            if (type == int.class) {
                args[i] = random.nextInt(20) == 0 ? random.nextInt() : random.nextInt(i == 0 ? LENGTH + 8 : 24) - 2;
            } else if (type == ByteOrder.class) {
                args[i] = random.nextBoolean() ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
            } else if (type == byte[].class) {
                args[i] = new byte[random.nextInt(32)];
            } else if (type == ByteBuffer.class) {
                args[i] = random.nextBoolean() ? ByteBuffer.allocate(32) : ByteBuffer.allocateDirect(32);
                ((ByteBuffer)args[i]).position(random.nextInt(32));
            } else if (type == MutableDirectBuffer.class) {
                args[i] = new UnsafeBuffer(new byte[random.nextInt(32)]);
            } else if (type == Appendable.class) {
                args[i] = new StringBuilder();
            } else {
                throw new IllegalStateException("no argument for " + method);
            }
        }
        return args;
    }

    private static Object[] copy(final Object[] args) {
        final Object[] copies = args.clone();
        for (int i = 0; i < args.length; i++) {
            if (args[i] instanceof byte[] array) {
                copies[i] = array.clone();
            } else if (args[i] instanceof ByteBuffer buffer) {
                copies[i] = (buffer.isDirect() ? ByteBuffer.allocateDirect(32) : ByteBuffer.allocate(32))
                    .position(buffer.position());
            } else if (args[i] instanceof MutableDirectBuffer buffer) {
                copies[i] = new UnsafeBuffer(new byte[buffer.capacity()]);
            } else if (args[i] instanceof StringBuilder) {
                copies[i] = new StringBuilder();
            }
        }
        return copies;
    }

    private static Object call(final DirectBuffer buffer, final Method method, final Object[] args) throws Exception {
        try {
            return method.invoke(buffer, args);
        } catch (final InvocationTargetException ex) {
            return ex.getCause();
        }
    }

    private static String text(final Object arg) {
        if (arg instanceof byte[] array) {
            return Arrays.toString(array);
        }
        if (arg instanceof ByteBuffer buffer) {
            final byte[] bytes = new byte[buffer.capacity()];
            buffer.duplicate().clear().get(bytes);
            return buffer.position() + Arrays.toString(bytes);
        }
        if (arg instanceof UnsafeBuffer buffer) {
            final byte[] bytes = new byte[buffer.capacity()];
            buffer.getBytes(0, bytes);
            return Arrays.toString(bytes);
        }
        return String.valueOf(arg);
    }
}
