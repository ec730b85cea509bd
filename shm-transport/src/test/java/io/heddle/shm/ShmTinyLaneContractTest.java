package io.heddle.shm;

import io.heddle.context.ContextConfig;

/** The suite in the smallest rings that the configuration allows. */
final class ShmTinyLaneContractTest extends ShmLaneContractTest {
    @Override
    ContextConfig config() {
        return new ContextConfig().ringSlots(Geometry.MIN_SLOTS).ringBytes(Geometry.MIN_RING_BYTES).inlineMaxBytes(64);
    }
}
