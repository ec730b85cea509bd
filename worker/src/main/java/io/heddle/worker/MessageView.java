package io.heddle.worker;

import io.heddle.context.internal.GuardedBuffer;

/** A view of the message being dispatched; revoked when its handler returns. Confined to the dispatching thread. */
final class MessageView extends GuardedBuffer {
    void show(final long address, final int lengthBytes) {
        point(address, lengthBytes);
    }

    void hide() {
        revoke();
    }
}
