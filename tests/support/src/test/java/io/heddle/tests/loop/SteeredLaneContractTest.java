package io.heddle.tests.loop;

/** The suite over the steered transport, as it stands without any steering. */
final class SteeredLaneContractTest extends LaneContract {
    private final SteeredTransport transport = new SteeredTransport(SteeredSettings.DEFAULT);

    @Override
    protected LanePair connectPair() {
        return LanePair.connect(transport, transport);
    }

    @Override
    protected void closeTransports() {
        transport.close();
    }
}
