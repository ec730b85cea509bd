package io.heddle.shm;

import io.heddle.context.ContextConfig;
import io.heddle.tests.loop.LaneContract;
import io.heddle.tests.loop.LanePair;
import java.nio.file.Path;
import org.agrona.CloseHelper;
import org.junit.jupiter.api.io.TempDir;

/** The suite over shared memory, two contexts, in the geometry that {@link #config()} says: here the default one. */
class ShmLaneContractTest extends LaneContract {
    @TempDir
    Path temp;

    private TestHost connector;
    private TestHost acceptor;

    /** Of both contexts. */
    ContextConfig config() {
        return new ContextConfig();
    }

    @Override
    protected final LanePair connectPair() {
        final Path directory = temp.resolve("heddle");
        connector = new TestHost(directory, config(), TestHost.TIMINGS);
        acceptor = new TestHost(directory, config(), TestHost.TIMINGS);
        return LanePair.connect(connector.transport, acceptor.transport);
    }

    @Override
    protected final void closeTransports() {
        CloseHelper.closeAll(connector, acceptor);
    }
}
