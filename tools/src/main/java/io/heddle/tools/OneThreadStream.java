package io.heddle.tools;

import io.heddle.worker.ActiveMessage;
import io.heddle.worker.ActiveMessageHandler;
import io.heddle.worker.ReceivedData;
import io.heddle.worker.Worker;

/** One thread does all: it progresses, keeps each chunk, checks it where it lies, and releases it. */
final class OneThreadStream implements DemoStream, ActiveMessageHandler {
    private static final int CALLS_BETWEEN_LOOKS = 256;

    private final Worker worker;
    private final StreamCheck check;
    private final ReceivedData mine = new ReceivedData();

    OneThreadStream(final Worker worker, final StreamCheck check) {
        this.worker = worker;
        this.check = check;
    }

    @Override
    public ActiveMessageHandler handler() {
        return this;
    }

    @Override
    public void onMessage(final ActiveMessage message) {
        message.retainInto(mine);
        check.chunk(mine.byteBuffer());
        mine.release();
    }

    @Override
    public long releasedElsewhere() {
        return 0;
    }

    @Override
    public void run(final DemoPatience patience) {
        while (!patience.isOver()) {
            for (int i = 0; i < CALLS_BETWEEN_LOOKS; i++) {
                worker.progress();
            }
        }
    }
}
