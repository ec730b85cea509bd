package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heddle.context.CloseMode;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.faults.TakenMessages.LetGo;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every way by which a payload comes, with every way of letting it go. A killed peer has a test of its own. */
@ExtendWith(HygieneExtension.class)
@Timeout(60)
class DescriptorPathsTest {
    static Stream<Arguments> cells() {
        return Stream.of(ThreadMode.values()).flatMap(mode -> Stream.of(LetGo.values()).flatMap(how ->
            Stream.of(true, false).map(isPeerThere -> Arguments.of(mode, how, isPeerThere))));
    }

    @ParameterizedTest
    @MethodSource("cells")
    @StandsFor("M5")
    void shouldBalanceWhateverCameAndHoweverItIsLetGo(final ThreadMode mode, final LetGo how,
        final boolean isPeerThere) throws Exception {
        try (Rig rig = Rig.open(mode)) {
            final TakenMessages taken = new TakenMessages(rig.receiver, how);
            for (final int size : TakenMessages.SIZES) {
                rig.sendNow(size);
            }
            rig.until("received", () -> taken.count() == TakenMessages.SIZES.length);
            taken.assertUnusable();
            if (!isPeerThere) {
                rig.sender.close(CloseMode.FORCE, Rig.LIMIT);
                rig.until("the peer's end is known", taken.connection()::isFailed);
            }
            taken.letGo();
            rig.until("balanced", () -> rig.receiver.isClosed() || rig.receiver.statistics().poolInUse() == 0);
            assertEquals(0, rig.receiver.statistics().poolInUse());
            assertEquals(0, rig.receiver.statistics().poolRefused());
            assertEquals(0, rig.sender.statistics().poolInUse());
        }
    }
}
