package io.heddle.tests.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.Status;
import io.heddle.context.spi.TransportProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.TimeoutException;

/** What the steered transport counts, what it demands of the guard, and how a test comes by it. */
@Timeout(30)
final class SteeredGuardTest {
    private final SteeredTransport transport = new SteeredTransport(SteeredSettings.DEFAULT);
    private LanePair pair;
    private SteeredLane lane;
    private boolean held;

    @BeforeEach
    void open() throws TimeoutException {
        pair = LanePair.connect(transport, transport).awaitOpen();
        lane = (SteeredLane) pair.left().lane();
    }

    @AfterEach
    void close() {
        lane.steering().guardHeld(null);
        pair.close();
        transport.close();
    }

    @Test
    void shouldCountLooksApartFromSteps() {
        final long looks = transport.steering().looks();
        final long steps = transport.steering().steps();
        lane.hasReceived();
        lane.hasRoom();
        pair.left().side().hasEvents();
        lane.unretired();
        assertEquals(looks + 3, transport.steering().looks());
        assertEquals(steps + 1, transport.steering().steps());
        assertEquals(2, lane.steering().looks());
        assertEquals(1, lane.steering().count(SteeredCall.UNRETIRED));
    }

    @Test
    void shouldRefuseACallWithoutTheGuardBeforeItDoesAnything() {
        lane.steering().guardHeld(() -> held);
        lane.hasReceived();
        lane.hasRoom();
        assertThrows(AssertionError.class, () -> lane.send(1, 1, null, 0, 0, null, 0));
        held = true;
        assertEquals(0, lane.unretired());
        assertEquals(Status.OK, lane.send(1, 1, null, 0, 0, null, 0));
        assertThrows(AssertionError.class, lane.steering()::assertGuardKept);
    }

    @Test
    void shouldRefuseASignalUnderTheGuard() {
        lane.steering().guardHeld(() -> held);
        lane.signal();
        lane.steering().assertGuardKept();
        held = true;
        assertThrows(AssertionError.class, lane::signal);
    }

    @Test
    void shouldRefuseToRetireOutOfOrder() {
        lane.send(1, 1, null, 0, 0, null, 0);
        lane.send(1, 2, null, 0, 0, null, 0);
        assertEquals(2, pair.right().collect());
        assertThrows(IllegalStateException.class, () -> pair.right().lane().retire(pair.right().batch(), 1, 2));
        pair.right().retire();
    }

    @Test
    void shouldBeOpenedByAContextThatNamesIt(@TempDir final Path directory) {
        final ContextConfig config = new ContextConfig().directory(directory.resolve("heddle"));
        final SteeredSettings small = SteeredSettings.DEFAULT.withRingRecords(3);
        try (SteeredScope scope = new SteeredScope(small);
             Context context = Context.create(config.transports(List.of("steered")))) {
            assertEquals(List.of(scope.transport()), context.transports());
            assertEquals(small, scope.transport().settings());
        }
    }

    @Test
    void shouldNotBeOpenedByDefault() {
        final TransportProvider provider = ServiceLoader.load(TransportProvider.class).stream()
            .filter(found -> found.type() == SteeredTransportProvider.class).findFirst().orElseThrow().get();
        assertFalse(provider.isUsedByDefault());
    }

    @Test
    void shouldTakeTheSettingsOfTheInnermostScope() {
        final SteeredSettings small = SteeredSettings.DEFAULT.withRingRecords(1);
        try (SteeredScope outer = new SteeredScope(SteeredSettings.DEFAULT)) {
            try (SteeredScope inner = new SteeredScope(small)) {
                assertEquals(small, SteeredScope.open(null).settings());
                assertEquals(small, inner.transport().settings());
            }
            assertThrows(IllegalStateException.class, outer::transport);
            assertEquals(SteeredSettings.DEFAULT, SteeredScope.open(null).settings());
        }
    }
}
