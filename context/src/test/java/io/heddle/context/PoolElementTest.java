package io.heddle.context;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(30)
class PoolElementTest {
    private MemoryPool pool;
    private PoolElement element;

    @BeforeEach
    void takeOne() {
        pool = MemoryPool.builder("p").elementBytes(64).elementsPerChunk(2).build();
        element = pool.take();
    }

    @AfterEach
    void closePool() {
        pool.close();
    }

    @Test
    void shouldGoRoundOnTheReceivingSide() {
        final int generation = element.generation();
        element.lend();
        assertTrue(element.isLent());
        assertTrue(element.arrive());
        assertEquals(generation, element.generation(), "one receipt, one generation");
        element.retain(generation);
        element.retain(generation);
        assertEquals(3, element.references());
        assertFalse(element.release(generation));
        assertFalse(element.release(generation));
        assertTrue(element.release(generation));
        assertEquals("RETURNED", element.stateName());
        element.reclaim();
        assertEquals(generation + 1, element.generation());
        element.lend();
        pool.put(element);
        assertTrue(element.isFree());
    }

    @Test
    void shouldTellWhenThePeerNamesAnElementItWasNotLent() {
        assertFalse(element.arrive(), "taken, not lent");
        element.lend();
        assertTrue(element.arrive());
        assertFalse(element.arrive(), "filled twice");
        assertEquals(1, element.references());
        assertEquals(0, pool.refused(), "the peer's doing, not the application's");
    }

    @Test
    void shouldRefuseMoreReferencesThanItCanCount() {
        element.hold();
        final int generation = element.generation();
        for (int i = 1; i < ElementState.MAX_REFERENCES; i++) {
            element.retain(generation);
        }
        assertThrows(DescriptorStateException.class, () -> element.retain(generation));
        assertTrue(element.isHeld());
        assertEquals(ElementState.MAX_REFERENCES, element.references());
        assertEquals(generation, element.generation());
        element.release(generation);
        element.retain(generation);
    }

    @Test
    void shouldTellAllInItsRefusal() {
        final DescriptorStateException refused = assertThrows(DescriptorStateException.class,
            () -> element.release(77));
        assertEquals("release refused: pool=p element=0 state=TAKEN references=0 generation=1 generation_of_caller=77",
            refused.getMessage());
        assertEquals(0, refused.element());
        assertEquals("p", refused.pool());
    }

    @Test
    void shouldPackAndUnpackItsWord() {
        for (final int generation : new int[] {0, 1, Integer.MAX_VALUE, Integer.MIN_VALUE, -1}) {
            for (int state = ElementState.FREE; state <= ElementState.RETIRED; state++) {
                for (final int references : new int[] {0, 1, ElementState.MAX_REFERENCES}) {
                    final long word = ElementState.word(generation, state, references);
                    assertEquals(generation, ElementState.generation(word));
                    assertEquals(state, ElementState.state(word));
                    assertEquals(references, ElementState.references(word));
                }
            }
        }
    }
}
