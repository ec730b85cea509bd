package io.heddle.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.CountersFile;
import io.heddle.context.HeddleException;
import io.heddle.context.Status;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.loop.SteeredScope;
import io.heddle.tests.loop.SteeredSettings;
import io.heddle.tests.loop.UnopenableTransport;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(30)
@ExtendWith(HygieneExtension.class)
final class WorkerCreateTest {
    @ParameterizedTest
    @EnumSource(ThreadMode.class)
    void shouldLeaveNothingIfOneOfSeveralTransportsCannotBeOpened(final ThreadMode mode) {
        final ContextConfig config = new ContextConfig().directory(HygieneExtension.runtimeDirectory())
            .transports(List.of("steered", UnopenableTransport.NAME));
        try (SteeredScope scope = new SteeredScope(SteeredSettings.DEFAULT); Context context = Context.create(config)) {
            final int before = CountersFile.read(context.counters().file()).samples().size();

            final HeddleException refused = assertThrows(HeddleException.class, () -> Worker.create(context, mode));

            assertEquals(Status.IO_ERROR, refused.status());
            assertEquals(List.of(), List.of(refused.getSuppressed()));
            assertEquals(List.of(), scope.transport().interfaces());
            assertEquals(before, CountersFile.read(context.counters().file()).samples().size());
        }
    }
}
