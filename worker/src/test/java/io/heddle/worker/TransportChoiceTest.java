package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.ContextConfig;
import io.heddle.context.ThreadMode;
import io.heddle.context.UnreachableException;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.loop.SteeredSettings;
import io.heddle.tests.loop.UnopenableTransport;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Whoever asks why a transport was not taken is told. */
@Timeout(30)
@ExtendWith(HygieneExtension.class)
final class TransportChoiceTest {
    private static final Consumer<ContextConfig> BOTH =
        config -> config.transports(List.of(DistantTransport.NAME, "steered"));
    private static final String UNUSED =
        UnopenableTransport.NAME + "=not in heddle.transports=[" + DistantTransport.NAME + ", steered]";

    @Test
    @StandsFor("A2")
    void shouldSayOfEachTransportWhyItWasNotTaken() {
        try (WorkerPair pair = WorkerPair.open(ThreadMode.MULTI, SteeredSettings.DEFAULT, BOTH)) {
            final String endpoint = pair.there.describe();
            assertTrue(endpoint.contains("[transport=steered "), endpoint);
            assertTrue(endpoint.contains(" rejected={distant=too far away, " + UNUSED + "}"), endpoint);

            final Connection byName = pair.left.connect("n", new byte[0], 0);
            assertTrue(byName.describe().contains("distant=it has no listeners"), byName::describe);

            final String worker = pair.left.describe();
            assertTrue(worker.contains(" transports=[distant, steered] rejected={" + UNUSED + "} "), worker);
            final String context = pair.context.describe();
            final String line = "transport=" + UNUSED.replace("=not", " rejected=[not") + "]";
            assertTrue(context.lines().anyMatch(line::equals), context);
            pair.settle();
        }
    }

    @Test
    @StandsFor("A2")
    void shouldSayOfEachTransportWhyItReachesNobody() {
        try (WorkerPair pair = WorkerPair.open(ThreadMode.MULTI, SteeredSettings.DEFAULT, BOTH)) {
            final byte[] address = new String(pair.right.address().toBytes(), StandardCharsets.ISO_8859_1)
                .replace("steered", "stained").getBytes(StandardCharsets.ISO_8859_1);

            final UnreachableException refused = assertThrows(UnreachableException.class,
                () -> pair.left.connect(WorkerAddress.ofBytes(address)));

            assertEquals("distant=[too far away] steered=[the peer does not use it] "
                + UNUSED.replace("=not", "=[not") + "]", refused.getMessage().split(": ", 2)[1]);
        }
    }
}
