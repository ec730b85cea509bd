package io.heddle.worker;

import io.heddle.context.PoolElement;

/** A handle that is looked for when the application has dropped it; larger than others. See {@link DroppedHandles}. */
final class WatchedData extends ReceivedData {
    private final DroppedHandles owner;
    private DroppedHandles.Watch watch;

    WatchedData(final DroppedHandles owner) {
        this.owner = owner;
    }

    @Override
    void hold(final PoolElement held, final long address, final int lengthBytes) {
        super.hold(held, address, lengthBytes);
        watch = owner.watch(this, new Hold(held, held.generation(), lengthBytes));
    }

    @Override
    void hasLetGo() {
        watch.letGo();
    }
}
