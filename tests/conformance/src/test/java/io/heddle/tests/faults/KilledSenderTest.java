package io.heddle.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heddle.context.CloseMode;
import io.heddle.context.Context;
import io.heddle.context.ContextConfig;
import io.heddle.context.ThreadMode;
import io.heddle.tests.base.HygieneExtension;
import io.heddle.tests.base.StandsFor;
import io.heddle.tests.faults.TakenMessages.LetGo;
import io.heddle.tests.pair.PairJvm;
import io.heddle.worker.Worker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * One process has sent by every way to workers of every mode, and is killed in the middle of a further message to each:
 * what they keep is read and let go in every way, and their books balance.
 */
@ExtendWith(HygieneExtension.class)
@Timeout(120)
class KilledSenderTest {
    private static final int BROKEN_OFF_BYTES = 1 << 20;

    /** A receiver in one cell of the matrix. */
    private record Cell(ThreadMode mode, LetGo how, Worker worker, TakenMessages taken) {
        static Cell of(final Context context, final ThreadMode mode, final LetGo how) {
            final Worker worker = Worker.create(context, mode, mode + "-" + how);
            return new Cell(mode, how, worker, new TakenMessages(worker, how));
        }

        @Override
        public String toString() {
            return "mode=" + mode + " how=" + how + ' ' + worker.describe();
        }

        void until(final BooleanSupplier condition) {
            final long start = System.nanoTime();
            while (!condition.getAsBoolean()) {
                if (worker.progress() == 0) {
                    Thread.yield();
                }
                assertTrue(System.nanoTime() - start < Rig.LIMIT.toNanos(), this::toString);
            }
        }
    }

    @Test
    @StandsFor("M5")
    void shouldBalanceAfterThePeerWasKilled(@TempDir(factory = SharedMemoryTemp.class) final Path directory)
        throws Exception {
        final ContextConfig config = new ContextConfig().directory(directory.resolve("heddle"));
        try (Context context = Context.create(config); PairJvm peer = PairJvm.start(directory, DyingPeer.class)) {
            peer.tell("open 1");
            final List<Cell> cells = new ArrayList<>();
            for (final ThreadMode mode : ThreadMode.values()) {
                for (final LetGo how : LetGo.values()) {
                    cells.add(Cell.of(context, mode, how));
                }
            }
            for (int i = 0; i < cells.size(); i++) {
                receive(peer, i, cells.get(i));
            }
            peer.kill();
            for (final Cell cell : cells) {
                cell.until(cell.taken.connection()::isFailed);
                cell.taken.letGo();
                cell.until(() -> cell.worker.isClosed() || cell.worker.statistics().poolInUse() == 0);
                assertEquals(0, cell.worker.statistics().poolInUse(), cell::toString);
                assertEquals(0, cell.worker.statistics().poolRefused(), cell::toString);
                assertEquals(TakenMessages.SIZES.length, cell.taken.count(), cell::toString);
                cell.worker.close(CloseMode.FORCE, Rig.LIMIT);
            }
        }
    }

    /** Everything, and half of what is never finished. */
    private static void receive(final PairJvm peer, final int number, final Cell cell) throws Exception {
        peer.tell("connect " + cell.worker.address().toHex());
        for (final int size : TakenMessages.SIZES) {
            peer.tellLast("send " + number + " 1 " + size);
        }
        cell.until(() -> cell.taken.count() == TakenMessages.SIZES.length);
        cell.taken.assertUnusable();
        for (int i = 0; i < TakenMessages.SIZES.length; i++) {
            peer.answer("send");
        }
        cell.until(() -> cell.worker.progress() == 0); // there is room in the ring
        assertEquals("done=false", peer.tell("begin " + number + ' ' + BROKEN_OFF_BYTES));
        final long before = cell.worker.statistics().poolInUse();
        cell.until(() -> cell.worker.statistics().poolInUse() > before); // by the half message
    }
}
